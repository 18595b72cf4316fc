"""A folder of labels: text as teachers have read it, to be looked at, gone on with and used again.

LABELS/labels.json                    who labelled what, and how it was voted: what must stay the same
LABELS/sentences.jsonl                the text, cut into sentences and tokens
LABELS/teacher-1/part-00001.jsonl     what the first teacher found in the first of them, with scores
LABELS/labelled.jsonl                 what the teachers agree on
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.distillation.teachers import Teacher, Types, signed
from biaffinity.errors import DataError, UsageError
from biaffinity.files import read_json, read_lines, writing
from biaffinity.formats.jsonl import NAME as JSONL

RECORD = "labels.json"
SENTENCES = "sentences.jsonl"
LABELLED = "labelled.jsonl"
#: What the record says from the beginning.
FACTS = {"teachers", "types", "text", "vote"}


class Labels:
    """The folder and its record; a step is done once its files are whole and the record says so."""

    def __init__(self, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise UsageError("is a file, a folder of labels is to be here", where=str(folder))
        self.folder = folder
        self.record: dict[str, Any] = read_json(folder / RECORD) if (folder / RECORD).exists() else {}
        if self.record and not self.record.keys() >= FACTS:
            raise DataError(
                "is no record of labels", where=str(folder / RECORD), remedy="name another folder"
            )

    @property
    def begun(self) -> bool:
        """Whether an earlier run has read the text: then teachers, text and vote must stay the same."""
        return bool(self.record)

    @property
    def complete(self) -> bool:
        """Whether the teachers have voted: then no teacher is needed any more."""
        return "labelled" in self.record

    @property
    def types(self) -> Types:
        """The types that the teachers know."""
        return Types(**self.record["types"])

    @property
    def sentences(self) -> Path:
        """The file of the sentences that teachers read."""
        return self.folder / SENTENCES

    @property
    def labelled(self) -> Path:
        """The file of what they agree on."""
        return self.folder / LABELLED

    def note(self, **facts: Any) -> None:
        """Add to the record."""
        self.record |= facts
        with writing(self.folder / RECORD) as file:
            json.dump(self.record, file, indent=2, ensure_ascii=False)
            file.write("\n")

    def begin(self, teachers: Sequence[Teacher], vote: float, **text: Any) -> None:
        """Write down who will label which text, whose sentences are whole, and how it is voted."""
        self.note(
            teachers=[{"name": teacher.name, "weights": teacher.weights} for teacher in teachers],
            types=asdict(teachers[0].types),
            text=text,
            vote=vote,
        )

    def require_same(self, teachers: Sequence[Teacher], vote: float | None, text: str | None) -> None:
        """Refuse labels of other teachers, of another vote, or of a text with another digest.

        What is not given (no teacher, None) is taken as it was.
        """
        differences = []
        made_by = self.record["teachers"]
        if teachers and [known["weights"] for known in made_by] != [teacher.weights for teacher in teachers]:
            before = ", ".join(signed(known["name"], known["weights"]) for known in made_by)
            now = ", ".join(signed(teacher.name, teacher.weights) for teacher in teachers)
            differences.append(f"by {before}, not by {now}")
        if vote is not None and vote != self.record["vote"]:
            differences.append(f"voted at {self.record['vote']}, not at {vote}")
        if text is not None and text != (before := self.record["text"]["digest"]):
            differences.append(f"of a text with the digest {before}, not {text}")
        if differences:
            raise UsageError(
                f"holds other labels: {'; '.join(differences)}",
                where=str(self.folder),
                remedy="give the same teachers, text and vote as before, or another folder: --labels DIR",
            )

    def parts(self, teacher: int) -> list[Path]:
        """What a teacher, counted from 1, has written, in order."""
        return sorted((self.folder / f"teacher-{teacher}").glob("part-*.jsonl"))

    def done(self, teacher: int) -> int:
        """The sentences that a teacher has read."""
        return sum(1 for part in self.parts(teacher) for _ in read_lines(part))

    def missing(self, teacher: int, size: int) -> list[int]:
        """The numbers, from 1, of the parts of so many sentences that a teacher has not read."""
        parts = -(-self.record["text"]["sentences"] // size)
        return [n for n in range(1, parts + 1) if not self._part(teacher, n).exists()]

    def write_part(self, teacher: int, number: int, sentences: Iterable[Sentence]) -> None:
        """Write a part of a teacher's, whole or not at all."""
        formats.write(self._part(teacher, number), sentences)

    def _part(self, teacher: int, number: int) -> Path:
        return self.folder / f"teacher-{teacher}" / f"part-{number:05d}.jsonl"

    def places(self, size: int) -> list[int]:
        """The bytes where parts of so many sentences begin in the file of sentences, and where it ends."""
        places, read = [0], 0
        with self.sentences.open("rb") as file:
            for number, line in enumerate(file, start=1):
                read += len(line)
                if number % size == 0:
                    places.append(read)
        return places if places[-1] == read else [*places, read]

    def read_part(self, number: int, places: Sequence[int]) -> list[Sentence]:
        """The sentences of a part, which teachers read."""
        start, end = places[number - 1 : number + 1]
        with self.sentences.open("rb") as file:
            file.seek(start)
            lines = file.read(end - start).splitlines()
        return [Sentence.from_dict(json.loads(line)) for line in lines]

    def read_together(self, number: int, places: Sequence[int]) -> Iterator[tuple[Sentence, list[Sentence]]]:
        """Each sentence of a part with what every teacher found in it."""
        teachers = range(1, len(self.record["teachers"]) + 1)
        files = [formats.read(self._part(teacher, number), JSONL) for teacher in teachers]
        for sentence in self.read_part(number, places):
            readings = []
            for teacher, file in zip(teachers, files, strict=True):
                reading = next(file, None)
                if reading is None or reading.tokens != sentence.tokens:
                    raise DataError(
                        f"does not hold the sentence {sentence.id!r} of {SENTENCES} in its place",
                        where=str(self.folder / f"teacher-{teacher}"),
                        remedy="delete that folder, then --resume lets the teacher read again",
                    )
                readings.append(reading)
            yield sentence, readings

    def remove_unfinished_files(self) -> None:
        """Remove what a killed process left of files that it was writing."""
        for leftover in self.folder.rglob(".*.part"):
            leftover.unlink(missing_ok=True)
