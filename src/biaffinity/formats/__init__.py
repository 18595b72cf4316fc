"""One module per file format, each with ``read`` and ``write``; here they are called by name.

A file to read tells its format itself, by its content; a file to write, by its name. Both ways stream:
a file of any length is handled sentence by sentence. What a format cannot hold, and what had to be
changed, is counted in a `Report`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Protocol

from biaffinity.annotation import Sentence
from biaffinity.errors import DataError, UsageError
from biaffinity.formats import brat, conll, corp, doccano, dygie, jsonl, labelstudio, multihead, spert
from biaffinity.formats.detection import Sample
from biaffinity.formats.machine import Machine
from biaffinity.formats.report import Report

__all__ = [
    "FORMATS",
    "AnnotationTool",
    "Format",
    "Machine",
    "RawTextFormat",
    "Report",
    "detect",
    "format_for",
    "names",
    "read",
    "write",
]

SAY_FROM = "--from FORMAT, or format= in Python"
SAY_TO = "--to FORMAT, or format= in Python"


class Format(Protocol):
    """What every module of a format has."""

    @property
    def NAME(self) -> str:  # noqa: N802
        """What the format is called on the command line."""

    @property
    def DESCRIPTION(self) -> str:  # noqa: N802
        """The format in one line."""

    @property
    def SUFFIXES(self) -> tuple[str, ...]:  # noqa: N802
        """How its files' names may end."""

    def read(self, path: Path, report: Report) -> Iterator[Sentence]:
        """The sentences of a file, one by one; after an error in one record, the next can still be read."""

    def write(self, path: Path, sentences: Iterable[Sentence], report: Report) -> None:
        """A file of the sentences; it appears under its name only when it is whole."""

    def recognises(self, sample: Sample) -> bool:
        """Whether what stands at a path looks like this format."""


class RawTextFormat(Format, Protocol):
    """What the module of a format has whose texts are not cut into sentences yet."""

    def read(self, path: Path, report: Report, *, split: bool = True) -> Iterator[Sentence]:
        """The same; without ``split`` a text stays one sentence."""


class AnnotationTool(Format, Protocol):
    """What the module of a tool's format has, where people are to see who has labelled what."""

    def write(
        self, path: Path, sentences: Iterable[Sentence], report: Report, *, by: Machine | None = None
    ) -> None:
        """The same; labels ``by`` a model are marked as such, with their scores."""


_MODULES: tuple[Format, ...] = (jsonl, multihead, corp, spert, dygie, conll, brat, doccano, labelstudio)
_RAW_TEXT: tuple[RawTextFormat, ...] = (jsonl, brat, doccano, labelstudio)
_TOOLS: tuple[AnnotationTool, ...] = (brat, doccano, labelstudio)
FORMATS: dict[str, Format] = {module.NAME: module for module in _MODULES}
RAW_TEXT_FORMATS: dict[str, RawTextFormat] = {module.NAME: module for module in _RAW_TEXT}


def names() -> list[str]:
    """The names of all formats."""
    return list(FORMATS)


def detect(path: Path | str) -> str:
    """The name of the format that a file or folder is in, told by its content.

    Its name counts only where the content leaves it open: an empty file, or one too damaged to tell.
    """
    path = _readable(path)
    sample = Sample.of(path)
    fitting = _recognising(sample)
    if len(fitting) > 1 and not sample.is_whole:  # a record further on may have what tells them apart
        fitting = _recognising(Sample.of(path, records=None))
    named = _by_name(path, fitting or names()) if fitting or sample.record is None else []
    for told in (fitting, named):
        if len(told) == 1:
            return told[0]
    if fitting or sample.is_blank:
        what = f"may be {' or '.join(fitting or named)}" if fitting or named else "is empty"
        raise UsageError(what, where=str(path), remedy=f"say which format it is: {SAY_FROM}")
    what = "is a folder of no known format" if sample.is_folder else "is in no known format"
    raise DataError(what, where=str(path), remedy=f"known are: {', '.join(names())}")


def format_for(path: Path | str, name: str | None = None) -> str:
    """The name of the format to write a file in: the one given, or the one its own name tells."""
    if name is not None:
        return _known(name).NAME
    named = _by_name(Path(path), names())
    if not named:
        raise UsageError(
            "does not tell its format by its name",
            where=str(path),
            remedy=f"say which: {SAY_TO}; known are: {', '.join(names())}",
        )
    if len(named) > 1:
        raise UsageError(f"may be {' or '.join(named)}", where=str(path), remedy=f"say which: {SAY_TO}")
    return named[0]


def read(
    path: Path | str, format: str | None = None, report: Report | None = None, *, split: bool = True
) -> Iterator[Sentence]:
    """The sentences of a file or folder, one by one, in the format given or the one it is seen to be in.

    Raw text is cut into sentences; without ``split`` a document stays one, so that relations across
    sentences are kept. A sentence or document that is wrong is an error, after which `next` gives the one
    that follows it, unless the file cannot be read further.
    """
    module = _known(format or detect(path))
    path, report = _readable(path), Report() if report is None else report
    if split:
        return module.read(path, report)
    if module.NAME not in RAW_TEXT_FORMATS:
        raise UsageError(
            f"{module.NAME} holds sentences, not whole documents",
            where=str(path),
            remedy=f"leave out --whole, in Python split=False: it is for {', '.join(RAW_TEXT_FORMATS)}",
        )
    return RAW_TEXT_FORMATS[module.NAME].read(path, report, split=False)


def write(
    path: Path | str,
    sentences: Iterable[Sentence],
    format: str | None = None,
    report: Report | None = None,
    *,
    by: Machine | None = None,
) -> None:
    """Write sentences in the format given or the one the path's name tells.

    Nothing stands at the path before all is written; on an error, what stood there is untouched. An
    annotation tool (brat, doccano, Label Studio) is told whether they were labelled ``by`` a model.
    """
    module = _known(format_for(path, format))
    path, report = Path(path), Report() if report is None else report
    for tool in _TOOLS:
        if tool.NAME == module.NAME:
            return tool.write(path, sentences, report, by=by)
    return module.write(path, sentences, report)


def _recognising(sample: Sample) -> list[str]:
    """The names of the formats that take the sample for their own."""
    return [name for name, module in FORMATS.items() if module.recognises(sample)]


def _readable(path: Path | str) -> Path:
    """The path, unless what stands there gives its bytes only once: looking ahead would lose them."""
    path = Path(path)
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise DataError(
            "is a pipe or a device, a file is needed here",
            where=str(path),
            remedy="write its content to a file first",
        )
    return path


def _known(name: str) -> Format:
    if name in FORMATS:
        return FORMATS[name]
    near = get_close_matches(name, names(), n=1)
    guess = f"did you mean {near[0]}? " if near else ""
    raise UsageError(f"unknown format {name!r}", remedy=f"{guess}known are: {', '.join(names())}")


def _by_name(path: Path, candidates: Collection[str]) -> list[str]:
    """The formats that a file's name speaks for: ``news.spert.json`` says it, ``.json`` leaves it open."""
    for suffix in path.suffixes:
        if suffix[1:].lower() in candidates:
            return [suffix[1:].lower()]
    return [name for name in candidates if path.suffix.lower() in FORMATS[name].SUFFIXES]
