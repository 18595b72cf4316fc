"""The score sheet a second time: loops over plain lists, with no arrays and none of the package's code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from biaffinity.annotation import Entity, Sentence

Item = tuple[Any, ...]
Lists = tuple[list[str], list[str], list[str]]


def naive_sheet(gold: list[Sentence], predicted: list[Sentence], other: Iterable[str]) -> dict[str, Any]:
    without = set(other)
    pairs = list(zip(gold, predicted, strict=True))
    ner = _matched([(_entities(g), _entities(p)) for g, p in pairs])
    spans = _matched([(_spans(g), _spans(p)) for g, p in pairs])
    strict = _matched([(_relations(g, _whole), _relations(p, _whole)) for g, p in pairs])
    boundaries = _matched([(_relations(g, _span), _relations(p, _span)) for g, p in pairs])
    released = _matched([(_relations(g, _last), _relations(p, _last)) for g, p in pairs])
    ec = _classified(pairs)
    return {
        "ner": {**_block(ner, without), "boundaries": _leaf(spans)},
        "ec": _block(ec, without),
        "re": {"strict": _block(strict, without), "boundaries": _block(boundaries, without)},
        "paper": {
            "ner": _macro(ner, without),
            "ec": _macro(ec, without),
            "rc": _macro(strict, set()),
            "rc_released": _macro(released, set()),
        },
    }


def _entities(sentence: Sentence) -> list[Item]:
    return [(e.type, e.start, e.end) for e in sentence.entities]


def _spans(sentence: Sentence) -> list[Item]:
    return [("", e.start, e.end) for e in sentence.entities]


def _relations(sentence: Sentence, argument: Any) -> list[Item]:
    return [
        (r.type, argument(sentence.entities[r.head]), argument(sentence.entities[r.tail]))
        for r in sentence.relations
    ]


def _whole(entity: Entity) -> Item:
    return entity.type, entity.start, entity.end


def _span(entity: Entity) -> Item:
    return entity.start, entity.end


def _last(entity: Entity) -> int:
    return entity.end - 1


def _matched(pairs: list[tuple[list[Item], list[Item]]]) -> Lists:
    """Types of gold, predicted and correct items; an item that stands there twice is counted once."""
    lists: Lists = ([], [], [])
    for gold, predicted in pairs:
        for index, item in enumerate(gold):
            if item not in gold[:index]:
                lists[0].append(item[0])
                if item in predicted:
                    lists[2].append(item[0])
        for index, item in enumerate(predicted):
            if item not in predicted[:index]:
                lists[1].append(item[0])
    return lists


def _classified(pairs: list[tuple[Sentence, Sentence]]) -> Lists:
    lists: Lists = ([], [], [])
    for gold, predicted in pairs:
        for entity in gold.entities:
            lists[0].append(entity.type)
            token_types = [_types_at(predicted, token) for token in range(entity.start, entity.end)]
            if any(entity.type in types for types in token_types):
                lists[1].append(entity.type)
                lists[2].append(entity.type)
            elif any(token_types):
                lists[1].append(next(types for types in token_types if types)[0])
        for claim in predicted.entities:
            inside = [t for e in gold.entities for t in range(e.start, e.end) if claim.start <= t < claim.end]
            if not inside:
                lists[1].append(claim.type)
    return lists


def _types_at(sentence: Sentence, token: int) -> list[str]:
    covering = [e for e in sentence.entities if e.start <= token < e.end]
    return [e.type for e in sorted(covering, key=lambda e: (e.start, e.end, e.type))]


def _leaf(lists: Lists) -> dict[str, float]:
    gold, predicted, correct = map(len, lists)
    precision = correct / predicted if predicted else 0.0
    recall = correct / gold if gold else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "gold": gold,
        "predicted": predicted,
        "correct": correct,
    }


def _per_type(lists: Lists) -> dict[str, dict[str, float]]:
    names = {name for types in lists for name in types}
    return {name: _leaf(tuple([t for t in types if t == name] for types in lists)) for name in names}


def _macro(lists: Lists, without: set[str]) -> dict[str, float]:
    leaves = [leaf for name, leaf in _per_type(lists).items() if name not in without]
    mean = {
        key: sum(leaf[key] for leaf in leaves) / max(1, len(leaves)) for key in ("precision", "recall", "f1")
    }
    return {**mean, **{key: sum(leaf[key] for leaf in leaves) for key in ("gold", "predicted", "correct")}}


def _block(lists: Lists, without: set[str]) -> dict[str, Any]:
    return {
        "micro": _leaf(lists),
        "macro": _macro(lists, set()),
        "macro_no_other": _macro(lists, without),
        "per_type": _per_type(lists),
    }
