"""A new model for some training data: vocabulary, word vectors, and what cannot be represented."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch

from biaffinity.annotation import Sentence, outermost
from biaffinity.encoding.vectors import Coverage, WordVectors, coverage
from biaffinity.encoding.vocabulary import Vocabulary
from biaffinity.errors import DataError
from biaffinity.model.config import Config
from biaffinity.model.joint import JointModel


def build_model(
    config: Config, train: Sequence[Sentence], dev: Sequence[Sentence], vectors: WordVectors | None
) -> tuple[JointModel, Coverage | None]:
    """A model with fresh weights (from torch's current random state) and its vector coverage."""
    also = dev if config.encoding.vocabulary == "train+dev" else ()
    vocabulary = Vocabulary.build(train, config.encoding.normalisation, also)
    if not vocabulary.entity_types:
        raise DataError("the training data has no entity", remedy="run: biaffinity check TRAIN")
    if vectors is None:
        model = JointModel(config, vocabulary, config.vectors.size, torch.zeros(0, config.vectors.size))
        return model, None
    known = {word: row for word in vocabulary.words if (row := vectors.row(word)) is not None}
    unseen_rows = _unseen_rows(config, vectors, known)
    words = [vectors.words[row] for row in unseen_rows]
    vocabulary = Vocabulary(**{**vocabulary.to_dict(), "pairs": vocabulary.pairs, "unseen": words})
    unseen = torch.from_numpy(np.asarray(vectors.matrix[unseen_rows], dtype=np.float16))
    model = JointModel(config, vocabulary, vectors.dimension, unseen)
    numbers = [vocabulary.word(word) for word in known]
    model.start_words(numbers, np.asarray(vectors.matrix[list(known.values())], dtype=np.float32))
    counts = dict(zip(vocabulary.words, vocabulary.counts, strict=True))
    return model, coverage(counts, vectors)


def _unseen_rows(config: Config, vectors: WordVectors, known: dict[str, int]) -> list[int]:
    """Rows of the most frequent words outside the training data (files have them first)."""
    if config.vectors.unseen == "unk":
        return []
    taken = set(known.values())
    rows = (row for row in range(len(vectors)) if row not in taken)
    return [row for row, _ in zip(rows, range(config.vectors.keep), strict=False)]


def left_out(sentences: Sequence[Sentence]) -> dict[str, int]:
    """What flat entities and one class per pair cannot hold, counted by kind."""
    counts: Counter[str] = Counter()
    for sentence in sentences:
        kept = set(outermost(sentence.entities))
        counts["entities inside or across others"] += len(sentence.entities) - len(kept)
        pairs = [(r.head, r.tail) for r in sentence.relations if r.head in kept and r.tail in kept]
        counts["relations of those"] += len(sentence.relations) - len(pairs)
        counts["second relations of one pair"] += len(pairs) - len(set(pairs))
        counts["sentences without tokens"] += not len(sentence)
    return {kind: count for kind, count in counts.items() if count}
