"""The command line: one thin file per command over functions that can be imported."""

from biaffinity.cli import (  # each registers itself
    check,
    convert,
    evaluate,
    export,
    extract,
    predict,
    reproduce,
    score,
    train,
)
from biaffinity.cli.app import main

__all__ = [
    "check",
    "convert",
    "evaluate",
    "export",
    "extract",
    "main",
    "predict",
    "reproduce",
    "score",
    "train",
]
