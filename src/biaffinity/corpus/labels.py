"""Rules on labels: entity types, relation types, and the types that a relation joins."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from biaffinity.corpus.problem import Problem
from biaffinity.corpus.profile import EXAMPLES, SplitProfile
from biaffinity.formats.report import Finding

Profiles = Sequence[SplitProfile]
Count = Callable[[SplitProfile], Counter[str]]


def label_problems(learned: Profiles, others: Profiles) -> Iterator[Problem]:
    """Labels that occur once, that training never shows, or that are spelled in two ways."""
    yield from _judged_in_vain([*learned, *others])
    yield from _type_problems("entity", "entities", lambda p: p.entity_types, learned, others)
    yield from _type_problems("relation", "relations", lambda p: p.relation_types, learned, others)
    yield from _unseen_pairs(SplitProfile.merged("training", learned), others)


def _type_problems(
    kind: str, kinds: str, count: Count, learned: Profiles, others: Profiles
) -> Iterator[Problem]:
    known = count(SplitProfile.merged("training", learned))
    yield from _problem(
        f"single-{kind}-type",
        f"{kinds} that are the only one of their type in the training data",
        {p.name: Counter({t: 1 for t in count(p) if known[t] == 1}) for p in learned},
        "too few to learn from",
    )
    if known:
        yield from _problem(
            f"unseen-{kind}-type",
            f"{kinds} of a type that never occurs in the training data",
            {p.name: Counter({t: n for t, n in count(p).items() if t not in known}) for p in others},
            "they cannot be found",
        )
    twin = respelled(count(SplitProfile.merged("all", [*learned, *others])))
    yield from _problem(
        f"respelled-{kind}-type",
        f"{kinds} whose type differs from another only in case, spaces or punctuation",
        {
            p.name: Counter({f"{t} ({twin[t]})": n for t, n in count(p).items() if t in twin})
            for p in (*learned, *others)
        },
        "are the two meant to be one?",
    )


def _judged_in_vain(profiles: Profiles) -> Iterator[Problem]:
    """Types that sentences name as judged and that no relation has: perhaps a slip of the pen."""
    known = SplitProfile.merged("all", profiles).relation_types
    yield from _problem(
        "unknown-judged-type",
        "times that a relation type is called judged of which there is no relation",
        {
            p.name: Counter({t: n for t, n in p.judged_relation_types.items() if t not in known})
            for p in profiles
        },
        "is it written as in the relations?",
    )


def respelled(counts: Mapping[str, int]) -> dict[str, str]:
    """Labels that differ from a more frequent one only in case, spaces or punctuation.

    >>> respelled({"Work_For": 9, "work for": 2, "Kill": 3})
    {'work for': 'Work_For'}
    """
    first: dict[str, str] = {}
    found = {}
    for label in sorted(counts, key=lambda name: (-counts[name], name)):
        letters = re.sub(r"[\W_]+", "", label).casefold() or label
        if letters in first:
            found[label] = first[letters]
        else:
            first[letters] = label
    return found


def _unseen_pairs(training: SplitProfile, others: Profiles) -> Iterator[Problem]:
    """Relations whose types all occur in training, but never so joined."""
    joined = {(head, tail) for head, _, tail in training.pairs}
    found: dict[str, Counter[str]] = {}
    never_joined = 0
    for profile in others:
        found[profile.name] = Counter()
        for (head, relation, tail), count in profile.pairs.items():
            known = relation in training.relation_types and {head, tail} <= training.entity_types.keys()
            if known and (head, relation, tail) not in training.pairs:
                found[profile.name][f"{relation}: {head} → {tail}"] = count
                never_joined += count * ((head, tail) not in joined)
    filtered = (
        f"; {never_joined:,} between types that no relation joins there, which a filter learned from it drops"
    )
    yield from _problem(
        "unseen-type-pair",
        "relations between types that their relation never joins in the training data",
        found,
        "no example to learn from" + (filtered if never_joined else ""),
    )


def _problem(code: str, message: str, labels: Mapping[str, Counter[str]], advice: str) -> Iterator[Problem]:
    """A warning about annotations counted per split and label, if there are any."""
    found = {
        split: Finding(counts.total(), [f"{label} x {n}" for label, n in counts.most_common(EXAMPLES)])
        for split, counts in labels.items()
        if counts
    }
    if found:
        yield Problem("warning", code, message, found, advice)
