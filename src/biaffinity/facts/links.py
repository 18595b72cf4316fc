"""Which names are one entity: links kept in the store, and entities gathered anew where links changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from biaffinity.facts.entities import Pair, add_entities, call_entities, count_entities
from biaffinity.facts.resolution.grouping import ALIAS, SIMILAR, Decision, Link, group
from biaffinity.facts.resolution.similarity import blocks, likeness, pairs
from biaffinity.facts.tally import move
from biaffinity.store.database import Database


def link_names(database: Database, new: Mapping[Pair, int]) -> set[int]:
    """Look for what new names are one with; the names whose entity may be another now."""
    changed = count_words(database, (normal for normal, _ in new), 1)
    touched = _alike(database, new) | _aliased(database, new)
    return touched | linked_by_words(database, changed)


def count_words(database: Database, normals: Iterable[str], sign: int) -> set[str]:
    """Count in how many names words occur; the words that became rare or are no longer."""
    counted = Counter(word for normal in normals for word in set(normal.split()))
    rows = database.select_among("SELECT word, names FROM words WHERE word", list(counted))
    before: dict[str, int] = dict(rows)
    after = {word: before.get(word, 0) + sign * count for word, count in counted.items()}
    database.insert("words", ["word", "names"], ((w, n) for w, n in after.items() if w not in before))
    database.scratch("more", {"word": "TEXT", "names": "{whole}"}, ((w, after[w]) for w in before))
    database.change("UPDATE words SET names = more.names FROM more WHERE words.word = more.word")
    database.change_among(
        "DELETE FROM words WHERE word", [word for word, count in after.items() if count < 1]
    )
    return {word for word, count in after.items() if (count == 1) != (before.get(word, 0) == 1)}


def _alike(database: Database, new: Mapping[Pair, int]) -> set[int]:
    """Keep what new names are similar to; the names of these links."""
    rows = sorted({(block, id) for name, id in new.items() for block in blocks(*name)})
    database.insert("name_blocks", ["block", "name"], rows)
    wanted = sorted({block for block, _ in rows})
    found = pairs(
        database.select_among("SELECT block, name FROM name_blocks WHERE block", wanted), set(new.values())
    )
    normal = {id: name[0] for name, id in new.items()}
    others = sorted({name for pair in found for name in pair} - normal.keys())
    normal |= dict(database.select_among("SELECT id, normal FROM names WHERE id", others))
    links = []
    for one, other in sorted(found):
        alike = likeness(normal[one], normal[other])
        if alike is not None:
            links.append((one, other, SIMILAR, alike.similarity, alike.word, alike.other))
    database.insert("links", ["one", "other", "rule", "similarity", "word_one", "word_other"], links)
    return {name for one, other, *_ in links for name in (one, other)}


def _aliased(database: Database, new: Mapping[Pair, int]) -> set[int]:
    """Keep which new names a line of the alias list makes one with others; the names of these links."""
    normals = sorted({normal for normal, _ in new})
    lines = {line for (line,) in database.select_among("SELECT line FROM aliases WHERE normal", normals)}
    return link_aliases(database, lines)


def link_aliases(database: Database, lines: Collection[int]) -> set[int]:
    """Link the names that lines of the alias list make one; the names of these links."""
    database.scratch("told", {"line": "{whole}"}, ((line,) for line in sorted(lines)))
    rows = database.select(
        "SELECT aliases.line, names.type, names.id FROM told CROSS JOIN aliases CROSS JOIN names "
        "WHERE aliases.line = told.line AND names.normal = aliases.normal "
        "AND (aliases.type = '' OR aliases.type = names.type)"
    )
    same: dict[tuple[int, str], set[int]] = {}
    for line, type, name in rows:
        same.setdefault((line, type), set()).add(name)
    wanted = {(min(names), name) for names in same.values() for name in names if name != min(names)}
    ones = sorted({one for one, _ in wanted})
    query = f"SELECT one, other FROM links WHERE rule = '{ALIAS}' AND one"
    there = {(one, other) for one, other in database.select_among(query, ones)}
    database.insert(
        "links",
        ["one", "other", "rule", "similarity", "word_one", "word_other"],
        ((*pair, ALIAS, None, "", "") for pair in sorted(wanted - there)),
    )
    return {name for pair in wanted for name in pair}


def linked_by_words(database: Database, words: Collection[str]) -> set[int]:
    """The names of links that hold, or no longer hold, because a word became rare or is no longer."""
    among = list(words)
    rows = database.select_among("SELECT one, other FROM links WHERE word_one", among)
    rows += database.select_among("SELECT one, other FROM links WHERE word_other", among)
    return {name for row in rows for name in row}


def regroup(database: Database, names: Collection[int]) -> None:
    """Gather these names, and all that they are or were one with, into entities anew."""
    if not names:
        return
    entity, links, decisions = _surroundings(database, names)
    after = group(entity, links, decisions)
    moved = {name: after[name] for name, before in entity.items() if after[name] != before}
    if not moved:
        return
    database.change_each(
        "UPDATE names SET entity = ? WHERE id = ?", ((to, name) for name, to in sorted(moved.items()))
    )
    affected = sorted({*moved.values(), *(entity[name] for name in moved)})
    there = {id for (id,) in database.select_among("SELECT id FROM entities WHERE id", affected)}
    rows = database.select_among(
        "SELECT id, written, type FROM names WHERE id", sorted({*moved.values()} - there)
    )
    add_entities(database, rows)
    meant: dict[int, int] = dict(
        database.select_among("SELECT id, mentions FROM names WHERE mentions > 0 AND id", sorted(entity))
    )
    if meant:
        kept = _kept(entity, after, meant)
        moving = [name for name in meant if kept.get(entity[name]) != after[name]]
        move(database, moving, {before: now for before, now in kept.items() if before != now})
        count_entities(database, affected)
    else:  # nothing is counted under these names: only rows of entities that are no more
        database.change_among("DELETE FROM entities WHERE id", sorted({*affected} - {*after.values()}))
    call_entities(database, affected)


def _kept(before: Mapping[int, int], after: Mapping[int, int], meant: Mapping[int, int]) -> dict[int, int]:
    """Which entity goes on as which: the largest part of the one that is also the largest in the other.

    Its facts need not be told again, however many they are.

    >>> _kept({1: 1, 2: 1, 3: 3}, {1: 1, 2: 2, 3: 2}, {1: 5, 2: 90, 3: 7})
    {1: 2}
    """
    parts: Counter[tuple[int, int]] = Counter()
    for name, mentions in meant.items():
        parts[before[name], after[name]] += mentions
    ranked = sorted(parts, key=lambda part: (-parts[part], part))
    largest: dict[int, int] = {}
    for old, new in ranked:
        largest.setdefault(old, new)
    of: dict[int, int] = {}
    for old, new in ranked:
        if largest[old] == new:
            of.setdefault(new, old)
    return {old: new for new, old in of.items()}


def _surroundings(
    database: Database, names: Collection[int]
) -> tuple[dict[int, int], list[Link], list[Decision]]:
    """All names that names hang together with, by entity, and the links and decisions among them."""
    entity: dict[int, int] = {}
    links: set[Link] = set()
    decisions: set[Decision] = set()
    waiting = set(names)
    while waiting:
        rows = database.select_among("SELECT id, entity FROM names WHERE id", sorted(waiting))
        entity |= dict(rows)
        near = {id for _, id in rows}
        for id, of in database.select_among("SELECT id, entity FROM names WHERE entity", sorted(near)):
            if id not in entity:
                entity[id] = of
                waiting.add(id)
        found = _links(database, waiting)
        decided = _decisions(database, waiting)
        links |= found
        decisions |= decided
        reached = {name for link in found for name in link[:2]}
        reached |= {name for decision in decided if decision.together for name in decision[:2]}
        waiting = reached - entity.keys()
    among = [decision for decision in decisions if {*decision[:2]} <= entity.keys()]
    return entity, sorted(links), among


def _links(database: Database, names: Collection[int]) -> set[Link]:
    """The links of names that hold: of two similar names one must have a word that no other name has."""
    found: dict[tuple[int, int, str], tuple[float | None, str, str]] = {}
    for side in ("one", "other"):
        query = f"SELECT one, other, rule, similarity, word_one, word_other FROM links WHERE {side}"
        for one, other, rule, similarity, word, opposite in database.select_among(query, sorted(names)):
            found[one, other, rule] = (similarity, word, opposite)
    words = sorted({word for _, *pair in found.values() for word in pair if word})
    count: dict[str, int] = dict(database.select_among("SELECT word, names FROM words WHERE word", words))
    return {
        Link(*key, 1.0 if similarity is None else similarity)
        for key, (similarity, *differing) in found.items()
        if key[2] != SIMILAR or any(count.get(word, 1) == 1 for word in differing)
    }


def _decisions(database: Database, names: Collection[int]) -> set[Decision]:
    found: set[Decision] = set()
    for side in ("one", "other"):
        query = f"SELECT one, other, together FROM decisions WHERE {side}"
        rows = database.select_among(query, sorted(names))
        found |= {Decision(one, other, bool(together)) for one, other, together in rows}
    return found
