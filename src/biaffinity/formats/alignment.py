"""Annotation in characters of a raw text <-> annotated sentences of tokens.

Tools that show raw text know characters only. Their spans are laid over our tokens, and whatever had
to give (a span that cut a token, a sentence border inside an entity) is reported.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from pathlib import Path

from biaffinity.annotation import Document, Entity, Sentence
from biaffinity.errors import AnnotationError, DataError
from biaffinity.formats.assembly import Record, assemble
from biaffinity.formats.losses import note_losses
from biaffinity.formats.report import Report
from biaffinity.text import read_document

Span = tuple[int, int]
ACROSS_SENTENCES = "relation across sentences left out; convert --whole (in Python split=False) keeps it"
Positions = dict[Hashable, tuple[int, int]]  # an entity's key -> its sentence, its number there


@dataclass(frozen=True, slots=True)
class CharEntity:
    """A typed span of characters (code points) of a text; ``key`` is what relations call it by.

    ``where`` is its place in the file, for errors and reports. The values may come from a file as they
    are: `align` checks them.
    """

    start: int
    end: int
    type: str
    key: Hashable
    where: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True)
class CharRelation:
    """A typed relation between the entities with the keys ``head`` and ``tail``."""

    type: str
    head: Hashable
    tail: Hashable
    where: str = ""
    score: float | None = None


def align(
    text: str,
    entities: Iterable[CharEntity],
    relations: Iterable[CharRelation],
    *,
    document: str,
    where: str,
    report: Report,
    token_spans: Sequence[Span] | None = None,
    split: bool = True,
) -> Iterator[Sentence]:
    """The text as tokenised sentences that carry the annotation; their texts joined are the text.

    An entity that cuts a token is widened to whole tokens; sentences that an entity runs across are
    joined; entities that become equal are merged; a relation between two sentences is left out. All
    of this is reported. A span outside the text, an empty one, or a relation to an entity that is
    not there is an error. Without ``split`` the whole text is one sentence, so every relation is
    kept; with ``token_spans`` it is one sentence of just those tokens.

    >>> report = Report()
    >>> cut = CharEntity(0, 7, "Peop", "T1", "a.ann:1")
    >>> [s] = align("Ana Ruiz left.", [cut], [], document="a", where="a.ann", report=report)
    >>> s.entity_text(0), str(report)
    ('Ana Ruiz', '1 x entity widened to whole tokens (e.g. a.ann:1)')
    """
    trimmed = [_trimmed(text, entity) for entity in entities]
    pieces, tokens = [(0, len(text))] if text else [], token_spans
    if tokens is None:
        sentences, tokens = _read(text)
        pieces = _joined(sentences, trimmed, report) if split else pieces
    starts, ends = [start for start, _ in tokens], [end for _, end in tokens]
    firsts = [bisect_left(starts, start) for start, _ in pieces]  # every sentence's first token

    members, position = _by_sentence(trimmed, starts, ends, firsts, report)
    links = _within_sentences(relations, position, report)
    for number, ((start, end), (first, last)) in enumerate(
        zip(pieces, pairwise([*firsts, len(tokens)]), strict=True)
    ):
        spans = [(a - start, b - start) for a, b in tokens[first:last]]
        sentence = assemble(
            [text[a:b] for a, b in tokens[first:last]],
            members[number],
            links[number],
            id=document if len(pieces) == 1 else f"{document}:{number}",
            where=where,
            report=report,
            document=document,
        )
        yield replace(sentence, text=text[start:end], token_spans=spans)


def characters(
    document: Document, report: Report, *, scores: bool = False
) -> tuple[list[CharEntity], list[CharRelation]]:
    """A document's annotation in characters of its text; the entities' keys are 1, 2, ...

    The inverse of `align`. What that will not give back is reported: ids other than its own, tokens other
    than ours, and scores, unless they are wanted.
    """
    _, cut_anew = _read(document.text)
    tokens = set(cut_anew)
    for number, (offset, sentence) in enumerate(zip(document.offsets, document.sentences, strict=True)):
        again = document.id if len(document.sentences) == 1 else f"{document.id}:{number}"
        kept = {"document", "text"} | ({"id"} if sentence.id == again else set())
        where = sentence.id or document.id
        note_losses(sentence, report, where, kept=kept | ({"scores"} if scores else set()))
        if any((offset + a, offset + b) not in tokens for a, b in sentence.token_spans or ()):
            report.note("tokens not carried over: the text is cut anew when it is read", where)
    mentions = document.entities
    keys = {mention: key for key, mention in enumerate(mentions, start=1)}
    return (
        [CharEntity(m.start_char, m.end_char, m.type, keys[m], score=m.score) for m in mentions],
        [CharRelation(r.type, keys[r.head], keys[r.tail], score=r.score) for r in document.relations],
    )


def in_code_points(
    text: str, entities: list[CharEntity], fits: Callable[[CharEntity], bool], report: Report
) -> list[CharEntity]:
    """The entities with their offsets in code points, whether the tool counted those or UTF-16 units.

    Editors in a browser may count a character beyond U+FFFF (an emoji) as two. ``fits`` is the
    evidence: offsets are taken as UTF-16 units only if all spans fit so and not all do as they stand.
    """
    units = len(text.encode("utf-16-le")) // 2
    if units == len(text) or any(type(n) is not int for e in entities for n in (e.start, e.end)):
        return entities
    if all(map(fits, entities)) or not all(0 <= e.start < e.end <= units for e in entities):
        return entities
    points = [index for index, character in enumerate(text) for _ in range(1 + (character > "\uffff"))]
    points.append(len(text))
    moved = [replace(entity, start=points[entity.start], end=points[entity.end]) for entity in entities]
    if not all(map(fits, moved)):
        return entities
    report.note("offsets counted in UTF-16 units: changed to characters", entities[0].where)
    return moved


class DocumentIds:
    """An id for every record of a file: its own, or the file's name and the record's number.

    >>> ids = DocumentIds(Path("news.jsonl"), Report())
    >>> ids.of(17, 1, "news.jsonl:1"), ids.of(None, 2, "news.jsonl:2"), ids.of(17, 3, "news.jsonl:3")
    ('17', 'news-2', '17-3')
    """

    def __init__(self, path: Path, report: Report) -> None:
        self._stem = path.stem
        self._report = report
        self._taken: set[str] = set()

    def of(self, value: object, number: int, where: str) -> str:
        """The id of a record, whose own is ``value``; neighbours with one id would become one."""
        own = str(value) if isinstance(value, str | int) else ""
        identity = own or f"{self._stem}-{number}"
        if identity in self._taken:
            self._report.note("document id used twice: the record's number added", where)
            identity = f"{identity}-{number}"
        self._taken.add(identity)
        return identity


def _trimmed(text: str, entity: CharEntity) -> CharEntity:
    """The entity without white space at its ends; an error if it cannot be."""
    start, end = entity.start, entity.end
    if not isinstance(entity.key, Hashable):
        what, remedy = f"entity id must be a number or string, not {entity.key!r:.40}", "correct the id"
    elif not isinstance(entity.type, str) or not entity.type.strip():
        what, remedy = f"entity type must be a non-empty string, not {entity.type!r:.40}", "give it a type"
    elif type(start) is not int or type(end) is not int:
        what = f"entity offsets must be whole numbers, not {start!r:.40} and {end!r:.40}"
        remedy = "offsets count characters from 0, the end is exclusive"
    elif start >= end:
        what = f"entity span {start}..{end} is empty or reversed"
        remedy = "correct its offsets: the start comes before the end, which is exclusive"
    elif start < 0 or end > len(text):
        what = f"entity span {start}..{end} leaves the text of {len(text)} characters"
        remedy = "correct its offsets, which count characters from 0, or restore the text they were made for"
    elif text[start:end].isspace():
        what = f"entity span {start}..{end} covers only white space"
        remedy = "remove the entity or correct its offsets"
    else:
        _require_score(entity)
        covered = text[start:end]
        start += len(covered) - len(covered.lstrip())
        return replace(entity, start=start, end=start + len(covered.strip()))
    raise DataError(what, where=entity.where, remedy=remedy)


def _require_score(annotated: CharEntity | CharRelation) -> None:
    """Refuse a score that cannot be, here where its place in the file is known."""
    try:
        Entity(0, 1, annotated.type, annotated.score)
    except AnnotationError as error:
        raise error.at(annotated.where) from None


def _read(text: str) -> tuple[list[Span], list[Span]]:
    """The character spans of the sentences and of the tokens of a text."""
    document = read_document(text)
    parts = list(zip(document.offsets, document.sentences, strict=True))
    sentences = [(offset, offset + len(sentence.text or "")) for offset, sentence in parts]
    return sentences, [(offset + a, offset + b) for offset, s in parts for a, b in s.token_spans or ()]


def _joined(pieces: Sequence[Span], entities: Iterable[CharEntity], report: Report) -> list[Span]:
    """The sentences, those that an entity runs across made one: its annotator knew better than our guess."""
    starts = [start for start, _ in pieces]
    depth = [0] * (len(pieces) + 1)  # changes, at every sentence, in how many entities run into it
    for entity in entities:
        first, last = bisect_right(starts, entity.start) - 1, bisect_left(starts, entity.end) - 1
        if first < last:
            report.note("entity crosses a sentence border: sentences joined", entity.where)
            depth[first + 1] += 1
            depth[last + 1] -= 1
    joined: list[Span] = []
    for (start, end), entered in zip(pieces, accumulate(depth), strict=False):
        if entered:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _by_sentence(
    entities: Iterable[CharEntity],
    starts: Sequence[int],
    ends: Sequence[int],
    firsts: Sequence[int],
    report: Report,
) -> tuple[dict[int, list[Record]], Positions]:
    """Every sentence's entities (start, end, type, score) in its tokens, and where each key went."""
    members: dict[int, list[Record]] = defaultdict(list)
    position: Positions = {}
    for entity in entities:
        if entity.key in position:
            raise DataError(
                f"the entity id {entity.key!r} is used twice",
                where=entity.where,
                remedy="give every entity of a text its own id",
            )
        first, last = bisect_right(ends, entity.start), bisect_left(starts, entity.end)
        if first >= last:
            raise DataError(
                f"entity span {entity.start}..{entity.end} covers no token",
                where=entity.where,
                remedy="remove the entity or correct its offsets",
            )
        if starts[first] < entity.start or ends[last - 1] > entity.end:
            report.note("entity widened to whole tokens", entity.where)
        number = bisect_right(firsts, first) - 1
        position[entity.key] = number, len(members[number])
        start = firsts[number]
        members[number].append((first - start, last - start, entity.type, entity.score))
    return members, position


def _within_sentences(
    relations: Iterable[CharRelation], position: Positions, report: Report
) -> dict[int, list[Record]]:
    """Every sentence's relations (type, head, tail, score) between its entities."""
    links: dict[int, list[Record]] = defaultdict(list)
    for relation in relations:
        if not isinstance(relation.type, str) or not relation.type.strip():
            raise DataError(
                f"relation type must be a non-empty string, not {relation.type!r:.40}",
                where=relation.where,
                remedy="give it a type",
            )
        for key in (relation.head, relation.tail):
            if not isinstance(key, Hashable) or key not in position:
                raise DataError(
                    f"relation {relation.type} names the entity {key!r:.40}, which is not there",
                    where=relation.where,
                    remedy="add that entity or remove the relation",
                )
        _require_score(relation)
        (number, head), (other, tail) = position[relation.head], position[relation.tail]
        if number == other:
            links[number].append((relation.type, head, tail, relation.score))
        else:
            report.note(ACROSS_SENTENCES, relation.where)
    return links
