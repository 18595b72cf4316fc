"""Raw text to sentences and tokens with character offsets; nothing is lost.

White space is what `str.isspace` says it is. Every other character stands in exactly one token,
and the sentences, white space included, join to the text again. No package is needed for this:
the choice was made by measurement (benchmarks/tokenisers.py).
"""

from biaffinity.text.document import read_document, split_sentences, tokenise
from biaffinity.text.sentences import closing_period

__all__ = ["closing_period", "read_document", "split_sentences", "tokenise"]
