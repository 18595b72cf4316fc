"""What the mentions of one document mean: the rules that hold within a document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from biaffinity.facts.resolution.acronyms import by_name, introduced
from biaffinity.facts.resolution.short_names import PEOPLE, full_names

#: The mention means the name that it bears.
OWN = "name"
ACRONYM = "acronym"
SHORT_NAME = "short name"


class Meaning(NamedTuple):
    """The normal form that a mention means, and the rule that says so."""

    normal: str
    rule: str


class InText(NamedTuple):
    """A mention as the rules see it."""

    start: int
    end: int
    text: str
    normal: str
    type: str


def meanings(
    text: str | None, mentions: Sequence[InText], apart: Callable[[str, str, str], bool] | None = None
) -> dict[tuple[str, str], Meaning]:
    """Of names (normal form, type) of a document those that mean another of its names there.

    ``text`` may be None where it has no brackets; ``apart(type, one, other)`` tells of names that a person
    has parted.
    """
    by_type: dict[str, list[InText]] = {}
    for mention in mentions:
        by_type.setdefault(mention.type, []).append(mention)
    found: dict[tuple[str, str], Meaning] = {}
    for type, own in by_type.items():
        names = list(dict.fromkeys(mention.normal for mention in sorted(own)))
        if len(names) < 2:
            continue
        rules: list[tuple[str, dict[str, str]]] = []
        if text is not None:
            rules.append((ACRONYM, by_name(introduced(text, [each[:3] for each in own]))))
        if type.casefold() in PEOPLE:
            rules.append((SHORT_NAME, full_names(names)))
        there = set(names)
        for rule, full in rules:
            for short, name in full.items():
                if (
                    {short, name} <= there
                    and short != name
                    and (short, type) not in found
                    and (apart is None or not apart(type, short, name))
                ):
                    found[short, type] = Meaning(name, rule)
    return found
