"""What the start of a file looks like, so that every format can say whether it is its own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from biaffinity.annotation.sentence import Json
from biaffinity.errors import BiaffinityError
from biaffinity.files import existing_file, refused
from biaffinity.formats.piecewise import with_errors
from biaffinity.formats.records import is_array, json_records

SAMPLE_BYTES = 1 << 16
SAMPLE_RECORDS = 50
# An opening brace or bracket may also be the first token of a column file; what follows it tells.
JSON_START = re.compile(r"\s*(\{\s*([\"}]|$)|\[\s*([{\]]|$))")


@dataclass(frozen=True, slots=True)
class Sample:
    """The start of a file, or a folder.

    ``text`` is the first 64 KB. ``record`` is a JSON object of the file, None where it is not JSON: of
    the first records the one with the most non-empty fields, so that one without annotation does not
    hide how annotation is written. ``is_array`` tells a JSON array from JSON lines, ``is_whole`` whether
    the file has no further records.
    """

    path: Path
    is_folder: bool = False
    text: str = ""
    record: Json | None = None
    is_array: bool = False
    is_whole: bool = True

    @classmethod
    def of(cls, path: Path, records: int | None = SAMPLE_RECORDS) -> Sample:
        """The sample of what stands at a path, of so many records or of all (None).

        JSON with no record that can be read is an error.
        """
        if path.is_dir():
            return cls(path, is_folder=True)
        try:
            with existing_file(path).open("rb") as file:
                start = file.read(SAMPLE_BYTES)
        except OSError as error:
            raise refused("read", path, error) from error
        # Bytes that are not UTF-8 are the reader's to report, with their line.
        text = start.decode("utf-8-sig", errors="replace")
        if not JSON_START.match(text):
            return cls(path, text=text)
        fullest: Json | None = None
        broken: BiaffinityError | None = None
        stream = with_errors(json_records(path))
        for item in islice(stream, records):
            if isinstance(item, BiaffinityError):
                broken = broken or item
            elif fullest is None or _fullness(item[1]) > _fullness(fullest):
                fullest = item[1]
        if fullest is None and broken is not None:
            raise broken
        is_whole = next(stream, None) is None
        return cls(path, text=text, record=fullest, is_array=is_array(path), is_whole=is_whole)

    @property
    def is_blank(self) -> bool:
        """Whether nothing is there to tell a format by: white space alone, or an array without objects."""
        return not self.is_folder and self.record is None and self.text.strip(" \t\r\n[]") == ""

    @property
    def lines(self) -> list[str]:
        """The lines of the text that are not blank and that it holds whole."""
        whole = self.text if len(self.text.encode()) < SAMPLE_BYTES else self.text.rpartition("\n")[0]
        return [line for line in whole.split("\n") if line.strip()]


def _fullness(record: Json) -> int:
    """How many fields of a record are not empty."""
    return sum(map(bool, record.values()))
