"""What counts as correct: pure functions on sentences, then the score sheet.

`score` does it all at once. `count` and then `ScoreSheet.of`, `with_intervals` or `compare` do it in steps,
so that the sentences are walked once however much is asked about them.
"""

from biaffinity.scoring.comparison import Comparison, Difference, compare
from biaffinity.scoring.pairing import MismatchError
from biaffinity.scoring.resampling import with_intervals
from biaffinity.scoring.sheet import Score, ScoreSheet, score, score_with_confusions
from biaffinity.scoring.significance import PairedTTest, paired_t_test
from biaffinity.scoring.tally import Tally, count

__all__ = [
    "Comparison",
    "Difference",
    "MismatchError",
    "PairedTTest",
    "Score",
    "ScoreSheet",
    "Tally",
    "compare",
    "count",
    "paired_t_test",
    "score",
    "score_with_confusions",
    "with_intervals",
]
