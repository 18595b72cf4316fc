"""A new model for some training data, and what of the data it cannot represent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from biaffinity.annotation import Sentence, outermost
from biaffinity.config.settings import Config
from biaffinity.decoding.schema import Schema
from biaffinity.encoders.parts import build_encoder
from biaffinity.encoders.recurrent.vectors import Coverage, WordVectors
from biaffinity.errors import DataError
from biaffinity.model.joint import JointModel


def build_model(
    config: Config, train: Sequence[Sentence], dev: Sequence[Sentence], vectors: WordVectors | None
) -> tuple[JointModel, Coverage | None]:
    """A model with fresh weights (from torch's current random state) and its vector coverage."""
    schema = Schema.build(train)
    if not schema.entity_types:
        raise DataError("the training data has no entity", remedy="run: biaffinity check TRAIN")
    encoder, coverage = build_encoder(config.encoder, train, dev, vectors, dropout=config.model.dropout)
    return JointModel(config, schema, encoder), coverage


def left_out(sentences: Sequence[Sentence], *, several_relations: bool = False) -> dict[str, int]:
    """What flat entities and one relation per pair, unless it may have several, cannot hold, by kind."""
    counts: Counter[str] = Counter()
    for sentence in sentences:
        kept = set(outermost(sentence.entities))
        counts["entities inside or across others"] += len(sentence.entities) - len(kept)
        pairs = [(r.head, r.tail) for r in sentence.relations if r.head in kept and r.tail in kept]
        counts["relations of those"] += len(sentence.relations) - len(pairs)
        if not several_relations:
            counts["second relations of one pair"] += len(pairs) - len(set(pairs))
        counts["sentences without tokens"] += not len(sentence)
    return {kind: count for kind, count in counts.items() if count}
