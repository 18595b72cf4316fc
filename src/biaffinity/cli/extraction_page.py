"""The page of drawings of an extraction: written while documents come, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from biaffinity.cli.console import counted, talk, tell
from biaffinity.files import writing

if TYPE_CHECKING:
    from biaffinity.annotation import Document
    from biaffinity.bulk.run import TextExtractor
    from biaffinity.bulk.sources import Inputs

T = TypeVar("T")
_TITLE = "Entities and relations"


@contextmanager
def page_of_drawings(path: Path) -> Iterator[Callable[[str], object]]:
    """A page to add drawings to, one after the other; it takes its name when the block ends well."""
    from biaffinity.show.page import END, beginning

    with writing(path) as file:
        file.write(beginning(_TITLE))
        yield file.write
        file.write(END)


def with_drawing(render: Callable[[Document], T], document: Document) -> tuple[T, str]:
    """What a document becomes elsewhere, and its drawing; made together, where it was annotated."""
    return render(document), _drawing(document)


def extract_to_page(inputs: Inputs, path: Path, load: Callable[[], TextExtractor], workers: int) -> int:
    """Write a page of all documents with progress; the number of those left out."""
    from biaffinity.bulk.run import Advanced, Noted, Skipped, Started, annotate_all
    from biaffinity.cli.extraction_progress import ExtractionDisplay

    drawn = skipped = 0
    with (
        page_of_drawings(path) as draw,
        closing(annotate_all(inputs, load, _drawing, workers)) as batches,
        ExtractionDisplay(talk) as display,
    ):
        display(Started(inputs.size(), 0))
        for batch in batches:
            for drawing in batch.records:
                draw(drawing)
            for note in batch.notes:
                display(Noted(note))
            for fault in batch.faults:
                display(Skipped(fault.problem))
            display(Advanced(batch.documents, batch.tokens, batch.read))
            drawn, skipped = drawn + len(batch.records), skipped + len(batch.faults)
    left_out = f" ({skipped:,} left out)" if skipped else ""
    tell(f"{counted(drawn, 'document')} drawn in {path}{left_out}")
    return skipped


def _drawing(document: Document) -> str:
    from biaffinity.show.page import figure

    return figure(document)
