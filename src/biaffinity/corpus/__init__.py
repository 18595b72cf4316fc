"""A corpus looked at before training: `check` tells what it holds and what is wrong with it."""

from biaffinity.corpus.problem import Problem
from biaffinity.corpus.profile import SplitProfile
from biaffinity.corpus.report import CorpusReport, check
from biaffinity.corpus.splits import named

__all__ = ["CorpusReport", "Problem", "SplitProfile", "check", "named"]
