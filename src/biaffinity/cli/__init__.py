"""The command line: one thin file per command over functions that can be imported."""

from biaffinity.cli import check, convert, evaluate, predict, score, train  # registers each command
from biaffinity.cli.app import main

__all__ = ["check", "convert", "evaluate", "main", "predict", "score", "train"]
