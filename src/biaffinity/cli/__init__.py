"""The command line: one thin file per command over functions that can be imported."""

from biaffinity.cli.app import main

__all__ = ["main"]
