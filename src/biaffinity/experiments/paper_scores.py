"""The numbers of Nguyen & Verspoor (ECIR 2019): percent, mean and standard deviation over ten seeds."""

from __future__ import annotations

from typing import NamedTuple


class PaperScore(NamedTuple):
    """A cell of one of the paper's tables."""

    mean: float
    deviation: float

    def holds(self, mean: float) -> bool:
        """Whether another mean is within one deviation of this one, both as they are printed.

        >>> PaperScore(86.2, 0.5).holds(86.74), PaperScore(86.2, 0.5).holds(86.76)
        (True, False)
        """
        return round(abs(round(mean, 1) - self.mean), 1) <= self.deviation

    def __str__(self) -> str:
        return f"{self.mean:.1f} ({self.deviation:.1f})"


#: Fingerprints, as `biaffinity.train` takes them, of the data: CoNLL04 in the split of Bekoulis (2018).
CORPUS = {
    "dev": "840e6d1fde0c52bc311405a7b3fe706f37134546de33dc496e2ae232379db49a",
    "test": "79a013a64a0e54d125fa0109f4a09ebaac3a02415b7ff014c974c27e3555573d",
}

Scores = dict[tuple[int, str], tuple[PaperScore, PaperScore]]


def _pair(entities: tuple[float, float], relations: tuple[float, float]) -> tuple[PaperScore, PaperScore]:
    return PaperScore(*entities), PaperScore(*relations)


#: Table 1, by setup and variant: entities (NER, or EC where boundaries are given) and relations.
TEST: Scores = {
    (1, "full"): _pair((86.2, 0.5), (64.4, 0.6)),
    (2, "full"): _pair((93.8, 0.4), (69.6, 0.7)),
}
#: Table 2.
DEV: Scores = {
    (1, "pipeline"): _pair((87.3, 0.6), (66.3, 0.8)),
    (2, "pipeline"): _pair((93.4, 0.6), (72.9, 0.6)),
    (1, "full"): _pair((87.1, 0.5), (66.9, 0.8)),
    (2, "full"): _pair((93.3, 0.5), (73.3, 0.6)),
    (1, "no-characters"): _pair((82.7, 0.5), (63.0, 0.7)),
    (2, "no-characters"): _pair((93.1, 0.6), (73.4, 0.8)),
    (1, "softmax"): _pair((86.4, 0.5), (66.0, 0.8)),
    (2, "softmax"): _pair((93.5, 0.4), (73.2, 0.6)),
    (1, "no-entity"): _pair((87.1, 0.5), (64.7, 0.9)),
    (2, "no-entity"): _pair((93.3, 0.6), (72.1, 0.7)),
    (1, "linear-only"): _pair((86.6, 0.5), (65.4, 0.7)),
    (2, "linear-only"): _pair((93.4, 0.5), (72.0, 0.7)),
    (1, "bilinear-only"): _pair((86.8, 0.6), (65.9, 0.7)),
    (2, "bilinear-only"): _pair((93.3, 0.5), (72.6, 0.5)),
}
PARTS = {"dev": DEV, "test": TEST}
#: How many seeds the paper's means are over.
SEEDS = 10
#: The stars of Table 2, by setup and variant, for entities and relations: a two-tailed paired t-test against
#: the full network, * p < 0.05, ** p < 0.01. What is not here has none.
MARKS: dict[tuple[int, str], tuple[str, str]] = {
    (1, "no-characters"): ("**", "**"),
    (1, "softmax"): ("*", "*"),
    (1, "no-entity"): ("", "**"),
    (2, "no-entity"): ("", "**"),
    (1, "linear-only"): ("", "**"),
    (2, "linear-only"): ("", "**"),
    (1, "bilinear-only"): ("", "*"),
    (2, "bilinear-only"): ("", "*"),
}


def paper_score(part: str, setup: int, variant: str, of: str) -> PaperScore | None:
    """What the paper has for ``entities`` or ``relations`` of a variant, if anything."""
    pair = PARTS.get(part, {}).get((setup, variant))
    return None if pair is None else pair[0 if of == "entities" else 1]


def paper_mark(setup: int, variant: str, of: str) -> str:
    """The stars of a cell of Table 2."""
    return MARKS.get((setup, variant), ("", ""))[0 if of == "entities" else 1]
