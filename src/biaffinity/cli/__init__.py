"""The command line: one thin file per command over functions that can be imported."""

from biaffinity.cli import check, convert, evaluate, export, extract, predict, score, train  # registers
from biaffinity.cli.app import main

__all__ = ["check", "convert", "evaluate", "export", "extract", "main", "predict", "score", "train"]
