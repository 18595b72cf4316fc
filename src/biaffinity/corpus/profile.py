"""What one split of a corpus holds, counted as its sentences pass by."""

from __future__ import annotations

import heapq
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from biaffinity.annotation import Sentence, outermost
from biaffinity.corpus.damage import damage, may_be_damaged
from biaffinity.corpus.overlap import overlaps
from biaffinity.formats.report import Finding, Report

EXAMPLES = 5
"""How many places of one kind of finding in one split are remembered."""

ERRORS_KEPT = 100
"""How many errors in reading one split are remembered."""

WORDS_SHOWN = 60
"""How many characters of a text an example gives."""


@dataclass(slots=True)
class SplitProfile:
    """The counts of one split; nothing of its text is kept but the examples.

    ``judged_relation_types`` counts the sentences that name a type as judged, ``pairs`` relations as (head
    type, relation type, tail type), ``lengths`` sentences by their number of tokens. ``ids`` are the ids'
    hashes. ``noted`` holds what may be a fault, ``errors`` what could not be read, ``changed`` what the
    reader of the file had to change; ``complete`` is false where nothing was read after the last error.
    """

    name: str
    changed: Report = field(default_factory=Report)
    noted: Report = field(default_factory=lambda: Report(EXAMPLES))
    errors: Finding = field(default_factory=Finding)
    complete: bool = True
    ids: set[int] = field(default_factory=set)
    entity_types: Counter[str] = field(default_factory=Counter)
    relation_types: Counter[str] = field(default_factory=Counter)
    judged_relation_types: Counter[str] = field(default_factory=Counter)
    pairs: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)
    longest: list[tuple[int, int, str]] = field(default_factory=list)
    without_entity: int = 0
    single_entity: int = 0
    without_relation: int = 0
    entities_lost: int = 0
    relations_lost: int = 0
    #: As `sentences`, without adding up all lengths for each.
    _added: int = 0

    @classmethod
    def merged(cls, name: str, profiles: Iterable[SplitProfile]) -> SplitProfile:
        """The counts of several splits as those of one, without examples."""
        total = cls(name)
        for profile in profiles:
            for counts in ("entity_types", "relation_types", "judged_relation_types", "pairs", "lengths"):
                getattr(total, counts).update(getattr(profile, counts))
            total.without_entity += profile.without_entity
            total.single_entity += profile.single_entity
            total.without_relation += profile.without_relation
        return total

    @property
    def sentences(self) -> int:
        """How many sentences were read."""
        return self.lengths.total()

    @property
    def tokens(self) -> int:
        """How many tokens they hold."""
        return sum(length * count for length, count in self.lengths.items())

    @property
    def entities(self) -> int:
        """How many entities they hold."""
        return self.entity_types.total()

    @property
    def relations(self) -> int:
        """How many relations they hold."""
        return self.relation_types.total()

    def count(self, kind: str) -> int:
        """How often something of this kind was noted."""
        return self.noted.findings[kind].count if kind in self.noted.findings else 0

    def length_at(self, share: float) -> int:
        """The least length that at least this share of the sentences does not exceed; 0 if there are none.

        >>> profile = SplitProfile("train", lengths=Counter({3: 2, 9: 1, 20: 1}))
        >>> profile.length_at(0.5), profile.length_at(0.51), profile.length_at(1)
        (3, 9, 20)
        """
        passed, wanted = 0, share * self.sentences
        for length in sorted(self.lengths):
            passed += self.lengths[length]
            if passed >= wanted:
                return length
        return 0

    def add(self, sentence: Sentence) -> str:
        """Count one sentence; the name it goes by: its id, its number in the split where it has none."""
        self.lengths[len(sentence)] += 1
        self._added += 1
        id = sentence.id or f"#{self._added}"
        if sentence.id:
            if hash(id) in self.ids:
                self.noted.note("repeated-id", id)
            self.ids.add(hash(id))
        # The earlier of two sentences of one length counts as the longer.
        ranked = (len(sentence), -self._added, id)
        if len(self.longest) < EXAMPLES:
            heapq.heappush(self.longest, ranked)
        else:
            heapq.heappushpop(self.longest, ranked)
        entities, relations = sentence.entities, sentence.relations
        self.without_entity += not entities
        self.single_entity += len(entities) == 1
        self.without_relation += not relations
        self.entity_types.update(e.type for e in entities)
        self.relation_types.update(r.type for r in relations)
        self.pairs.update((entities[r.head].type, r.type, entities[r.tail].type) for r in relations)
        if not sentence.tokens:
            self.noted.note("no-tokens", id)
        if sentence.judged is not None:
            self.noted.note("partly-judged", id)
            self.judged_relation_types.update(sentence.judged.relations or ())
        self._note_overlaps(sentence, id)
        self._note_borders(sentence, id)
        self._note_several_relations(sentence, id)
        if may_be_damaged("".join(sentence.tokens)):
            for token in sentence.tokens:
                for kind in damage(token):
                    self.noted.note(kind, f"{id}: {token:.{WORDS_SHOWN}}")
        return id

    def note_unreadable(self, error: Exception) -> None:
        """Note an error in the data; until another sentence comes, nothing is read after it."""
        self.errors.count += 1
        if len(self.errors.examples) < ERRORS_KEPT:
            self.errors.examples.append(str(error))
        self.complete = False

    def _note_overlaps(self, sentence: Sentence, id: str) -> None:
        kinds = list(overlaps(sentence.entities))
        if not kinds:
            return
        self.noted.note("overlapping-entities", id)
        for kind in kinds:
            self.noted.note(kind, id)
        kept = set(outermost(sentence.entities))
        self.entities_lost += len(sentence.entities) - len(kept)
        self.relations_lost += sum(not {r.head, r.tail} <= kept for r in sentence.relations)

    def _note_borders(self, sentence: Sentence, id: str) -> None:
        starts = {(e.start, e.type) for e in sentence.entities}
        for e in sentence.entities:
            words = f"{' '.join(sentence.tokens[e.start : e.end]):.{WORDS_SHOWN}}"
            if (e.end, e.type) in starts:
                self.noted.note("adjacent", f"{id}: {words}")
            if _is_punctuation(sentence.tokens[e.start]) or _is_punctuation(sentence.tokens[e.end - 1]):
                self.noted.note("punctuation", f"{id}: {words}")

    def _note_several_relations(self, sentence: Sentence, id: str) -> None:
        for relations in Counter((r.head, r.tail) for r in sentence.relations).values():
            if relations > 1:
                self.noted.note("several-relations", id)

    def to_dict(self) -> dict[str, Any]:
        """A JSON object of the counts; what was noted becomes the report's problems."""
        return {
            "sentences": self.sentences,
            "tokens": self.tokens,
            "entities": self.entities,
            "relations": self.relations,
            "entity_types": dict(self.entity_types.most_common()),
            "relation_types": dict(self.relation_types.most_common()),
            "type_pairs": [
                {"head": head, "relation": relation, "tail": tail, "count": count}
                for (head, relation, tail), count in self.pairs.most_common()
            ],
            "lengths": {
                "min": min(self.lengths, default=0),
                "median": self.length_at(0.5),
                "p95": self.length_at(0.95),
                "max": max(self.lengths, default=0),
                "longest": [
                    {"id": id, "tokens": length} for length, _, id in sorted(self.longest, reverse=True)
                ],
            },
            "sentences_without_entity": self.without_entity,
            "sentences_with_one_entity": self.single_entity,
            "sentences_without_relation": self.without_relation,
            "overlaps": {
                "sentences": self.count("overlapping-entities"),
                "nested": self.count("nested"),
                "crossing": self.count("crossing"),
                "same_span": self.count("same-span"),
                "entities_lost_when_flat": self.entities_lost,
                "relations_lost_when_flat": self.relations_lost,
            },
        }


def _is_punctuation(token: str) -> bool:
    return not token.isalnum() and all(unicodedata.category(character)[0] == "P" for character in token)
