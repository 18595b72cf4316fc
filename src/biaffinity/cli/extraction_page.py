"""The page of drawings of an extraction: written while documents come, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from biaffinity.cli.console import counted, talk, tell
from biaffinity.files import writing

if TYPE_CHECKING:
    from biaffinity.annotation import Document
    from biaffinity.bulk.run import TextExtractor
    from biaffinity.bulk.sources import Inputs
    from biaffinity.show.palette import Palette

T = TypeVar("T")
_TITLE = "Entities and relations"


class Drawings:
    """A page to add drawings to, one after the other; a type has one colour on all of it."""

    def __init__(self, folder: Path, write: Callable[[str], object]) -> None:
        from biaffinity.config.folder import read_description
        from biaffinity.show.palette import Palette

        schema = read_description(folder).decoding.schema
        self.palette = Palette.of(schema.entity_types, schema.relation_types)
        self.add = write

    def beside(self, render: Callable[[Document], T]) -> Callable[[Document], tuple[T, str]]:
        """A function that gives what a document becomes elsewhere, and its drawing."""
        return partial(_with_drawing, render, self.palette)


@contextmanager
def page_of_drawings(path: Path, folder: Path) -> Iterator[Drawings]:
    """A page for the documents of a model; it takes its name when the block ends well."""
    from biaffinity.show.page import beginning, ending

    with writing(path) as file:
        drawings = Drawings(folder, file.write)
        file.write(beginning(_TITLE))
        yield drawings
        file.write(ending(drawings.palette))


def extract_to_page(
    inputs: Inputs, path: Path, folder: Path, load: Callable[[], TextExtractor], workers: int
) -> int:
    """Write a page of all documents with progress; the number of those left out."""
    from biaffinity.bulk.run import Advanced, Noted, Skipped, Started, annotate_all
    from biaffinity.cli.extraction_progress import ExtractionDisplay

    drawn = skipped = 0
    with (
        page_of_drawings(path, folder) as drawings,
        closing(annotate_all(inputs, load, partial(_drawing, drawings.palette), workers)) as batches,
        ExtractionDisplay(talk) as display,
    ):
        display(Started(inputs.size(), 0))
        for batch in batches:
            for drawing in batch.records:
                drawings.add(drawing)
            for note in batch.notes:
                display(Noted(note))
            for fault in batch.faults:
                display(Skipped(fault.problem))
            display(Advanced(batch.documents, batch.tokens, batch.read))
            drawn, skipped = drawn + len(batch.records), skipped + len(batch.faults)
    left_out = f" ({skipped:,} left out)" if skipped else ""
    tell(f"{counted(drawn, 'document')} drawn in {path}{left_out}")
    return skipped


def _with_drawing(render: Callable[[Document], T], palette: Palette, document: Document) -> tuple[T, str]:
    """Made together, where the document was annotated."""
    return render(document), _drawing(palette, document)


def _drawing(palette: Palette, document: Document) -> str:
    from biaffinity.show.page import figure

    return figure(document, palette)
