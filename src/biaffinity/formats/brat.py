"""brat standoff: a folder of pairs, ``NAME.txt`` with the text and ``NAME.ann`` with its annotation.

``T1<TAB>Peop 0 8<TAB>Ana Ruiz`` is an entity, ``R1<TAB>Work_For Arg1:T1 Arg2:T2<TAB>`` a relation.
Offsets count code points of the text file, its line ends as they stand. A text's path in the folder,
without the suffix, is its document's id.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path

from biaffinity.annotation import Document, Sentence, documents
from biaffinity.errors import DataError, UsageError
from biaffinity.files import read_lines, read_text, refused
from biaffinity.formats.alignment import CharEntity, CharRelation, align, characters
from biaffinity.formats.detection import Sample
from biaffinity.formats.machine import Machine
from biaffinity.formats.piecewise import Piecewise
from biaffinity.formats.report import Report

NAME = "brat"
DESCRIPTION = "brat standoff: a folder of .txt files, each with its .ann file"
SUFFIXES = (".brat",)

# What an .ann line can hold, by its first character, that a sentence cannot.
FOREIGN = {
    "E": "event left out (its trigger is kept as an entity)",
    "A": "attribute left out",
    "M": "modification left out",
    "N": "normalisation left out",
    "*": "equivalence left out",
    "#": "note left out",
}
SPAN = r"-?\d{1,18} -?\d{1,18}"
ENTITY = re.compile(rf"(T\S*)\t(\S+) ({SPAN}(?:;{SPAN})*)(?:\t(.*))?")
RELATION = re.compile(r"R\S*\t(\S+) (\S+):(\S+) (\S+):(\S+)\s*")
# Characters that a file system may not have in a name, and the dot that hides a file.
UNFIT = re.compile(r'[\x00-\x1f\x7f\ud800-\udfff<>:"|?*\\]|^\.')
LONGEST_NAME = 200  # bytes; file systems take 255, and the file has other names while it is written


def read(path: Path, report: Report, *, split: bool = True) -> Iterator[Sentence]:
    """The sentences of a folder's texts, sub-folders included, or of one pair of files.

    Without ``split`` every text is one sentence, so relations across sentences are kept.
    """
    return Piecewise(_texts(path), partial(_sentences, report=report, split=split))


def write(path: Path, sentences: Iterable[Sentence], report: Report, *, by: Machine | None = None) -> None:
    """One pair of files per document, in a new or empty folder that appears only when it is whole.

    With them goes annotation.conf, which tells brat the types. Labels ``by`` a model have a note each, with
    its version and their score.
    """
    with _writing_folder(path) as folder:
        taken: Counter[str] = Counter()
        entity_types = dict.fromkeys(by.entity_types if by else ())
        relation_types = dict.fromkeys(by.relation_types if by else ())
        for document in documents(sentences):
            entity_types |= dict.fromkeys(entity.type for entity in document.entities)
            relation_types |= dict.fromkeys(relation.type for relation in document.relations)
            pair = folder / _file_name(document.id, taken, report)
            pair.parent.mkdir(parents=True, exist_ok=True)
            pair.with_name(f"{pair.name}.txt").write_bytes(document.text.encode())
            pair.with_name(f"{pair.name}.ann").write_bytes("".join(_lines(document, report, by)).encode())
        (folder / "annotation.conf").write_bytes(_configuration(entity_types, relation_types).encode())


def recognises(sample: Sample) -> bool:
    """A folder with an .ann or .txt file somewhere in it, or an .ann file."""
    if sample.is_folder:
        return any(next(sample.path.rglob(f"*.{suffix}"), None) for suffix in ("ann", "txt"))
    return sample.path.suffix == ".ann"


@dataclass(slots=True)
class _Annotation:
    """What the lines of one .ann file say about its text."""

    text: str
    report: Report
    entities: list[CharEntity] = field(default_factory=list)
    relations: list[CharRelation] = field(default_factory=list)
    events: set[str] = field(default_factory=set)

    def add(self, line: str, where: str) -> None:
        """Take in one line."""
        kind = line[:1]
        if kind == "T":
            self._add_entity(line, where)
        elif kind == "R":
            self._add_relation(line, where)
        elif kind in FOREIGN:
            self.report.note(FOREIGN[kind], where)
            if kind == "E":
                self.events.add(line.split("\t")[0])
        elif line.strip():
            raise DataError(
                f"not a line of an .ann file: {line!r:.60}",
                where=where,
                remedy="a line starts with T, R, E, A, M, N, * or #",
            )

    def kept_relations(self) -> Iterator[CharRelation]:
        """The relations between entities; an event is not carried over, nor a relation to one."""
        for relation in self.relations:
            if self.events.isdisjoint((relation.head, relation.tail)):
                yield relation
            else:
                self.report.note("relation to an event left out", relation.where)

    def _add_entity(self, line: str, where: str) -> None:
        match = ENTITY.fullmatch(line)
        if match is None:
            raise DataError(
                f"not an entity line: {line!r:.60}",
                where=where,
                remedy="it reads T1<TAB>TYPE START END<TAB>TEXT",
            )
        key, type_, offsets, shown = match.groups()
        parts = sorted((int(start), int(end)) for start, end in (p.split() for p in offsets.split(";")))
        for start, end in parts:
            if len(parts) > 1 and start >= end:
                raise DataError(
                    f"entity part {start}..{end} is empty or reversed",
                    where=where,
                    remedy="correct its offsets: the start comes before the end, which is exclusive",
                )
        for (_, before), (after, _) in pairwise(parts):
            # brat also cuts a span at every line break; then only white space lies between the parts.
            if self.text[before:after].strip():
                self.report.note("discontinuous entity: taken from its first to its last part", where)
                break
        if shown is not None and shown.split() != " ".join(self.text[a:b] for a, b in parts).split():
            self.report.note("entity's text in .ann differs from .txt: its offsets are followed", where)
        self.entities.append(CharEntity(parts[0][0], max(end for _, end in parts), type_, key, where))

    def _add_relation(self, line: str, where: str) -> None:
        match = RELATION.fullmatch(line)
        if match is None:
            raise DataError(
                f"not a relation line: {line!r:.60}",
                where=where,
                remedy="it reads R1<TAB>TYPE Arg1:T1 Arg2:T2",
            )
        type_, role, head, _, tail = match.groups()
        if role == "Arg2":
            head, tail = tail, head
        self.relations.append(CharRelation(type_, head, tail, where))


def _texts(path: Path) -> list[tuple[str, Path]]:
    """Every document's id and text file, "s2" before "s10"."""
    if not path.exists():
        raise DataError("no such folder", where=str(path), remedy="check the path")
    if path.is_dir():
        files = [file for suffix in ("txt", "ann") for file in path.rglob(f"*.{suffix}")]
        shown = [f for f in files if not any(p.startswith(".") for p in f.relative_to(path).parts)]
        found = {_identity(f.relative_to(path)): f.with_suffix(".txt") for f in shown}
    elif path.suffix in (".txt", ".ann"):
        found = {_identity(Path(path.name)): path.with_suffix(".txt")}
    else:
        raise DataError(
            "is neither a folder nor an .ann or .txt file",
            where=str(path),
            remedy="name the folder that holds the .txt and .ann files",
        )
    if not found:
        raise DataError("holds no .txt files", where=str(path), remedy="name the folder of the texts")
    return [(name, found[name]) for name in sorted(sorted(found), key=_natural_order)]


def _sentences(named: tuple[str, Path], report: Report, split: bool) -> Iterator[Sentence]:
    """The sentences of one document, given its id and text file."""
    name, file = named
    notes = file.with_suffix(".ann")
    if not file.exists():
        raise DataError(
            "its text is missing", where=str(notes), remedy=f"put {file.name} beside it, or remove it"
        )
    text = read_text(file)
    annotation = _Annotation(text, report)
    if notes.exists():
        for number, line in read_lines(notes):
            annotation.add(line, f"{notes}:{number}")
    else:
        report.note("text without an .ann file: read without entities", str(file))
    return align(
        text,
        annotation.entities,
        annotation.kept_relations(),
        document=name,
        where=str(notes),
        report=report,
        split=split,
    )


def _identity(file: Path) -> str:
    """A document's id from its file; bytes of a name that are not UTF-8 are replaced."""
    return os.fsencode(file.with_suffix("").as_posix()).decode(errors="replace")


def _natural_order(name: str) -> list[tuple[int, str]]:
    return [(int(digits or -1), rest) for digits, rest in re.findall(r"(\d*)(\D+|$)", name)]


def _lines(document: Document, report: Report, by: Machine | None) -> Iterator[str]:
    """The lines of a document's .ann file."""
    entities, relations = characters(document, report, scores=by is not None)
    labelled: dict[str, CharEntity | CharRelation] = {}
    for entity in entities:
        type_ = _noted_type_name(entity.type, document, report)
        shown = re.sub(r"[\r\n]", " ", document.text[entity.start : entity.end])
        yield f"T{entity.key}\t{type_} {entity.start} {entity.end}\t{shown}\n"
        labelled[f"T{entity.key}"] = entity
    for number, relation in enumerate(relations, start=1):
        type_ = _noted_type_name(relation.type, document, report)
        yield f"R{number}\t{type_} Arg1:T{relation.head} Arg2:T{relation.tail}\t\n"
        labelled[f"R{number}"] = relation
    for number, (key, label) in enumerate(labelled.items() if by else (), start=1):
        score = "" if label.score is None else f", score {label.score:.2f}"
        yield f"#{number}\tAnnotatorNotes {key}\tby {by.version if by else ''}{score}\n"


def _configuration(entity_types: Iterable[str], relation_types: Iterable[str]) -> str:
    """brat's annotation.conf: the types, and that a relation may join any two entities."""
    relations = [f"{_type_name(type_)}\tArg1:<ENTITY>, Arg2:<ENTITY>" for type_ in relation_types]
    lines = ["[entities]", *map(_type_name, entity_types), "", "[relations]", *relations]
    return "\n".join([*lines, "", "[events]", "", "[attributes]", ""])


def _type_name(type_: str) -> str:
    return re.sub(r"\s", "_", type_)


def _noted_type_name(type_: str, document: Document, report: Report) -> str:
    name = _type_name(type_)
    if name != type_:
        report.note("white space in a type written as _", document.id)
    return name


def _file_name(identity: str, taken: Counter[str], report: Report) -> str:
    """A path for a document's files, without suffix: inside the folder, and no other document's.

    A document that is called as its text file was loses nothing of its name. Names are compared as the most
    forgetful file systems do, without regard to case.
    """
    identity = identity.removesuffix(".txt")
    parts = [UNFIT.sub("_", part) for part in identity.split("/") if part not in ("", ".", "..")]
    parts = [part.encode()[:LONGEST_NAME].decode(errors="ignore") for part in parts]
    name = unique = "/".join(parts) or "document"
    while (folded := _folded(unique)) in taken:
        taken[_folded(name)] += 1
        unique = f"{name}-{taken[_folded(name)]}"
    taken[folded] = 1
    if identity and unique != identity:
        report.note("document id changed to fit a file name of its own", identity)
    return unique


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


@contextlib.contextmanager
def _writing_folder(path: Path) -> Iterator[Path]:
    """A folder to fill whose content takes its place at ``path`` only if the block ends well."""
    if path.exists() and not path.is_dir():
        raise UsageError("is a file, a folder is to be written here", where=str(path), remedy="name a folder")
    if path.is_dir() and any(path.iterdir()):
        raise UsageError(
            "folder is not empty", where=str(path), remedy="name a new folder, or empty this one"
        )
    whole = path.resolve()
    neighbour = whole.with_name(f".{whole.name}.{os.getpid()}.part")
    try:
        neighbour.mkdir(parents=True)
        yield neighbour
        whole.mkdir(exist_ok=True)
        for child in neighbour.iterdir():
            child.replace(whole / child.name)
    except OSError as error:
        raise refused("written", path, error) from error
    finally:
        shutil.rmtree(neighbour, ignore_errors=True)
