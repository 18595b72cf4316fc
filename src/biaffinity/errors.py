"""The errors a user can cause, each with what is wrong, where, and what to do about it; and one warning."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path


class BiaffinityError(Exception):
    """Base of every error that is the user's to mend; the command line prints it without a traceback.

    >>> str(BiaffinityError("no such file", where="train.jsonl", remedy="check the path"))
    'train.jsonl: no such file (check the path)'
    """

    def __init__(self, what: str, *, where: str | None = None, remedy: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        remedy = f" ({self.remedy})" if self.remedy else ""
        return f"{place}{self.what}{remedy}"

    def at(self, where: str) -> BiaffinityError:
        """The same error with its place in front: a record's field becomes a file's line and field."""
        self.where = f"{where}: {self.where}" if self.where else where
        return self


class BiaffinityWarning(UserWarning):
    """Something that was done other than a user may expect, and that cannot be seen in the result."""


class AnnotationError(BiaffinityError, ValueError):
    """An entity, relation, sentence or document that cannot be."""


class DataError(BiaffinityError, ValueError):
    """A file that cannot be read or written as what it claims to be."""


class UsageError(BiaffinityError, ValueError):
    """A request that makes no sense as put: an unknown format, an option out of range."""


class MissingExtraError(BiaffinityError, ImportError):
    """A feature whose optional dependency is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs an extra that is not installed",
            remedy=f"run: {_install_command()} 'biaffinity[{extra}]'",
        )


def _install_command() -> str:
    """The pip of this very Python: it adds an extra to a package from a clone, too, which no index has.

    An environment that uv has made has no pip.
    """
    python = sys.executable
    if python == shutil.which("python"):
        python = "python"
    elif python.startswith(here := f"{Path.cwd()}{os.sep}"):
        python = python.removeprefix(here)
    python = shlex.quote(python)
    return f"{python} -m pip install" if find_spec("pip") else f"uv pip install --python {python}"
