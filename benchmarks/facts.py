"""Facts over a large store: how long resolution takes, answers, and adding documents to it.

    python benchmarks/facts.py [--relations N] [--questions N] [--rounds N] [--json OUT]

The store is made by this script: invented people, firms and towns, the most frequent of which are mentioned
thousands of times; surnames in place of full names, legal forms, acronyms, and slips of the pen. Resolution
runs in a process of its own, whose greatest memory is told. Questions are about entities as often as texts
mention them, so most are about the well known. The PostgreSQL server is one of our own, on a socket, with
fsync; without it (or the extra) it is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from statistics import median, quantiles
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import numpy as np

import biaffinity
import biaffinity.facts
from bars import Measured, show, write
from biaffinity.errors import UsageError
from biaffinity.facts import Facts
from biaffinity.store import open_store
from biaffinity.store.documents import DocumentWriter, StoredDocument
from sinks import seconds_into, server

ADDED = 1000
#: Milliseconds that 99 of 100 answers may take.
BARS = {"search": 50, "about": 50, "find": 50, "path of length 3": 300}
_RELATIONS = 4  # in a document
_BEGIN, _MIDDLE, _END = (
    "bdfghjklmnprstv",
    "aeiou",
    ["n", "r", "s", "l", "k", "nd", "rg", "vik", "sen", "ton", ""],
)
_KINDS = ["Oil", "Shipping", "Bank", "Steel", "Foods", "Press", "Motors", "Energy", "Insurance", "Airways"]
_FORMS = ["", "", "", " Ltd.", " Inc.", " Company", " GmbH"]


class World:
    """Invented people, firms and towns, and documents about them."""

    def __init__(self, seed: int) -> None:
        self.chance = np.random.default_rng(seed)
        given, family, towns = (self._words(n, s) for n, s in ((2_000, 3), (30_000, 4), (20_000, 4)))
        firsts, lasts = self.often(200_000, given), self.often(200_000, family)
        self.people = list(dict.fromkeys(f"{a} {b}" for a, b in zip(firsts, lasts, strict=True)))
        self.towns = towns
        names, kinds = self.often(60_000, family), self.chance.choice(_KINDS, 60_000)
        self.firms = list(dict.fromkeys(f"{a} {b}" for a, b in zip(names, kinds, strict=True)))

    def _words(self, count: int, syllables: int) -> list[str]:
        """Words that could be names, each another."""
        found: dict[str, None] = {}
        while len(found) < count:
            parts = [
                "".join(self.chance.choice(list(letters)) for letters in (_BEGIN, _MIDDLE))
                for _ in range(syllables - 1)
            ]
            found["".join([*parts, str(self.chance.choice(_END))]).capitalize()] = None
        return list(found)

    def often(self, count: int, of: list[str]) -> list[str]:
        """Some of a list, the first of it most often: as often as one over its place."""
        return [of[place] for place in self._places(count, len(of))]

    def _places(self, count: int, size: int) -> np.ndarray[Any, Any]:
        weights = np.cumsum(1 / (np.arange(size) + 10.0))
        return np.searchsorted(weights, self.chance.random(count) * weights[-1])

    def documents(self, count: int, name: str) -> Iterator[StoredDocument]:
        """Documents of four relation mentions and eight mentions each."""
        people = self._places(2 * count, len(self.people)).reshape(-1, 2)
        firms = self._places(2 * count, len(self.firms)).reshape(-1, 2)
        towns = self._places(2 * count, len(self.towns)).reshape(-1, 2)
        dice = self.chance.random((count, 6))
        for number in range(count):
            one, other = (self.people[place] for place in people[number])
            # Half of what is said is as it always is for them.
            firm = self.firms[
                people[number, 0] % len(self.firms) if dice[number, 0] < 0.5 else firms[number, 0]
            ]
            town = self.towns[
                people[number, 0] % len(self.towns) if dice[number, 1] < 0.5 else towns[number, 0]
            ]
            if dice[number, 2] < 0.005:
                place = int(dice[number, 3] * (len(one) - 2)) + 1
                one = one[:place] + one[place + 1 :]
            later = one.split()[-1] if dice[number, 4] < 0.4 else one
            full = firm + _FORMS[int(dice[number, 5] * len(_FORMS))]
            text = _Text()
            text.say("{} of {} lives in {}. ", (one, "Peop"), (full, "Org"), (town, "Loc"))
            text.relate(("Work_For", 0, 1), ("Live_In", 0, 2))
            text.say(
                "{} met {}, who works for {}. ",
                (later, "Peop"),
                (other, "Peop"),
                (self.firms[firms[number, 1]], "Org"),
            )
            text.relate(("Work_For", 4, 5))
            text.say("{} is based in {}.", (firm, "Org"), (self.towns[towns[number, 1]], "Loc"))
            text.relate(("OrgBased_In", 6, 7))
            scores = 0.5 + 0.5 * dice[number, :_RELATIONS]
            yield text.document(f"{name}/{number}", scores)


class _Text:
    """A text that is written sentence by sentence."""

    def __init__(self) -> None:
        self.text, self.mentions, self.relations, self.start = "", [], [], 0  # type: ignore[var-annotated]

    def say(self, pattern: str, *mentions: tuple[str, str]) -> None:
        self.start = len(self.text)
        pieces = pattern.split("{}")
        for piece, (name, type) in zip(pieces, mentions, strict=False):
            self.text += piece
            self.mentions.append((name, type, len(self.text), len(self.text) + len(name), 0.9))
            self.text += name
        self.text += pieces[-1]

    def relate(self, *relations: tuple[str, int, int]) -> None:
        self.relations += [(*relation, self.start, len(self.text)) for relation in relations]

    def document(self, name: str, scores: Any) -> StoredDocument:
        relations = [(*r[:3], float(s), *r[3:]) for r, s in zip(self.relations, scores, strict=True)]
        return StoredDocument(name, self.text, self.mentions, relations)


def fill(store: str, documents: Iterator[StoredDocument]) -> None:
    with open_store(store) as database:
        writer = DocumentWriter(database, "filler", {})
        batch: list[StoredDocument] = []
        for document in documents:
            batch.append(document)
            if len(batch) == 5_000:
                with database.transaction():
                    writer.write(batch)
                batch = []
        with database.transaction():
            writer.write(batch)


_UPDATE = """
import json, resource, sys, time
import biaffinity.facts
started = time.perf_counter()
with biaffinity.facts.open(sys.argv[1]) as facts:
    done = facts.update()
    used = resource.getrusage(resource.RUSAGE_SELF)
    record = {"seconds": time.perf_counter() - started, "processor seconds": used.ru_utime + used.ru_stime}
    held = facts.summary()
counts = {**done.to_dict(), "entities": held.entities, "facts": held.facts}
print(json.dumps({**record, "MB": used.ru_maxrss / 1024, **counts}))
"""


def update(store: str) -> dict[str, Any]:
    """An update in a process of its own: seconds, memory, counts."""
    done = subprocess.run(
        [sys.executable, "-c", _UPDATE, store], check=True, stdout=subprocess.PIPE, text=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def asked(facts: Facts, world: World, questions: int) -> dict[str, dict[str, list[float]]]:
    """Milliseconds of answers, by question, by the clock and of this process."""
    people, firms, towns = (
        world.often(questions, names) for names in (world.people, world.firms, world.towns)
    )
    found: dict[str, dict[str, list[float]]] = {question: {"clock": [], "processor": []} for question in BARS}

    def timed(question: str, ask: Callable[..., object], *who: Any, **how: Any) -> None:
        started, before = time.perf_counter(), time.process_time()
        with suppress(UsageError):  # one whom no document mentions
            ask(*who, **how)
        found[question]["processor"].append(1000 * (time.process_time() - before))
        found[question]["clock"].append(1000 * (time.perf_counter() - started))

    for number, (person, firm, town) in enumerate(zip(people, firms, towns, strict=True)):
        slip = person[:3] + person[4:]
        for text in (person, firm.split()[0], town[:4], slip):
            timed("search", facts.search, text)
        for name in (person, firm, town):
            timed("about", facts.about, name)
        timed("find", facts.find, relation="Work_For", tail=firm, min_score=0.5)
        timed("find", facts.find, relation="Live_In", tail=town)
        timed("find", facts.find, entity=person)
        ends = _three_apart(facts, person, number)
        if ends is not None:
            timed("path of length 3", facts.path, *ends, longest=3)
    return found


def _three_apart(facts: Facts, person: str, seed: int) -> tuple[int, int] | None:
    """Somebody, and somebody three facts away."""
    try:
        here = start = facts.entity(person, type="Peop").id
    except UsageError:
        return None
    for step in range(3):
        near = facts.find(entity=here, limit=50, sentences=0)
        if not near:
            return None
        fact = near[(seed * 7 + step) % len(near)]
        here = fact.tail.id if fact.head.id == here else fact.head.id
    return start, here


def additions(
    large: str, place: Callable[[str], str], world: World, rounds: int, folder: Path
) -> dict[str, dict[str, list[float]]]:
    """Seconds of adding documents to a large store and to an empty one, resolution included, turn by turn.

    Once with the extraction of their texts, as users do it, and once with mentions that are there.
    """
    extractor = biaffinity.load(threads=1)
    found: dict[str, dict[str, list[float]]] = {
        how: {"empty": [], "large": []} for how in ("extracted", "extracted already")
    }
    for number in range(rounds):
        more = list(world.documents(ADDED, f"more{number}"))
        source = folder / f"texts{number}.jsonl"
        lines = (json.dumps({"id": f"text{each.name}", "text": each.text}) + "\n" for each in more)
        source.write_text("".join(lines))
        for which in ("empty", "large"):
            for how, seconds in found.items():
                store = large if which == "large" else place(f"{how[-3:]}{number}")
                started = time.perf_counter()
                if how == "extracted":
                    seconds_into(store, source, extractor)
                else:
                    fill(store, iter(more))
                with biaffinity.facts.open(store) as facts:
                    facts.update()
                seconds[which].append(time.perf_counter() - started)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--relations", type=int, default=1_000_000)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=["SQLite", "PostgreSQL"])
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    measured: list[Measured] = []
    details: dict[str, Any] = {"load of the machine": os.getloadavg()}
    with tempfile.TemporaryDirectory() as name, server() as running:
        places: dict[str, Callable[[str], str]] = {"SQLite": lambda what: str(Path(name) / f"{what}.db")}
        if running is not None:
            places["PostgreSQL"] = running.empty_database
        for kind, place in places.items():
            if arguments.only in (None, kind):
                world = World(17)
                large = place("large")
                fill(large, world.documents(arguments.relations // _RELATIONS, "first"))
                details[kind] = first = {"update": update(large)}
                done = first["update"]
                millions = done["mentions"] / 1e6
                for by in ("seconds", "processor seconds"):
                    what = f"resolution and facts of 1,000,000 mentions, {kind}, {by}"
                    measured.append(Measured(what, done[by] / millions, "s", "at most", 120))
                measured.append(Measured(f"its memory, {kind}", done["MB"], "MB", "under", 1000))
                with biaffinity.facts.open(large) as facts:
                    answers = asked(facts, world, arguments.questions)
                for question, times in answers.items():
                    first[question] = {
                        by: {
                            "median": median(ms),
                            "99th percentile": quantiles(ms, n=100)[-1],
                            "asked": len(ms),
                        }
                        for by, ms in times.items()
                    }
                    # The processor time of a server is not seen from here.
                    for by in times if kind == "SQLite" else ["clock"]:
                        what = f"{question}, 99th percentile, {kind}, {by}"
                        last = first[question][by]["99th percentile"]
                        measured.append(Measured(what, last, "ms", "at most", BARS[question]))
                first["seconds to add"] = added = additions(large, place, world, arguments.rounds, Path(name))
                for how, bar in (("extracted", 1.5), ("extracted already", None)):
                    ratio = median(added[how]["large"]) / median(added[how]["empty"])
                    what = f"{ADDED:,} documents {how}, against an empty store, {kind}"
                    measured.append(Measured(what, ratio, "times", "at most", bar))
    show(measured)
    if arguments.json:
        write(arguments.json, measured, details)


if __name__ == "__main__":
    main()
