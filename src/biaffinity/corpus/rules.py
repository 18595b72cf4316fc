"""The rules that turn the counts of a corpus into findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from biaffinity.corpus.damage import DAMAGE
from biaffinity.corpus.labels import label_problems
from biaffinity.corpus.problem import SEVERITIES, Problem, Severity
from biaffinity.corpus.profile import EXAMPLES, SplitProfile
from biaffinity.corpus.repeats import Repeats
from biaffinity.formats.report import Finding

Profiles = Sequence[SplitProfile]

# What a split's profile notes one by one: how grave it is, what is counted, and what follows.
NOTED: dict[str, tuple[Severity, str, str]] = {
    "no-tokens": ("warning", "sentences without a token", "leave them out"),
    "repeated-id": (
        "warning",
        "sentences with the id of an earlier one of the same split",
        "give every sentence its own id",
    ),
    "several-relations": (
        "warning",
        "ordered pairs of entities with more than one relation",
        "a model that gives a pair one relation cannot find the others",
    ),
    **{kind: ("warning", f"tokens that {says}", advice) for kind, (_, says, advice) in DAMAGE.items()},
    "adjacent": (
        "note",
        "entities right before another of their type",
        "only tags that mark a start (IOB2, BILOU) keep them apart",
    ),
    "partly-judged": (
        "note",
        "sentences of which not all was judged",
        "the rest of them teaches nothing and is not scored",
    ),
    "punctuation": (
        "note",
        "entities that begin or end with a punctuation token",
        "are the borders meant so?",
    ),
}


def problems(learned: Profiles, others: Profiles, repeats: Repeats) -> list[Problem]:
    """Everything the rules find, errors first; ``learned`` are the splits a model would learn from."""
    profiles = [*learned, *others]
    found = chain(
        _unreadable(profiles),
        _nothing(learned, others),
        _changed(profiles),
        _repeats(repeats),
        label_problems(learned, others),
        _overlaps(profiles),
        _shared_ids(profiles),
        *(_noted(profiles, code, *rule) for code, rule in NOTED.items()),
    )
    return sorted(found, key=lambda problem: SEVERITIES.index(problem.severity))


def _unreadable(profiles: Profiles) -> Iterator[Problem]:
    found = {p.name: p.errors for p in profiles if p.errors.count}
    if found:
        cut = " and ".join(p.name for p in profiles if not p.complete)
        advice = f"mend them; nothing was read after the last in {cut}" if cut else "mend them"
        yield Problem("error", "unreadable", "places where the data cannot be read", found, advice)


def _nothing(learned: Profiles, others: Profiles) -> Iterator[Problem]:
    """Findings that there are none of something."""

    def none(severity: Severity, code: str, message: str, profiles: Profiles, advice: str) -> Problem:
        return Problem(severity, code, message, {p.name: Finding() for p in profiles}, advice)

    empty = [p for p in (*learned, *others) if not p.sentences and not p.errors.count]
    if empty:
        yield none("error", "no-sentences", "sentences", empty, "is it the right file?")
    if not any(p.entities for p in learned):
        yield none(
            "error", "no-entities", "entities in the training data", learned, "there is nothing to learn"
        )
    elif not any(p.relations for p in learned):
        advice = "only entities can be learned"
        yield none("warning", "no-relations", "relations in the training data", learned, advice)
    bare = [p for p in others if p.sentences and not p.relations]
    if bare:
        yield none("note", "no-relations-to-score", "relations", bare, "none can be scored there")


def _changed(profiles: Profiles) -> Iterator[Problem]:
    """What the readers of the files reported."""
    for kind in dict.fromkeys(kind for p in profiles for kind in p.changed.findings):
        found = {p.name: p.changed.findings[kind] for p in profiles if kind in p.changed.findings}
        yield Problem("warning", "changed-in-reading", f"times in reading: {kind}", found)


def _repeats(repeats: Repeats) -> Iterator[Problem]:
    splits = repeats.splits.items()
    yield from _listed(
        "warning",
        "repeated-across-splits",
        "sentences that repeat one of an earlier split, case and punctuation ignored",
        {name: r.across for name, r in splits},
        "scores on them flatter; give the scores without them too",
    )
    yield from _listed(
        "warning",
        "repeated-differently",
        "repeated texts whose annotations differ",
        {name: r.differing for name, r in splits},
        "which one is right?",
    )
    yield from _listed(
        "note",
        "repeated-within-split",
        "sentences that repeat one of their own split",
        {name: r.within for name, r in splits},
        "they weigh more than the others",
    )


def _listed(
    severity: Severity, code: str, message: str, places: Mapping[str, Sequence[object]], advice: str
) -> Iterator[Problem]:
    """A problem of these places, if there are any."""
    found = {name: Finding(len(p), [str(x) for x in p[:EXAMPLES]]) for name, p in places.items() if p}
    if found:
        yield Problem(severity, code, message, found, advice)


def _shared_ids(profiles: Profiles) -> Iterator[Problem]:
    """Ids are kept as hashes, so they can be counted but not shown."""
    met: set[int] = set()
    found = {}
    for profile in profiles:
        if shared := len(profile.ids & met):
            found[profile.name] = Finding(shared)
        met |= profile.ids
    if found:
        yield Problem(
            "note", "shared-id", "ids that an earlier split has too", found, "are the splits distinct?"
        )


def _overlaps(profiles: Profiles) -> Iterator[Problem]:
    kinds = {"nested": "nested", "crossing": "crossing", "same-span": "on the same tokens"}
    totals = {says: sum(p.count(kind) for p in profiles) for kind, says in kinds.items()}
    pairs = ", ".join(f"{_many(total, 'pair')} {says}" for says, total in totals.items() if total)
    entities = _many(sum(p.entities_lost for p in profiles), "entity", "entities")
    relations = _many(sum(p.relations_lost for p in profiles), "relation")
    return _noted(
        profiles,
        "overlapping-entities",
        "warning",
        "sentences with entities that share tokens",
        f"{pairs}; a flat tagger that keeps the outermost loses {entities} and {relations}",
    )


def _many(count: int, one: str, several: str = "") -> str:
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def _noted(profiles: Profiles, code: str, severity: Severity, message: str, advice: str) -> Iterator[Problem]:
    """A problem of what the profiles have noted under a code, if any has."""
    found = {p.name: p.noted.findings[code] for p in profiles if code in p.noted.findings}
    if found:
        yield Problem(severity, code, message, found, advice)
