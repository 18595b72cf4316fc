"""Entity, Relation, Sentence, Document: the one container everything speaks.

Token spans are half open and index a sentence's tokens; a relation's arguments index its
sentence's entities. Where the text is known, every token has its character span in it. A
document's text is its sentences' texts joined, so nothing between two sentences is ever lost.
"""

from biaffinity.annotation.document import Document, EntityMention, RelationMention, documents
from biaffinity.annotation.judged import Judged
from biaffinity.annotation.sentence import Entity, Relation, Sentence, outermost
from biaffinity.annotation.tables import Tables, to_arrow, to_pandas

__all__ = [
    "Document",
    "Entity",
    "EntityMention",
    "Judged",
    "Relation",
    "RelationMention",
    "Sentence",
    "Tables",
    "documents",
    "outermost",
    "to_arrow",
    "to_pandas",
]
