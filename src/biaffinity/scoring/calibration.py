"""How far a score can be trusted: of all that is found with a score near s, is the share s right?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from biaffinity.annotation import Sentence
from biaffinity.scoring.judged import is_judged_entity, is_judged_relation
from biaffinity.scoring.matching import strict_entities, strict_relations
from biaffinity.scoring.pairing import paired

#: Bins of equal width between 0 and 1.
BINS = 10


@dataclass(frozen=True, slots=True)
class Judged:
    """The scores of what was found, each with whether it is right: strict, as in the score sheet."""

    entities: list[tuple[float, bool]]
    relations: list[tuple[float, bool]]


@dataclass(frozen=True, slots=True)
class Bin:
    """Scores from ``low`` to ``high``: how many, their mean, and the share that is right."""

    low: float
    high: float
    count: int
    mean_score: float
    right: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Scores against what came true.

    ``error`` is the expected calibration error: the mean distance between the share that is right and
    the mean score, over bins weighted by their number. ``brier`` is the mean squared distance of a score
    from 1 where it is right and from 0 where it is wrong, ``log_loss`` the mean surprise in nats.
    """

    count: int
    mean_score: float
    right: float
    error: float
    brier: float
    log_loss: float
    bins: tuple[Bin, ...]


def judge(gold: Iterable[Sentence], found: Iterable[Sentence]) -> Judged:
    """What was found with a score, and whether gold has it too.

    What has no score, and what nobody judged, is passed over.
    """
    judged = Judged([], [])
    for wanted, sentence in paired(gold, found):
        entities, relations = strict_entities(wanted), strict_relations(wanted)
        for entity in sentence.entities:
            if entity.score is not None and is_judged_entity(wanted, entity):
                right = strict_entities(sentence.annotated([entity])) <= entities
                judged.entities.append((entity.score, right))
        for relation in sentence.relations:
            if relation.score is None or not is_judged_relation(wanted, sentence, relation):
                continue
            right = strict_relations(sentence.annotated(sentence.entities, [relation])) <= relations
            judged.relations.append((relation.score, right))
    return judged


def calibrate(judged: Iterable[tuple[float, bool]]) -> Calibration:
    """The calibration of scores; bins without a score are left out.

    >>> half = calibrate([(0.5, True), (0.5, False), (1.0, True), (1.0, False)])
    >>> half.error, half.brier, [(one.count, one.right) for one in half.bins]
    (0.25, 0.375, [(2, 0.5), (2, 0.5)])
    """
    pairs = np.array(list(judged), dtype=np.float64).reshape(-1, 2)
    if not len(pairs):
        return Calibration(0, 0.0, 0.0, 0.0, 0.0, 0.0, ())
    scores, right = pairs.T
    place = np.minimum((scores * BINS).astype(np.int64), BINS - 1)
    bins = tuple(
        Bin(
            number / BINS,
            (number + 1) / BINS,
            int(chosen.sum()),
            float(scores[chosen].mean()),
            float(right[chosen].mean()),
        )
        for number in range(BINS)
        if (chosen := place == number).any()
    )
    # A score of just 0 or 1 that is wrong would be an infinite surprise.
    came_true = np.where(right > 0, scores, 1 - scores).clip(min=1e-6)
    return Calibration(
        count=len(pairs),
        mean_score=float(scores.mean()),
        right=float(right.mean()),
        error=sum(one.count * abs(one.right - one.mean_score) for one in bins) / len(pairs),
        brier=float(np.mean((scores - right) ** 2)),
        log_loss=float(-np.log(came_true).mean()),
        bins=bins,
    )
