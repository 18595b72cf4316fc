"""A new model for some training data, and what of the data it cannot represent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from biaffinity.annotation import Sentence, outermost
from biaffinity.config.settings import Config
from biaffinity.decoding.schema import Schema
from biaffinity.encoders.parts import build_encoder
from biaffinity.encoders.recurrent.vectors import Coverage, WordVectors
from biaffinity.errors import DataError, UsageError
from biaffinity.model.folder import load_model
from biaffinity.model.joint import JointModel


def build_model(
    config: Config,
    train: Sequence[Sentence],
    dev: Sequence[Sentence],
    vectors: WordVectors | None,
    start: Path | None = None,
) -> tuple[JointModel, Coverage | None]:
    """A model with fresh weights (from torch's current random state) and its vector coverage.

    Or, as the folder ``start`` holds it, one that has learnt already.
    """
    schema = Schema.build(train)
    if not schema.entity_types:
        raise DataError("the training data has no entity", remedy="run: biaffinity check TRAIN")
    if start is not None:
        return _started_from(start, config, schema), None
    encoder, coverage = build_encoder(config.encoder, train, dev, vectors, dropout=config.model.dropout)
    return JointModel(config, schema, encoder), coverage


def _started_from(folder: Path, config: Config, wanted: Schema) -> JointModel:
    """A model that goes on learning: it must know the types of the data; it is calibrated anew at the end."""
    model = load_model(folder)
    for kind, types, known in (
        ("entities", wanted.entity_types, model.schema.entity_types),
        ("relations", wanted.relation_types, model.schema.relation_types),
    ):
        if missing := sorted(set(types) - set(known)):
            raise UsageError(
                f"does not know the {kind} {', '.join(missing)} of the training data",
                where=str(folder),
                remedy="train without --from, or rename the types in the data",
            )
    model.relations.scorer.temperature.fill_(1.0)
    model.configure(config)
    return model


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
