"""``biaffinity convert``: from any format to any other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TextColumn
from rich.text import Text

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.cli.app import app
from biaffinity.cli.console import counted, talk, tell
from biaffinity.cli.options import Whole
from biaffinity.cli.output import STDOUT, target_format, write_sentences
from biaffinity.errors import UsageError

_HELP = "\n\n".join(
    (
        "Convert annotated text of any size from one format to another.",
        "The format of SRC is told by its content, that of DST by its name ([bold]news.spert.json[/bold], "
        "[bold]news.corp[/bold]); --from and --to overrule. What DST has no place for is counted and named "
        "at the end. If SRC turns out to be broken, DST is left as it was.",
        "Example: [bold]biaffinity convert conll04.corp conll04.jsonl[/bold]",
        "Example: [bold]biaffinity convert my_brat_folder train.json --to spert[/bold]",
        "The formats:",
        *(f"[bold]{name}[/bold] {escape(module.DESCRIPTION)}" for name, module in formats.FORMATS.items()),
    )
)


@dataclass(frozen=True, slots=True)
class Conversion:
    """What a conversion did: sentences written, the formats, and what could not be carried over."""

    sentences: int
    source_format: str
    target_format: str
    report: formats.Report


def convert_file(
    source: Path,
    target: Path,
    source_format: str | None = None,
    to: str | None = None,
    *,
    split: bool = True,
) -> Conversion:
    """Convert a file or folder; ``-`` as target is stdout, as our JSON lines.

    Without ``split`` a document of raw text stays one sentence.
    """
    form = target_format(target, to)
    source_format = source_format or formats.detect(source)
    if target.exists() and source.exists() and target.samefile(source):
        raise UsageError("is to be read and written at once", where=str(source), remedy="name another DST")
    report, counter = formats.Report(), _Counter()
    sentences = counter.counted(formats.read(source, source_format, report, split=split))
    write_sentences(target, sentences, form, report)
    return Conversion(counter.count, source_format, form, report)


@app.command(help=_HELP, no_args_is_help=True)
def convert(
    source: Annotated[Path, typer.Argument(metavar="SRC", help="A file, or a folder for brat.")],
    target: Annotated[Path, typer.Argument(metavar="DST", help="What to write; - is stdout, as jsonl.")],
    source_format: Annotated[
        str | None,
        typer.Option("--from", metavar="FORMAT", help="The format of SRC.", show_default="seen in SRC"),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="FORMAT", help="The format of DST.", show_default="told by its name"),
    ] = None,
    whole: Whole = False,
) -> None:
    """Convert annotated text from one format to another."""
    done = convert_file(source, target, source_format, to, split=not whole)
    place = "stdout" if target == STDOUT else target
    formats_named = f"{done.source_format} to {done.target_format}"
    tell(f"{counted(done.sentences, 'sentence')} written to {place} ({formats_named})")
    if done.report:
        tell("could not be carried over as it stood:")
        for line in done.report.lines():
            tell(f"  {line}")


class _Counter:
    """Counts sentences as they pass, and shows on a terminal how many and how fast."""

    def __init__(self) -> None:
        self.count = 0

    def counted(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """The sentences as they come."""
        columns = (SpinnerColumn(), TextColumn("{task.completed:,} sentences"), _Rate())
        with Progress(*columns, console=talk, transient=True, disable=not talk.is_terminal) as progress:
            task = progress.add_task("convert", total=None)
            for sentence in sentences:
                yield sentence
                self.count += 1
                progress.advance(task)


class _Rate(ProgressColumn):
    """Sentences per second."""

    def render(self, task: Task) -> Text:
        """The rate, once it is known."""
        return Text(f"{task.speed:,.0f}/s" if task.speed else "")
