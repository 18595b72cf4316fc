"""Are two systems different over their seeds? The two-tailed paired t-test the paper reports.

And Welch's, for a system of which only mean and deviation are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biaffinity.errors import MissingExtraError, UsageError

# Scores that differ by less than this share of their size differ by rounding only.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class PairedTTest:
    """The mean difference over ``seeds`` pairs, its t statistic, and the two-tailed p-value."""

    difference: float
    t: float
    p: float
    seeds: int

    @property
    def stars(self) -> str:
        """``**`` where p < 0.01, ``*`` where p < 0.05, nothing otherwise."""
        return "**" if self.p < 0.01 else "*" if self.p < 0.05 else ""


def paired_t_test(scores: Sequence[float], others: Sequence[float]) -> PairedTTest:
    """Compare the scores of two systems, seed by seed; positive: the first system is better.

    Differences that are all the same leave no doubt: p is 0, or 1 where they are all zero.

    >>> result = paired_t_test([0.64, 0.65, 0.66, 0.64], [0.62, 0.64, 0.63, 0.63])
    >>> f"t = {result.t:.2f}, p = {result.p:.3f} {result.stars}"
    't = 3.66, p = 0.035 *'
    """
    first, second = np.asarray(scores, dtype=np.float64), np.asarray(others, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape or len(first) < 2:
        raise UsageError(
            f"a paired t-test needs two or more pairs of scores, not {first.size} and {second.size}",
            remedy="give one score per seed for each system, in the same order of seeds",
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise UsageError("a score is not a number", remedy="leave out the seeds that failed, on both sides")
    differences = first - second
    seeds, mean, deviation = len(differences), float(differences.mean()), float(differences.std(ddof=1))
    rounding = _ROUNDING * float(np.abs([first, second]).max())
    if abs(mean) <= rounding and deviation <= rounding:
        return PairedTTest(0.0, 0.0, 1.0, seeds)
    if deviation <= rounding:
        return PairedTTest(mean, float(np.copysign(np.inf, mean)), 0.0, seeds)
    t = mean / (deviation / seeds**0.5)
    return PairedTTest(mean, t, _two_tailed(t, seeds - 1), seeds)


def welch_p_value(one: tuple[float, float, int], other: tuple[float, float, int]) -> float:
    """The two-tailed p-value of Welch's t-test of two means; each is a mean, its deviation and the seeds.

    >>> round(welch_p_value((64.4, 0.6, 10), (62.4, 1.4, 10)), 4)
    0.0014
    """
    (mean, deviation, seeds), (other_mean, other_deviation, other_seeds) = one, other
    if min(seeds, other_seeds) < 2:
        raise UsageError("Welch's t-test needs two or more seeds of each system")
    variance, other_variance = deviation**2 / seeds, other_deviation**2 / other_seeds
    together = variance + other_variance
    if together == 0:
        return float(mean == other_mean)
    freedom = together**2 / (variance**2 / (seeds - 1) + other_variance**2 / (other_seeds - 1))
    return _two_tailed((mean - other_mean) / together**0.5, freedom)


def _two_tailed(t: float, freedom: float) -> float:
    """The probability of a t at least as far from zero."""
    try:
        from scipy.special import stdtr
    except ImportError:
        raise MissingExtraError("the t-test", "stats") from None
    return 2 * float(stdtr(freedom, -abs(t)))
