"""The command line: one thin file per command over functions that can be imported."""

from biaffinity.cli import (  # each registers itself
    check,
    convert,
    distil,
    evaluate,
    export,
    extract,
    gather,
    predict,
    push,
    recipes,
    report,
    reproduce,
    score,
    serve,
    split,
    train,
    verify,
)
from biaffinity.cli.app import main

__all__ = [
    "check",
    "convert",
    "distil",
    "evaluate",
    "export",
    "extract",
    "gather",
    "main",
    "predict",
    "push",
    "recipes",
    "report",
    "reproduce",
    "score",
    "serve",
    "split",
    "train",
    "verify",
]
