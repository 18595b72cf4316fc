"""The page of facts over a store of 100,000 facts: an entity's page from click to painted, in Chromium.

    python benchmarks/facts_page.py [--facts N] [--visits N] [--json OUT]

The store is made up: entities with invented names, few of them in very many facts, as in real text. The
service runs as its own process. A click is one on a link to the entity; painted is when the browser has
shown the frame after the facts were put in. The graph is drawn after that, and timed as well.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from urllib.request import urlopen

from bars import Measured, show, write
from biaffinity import facts
from biaffinity.facts import Entity
from biaffinity.store import open_store
from biaffinity.store.documents import DocumentWriter, StoredDocument

PER_DOCUMENT = 4  # facts that a document states, a sentence each
BAR = 300.0  # milliseconds
_ENDS = ("a", "e", "i", "o", "u", "an", "el", "or", "is", "um")
_SYLLABLES = [start + end for start in "bdfgklmnprstvz" for end in _ENDS]
_RELATIONS = {
    "employer": ("Person", "Organization"),
    "residence": ("Person", "Location"),
    "headquarters location": ("Organization", "Location"),
    "founded by": ("Organization", "Person"),
    "spouse": ("Person", "Person"),
}

#: Click a link to an entity; the milliseconds until its facts are painted, and until its graph is there.
_VISIT = """async ({ id, name }) => {
    const link = document.createElement("a");
    link.href = `#entity=${id}`;
    document.querySelector("main").append(link);
    const place = document.getElementById("graph");
    const before = place._cyreg?.cy;
    const painted = () => new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
    const start = performance.now();
    link.click();
    const until = async (holds) => {
        while (!holds()) {
            await painted();
            if (performance.now() - start > 20_000) throw new Error("never shown");
        }
    };
    const article = document.getElementById("entity");
    const visible = () => !article.hidden && !document.body.classList.contains("busy");
    await until(() => visible() && document.getElementById("entity-name").textContent === name);
    await painted();
    const facts = performance.now() - start;
    await until(() => place._cyreg?.cy && place._cyreg.cy !== before);
    await painted();
    const graph = performance.now() - start;
    link.remove();
    return { facts, graph, shown: document.querySelectorAll("#groups .fact").length };
}"""


def make_store(path: Path, count: int) -> None:
    """So many different facts about entities of which few have very many."""
    chance = random.Random(5)
    names = invented_names(chance, count // 3)
    by_type = {
        "Person": names[: len(names) // 2],
        "Organization": names[len(names) // 2 : len(names) * 4 // 5],
        "Location": names[len(names) * 4 // 5 :],
    }

    def one_of(kind: str) -> str:
        known = by_type[kind]
        return known[int(len(known) * chance.random() ** 3)]  # the first are met most

    stated: set[tuple[str, str, str]] = set()
    while len(stated) < count:
        relation = chance.choice(list(_RELATIONS))
        head, tail = map(one_of, _RELATIONS[relation])
        if head != tail:
            stated.add((head, relation, tail))
    told = sorted(stated)
    chance.shuffle(told)
    with open_store(str(path)) as database:
        writer = DocumentWriter(database, "general 0", {})
        for start in range(0, count, 10_000):
            some = [
                made_document(f"news/{first}.txt", told[first : first + PER_DOCUMENT], chance)
                for first in range(start, min(start + 10_000, count), PER_DOCUMENT)
            ]
            database.transact(lambda some=some: writer.write(some))
    with facts.open(str(path)) as store:
        store.update()


def invented_names(chance: random.Random, count: int) -> list[str]:
    """Different names of two words."""
    names: dict[str, None] = {}
    while len(names) < count:
        words = ("".join(chance.choices(_SYLLABLES, k=3)).capitalize() for _ in range(2))
        names[" ".join(words)] = None
    return list(names)


def made_document(name: str, stated: list[tuple[str, str, str]], chance: random.Random) -> StoredDocument:
    """A sentence for each fact."""
    text, mentions, relations = "", [], []
    for head, relation, tail in stated:
        start = len(text)
        words = (f" is known for {relation}, ", ". ")
        for who, kind, between in zip((head, tail), _RELATIONS[relation], words, strict=True):
            mentions.append((who, kind, len(text), len(text) + len(who), 0.95))
            text += who + between
        score = round(0.3 + 0.69 * chance.random(), 3)
        relations.append((relation, len(mentions) - 2, len(mentions) - 1, score, start, len(text)))
    return StoredDocument(name, text, mentions, relations)


@contextmanager
def serving(store: Path) -> Iterator[str]:
    """The address of a service over a store."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "biaffinity", "serve", "--store", str(store), "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(600):
            try:
                urlopen(f"{address}/health/ready").close()
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(30)


def visit(address: str, entities: list[Entity], hubs: list[Entity]) -> dict[str, list[dict[str, float]]]:
    """How long the pages of entities take, and those of hubs."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(f"{address}/facts")
        page.locator("#all").wait_for()

        def click(entity: Entity) -> dict[str, float]:
            times: dict[str, float] = page.evaluate(_VISIT, {"id": entity.id, "name": entity.name})
            return times

        click(entities[0])  # the first brings the graph's library
        found = {"entities": list(map(click, entities[1:])), "hubs": list(map(click, hubs))}
        browser.close()
    return found


def main() -> None:
    """Make the store, visit, tell."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--visits", type=int, default=200)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "facts.db"
        started = time.perf_counter()
        make_store(path, options.facts)
        made = time.perf_counter() - started
        with facts.open(str(path)) as store:
            summary = store.summary()
            hubs = sorted(store.entities(), key=lambda entity: -entity.facts)[:20]
            chance = random.Random(7)
            everyone = list(store.entities())
            entities = chance.sample(everyone, options.visits + 1)
        load = os.getloadavg()[0]
        with serving(path) as address:
            found = visit(address, entities, hubs)
    measured: list[Measured] = []
    for name, times in found.items():
        paints = [one["facts"] for one in times]
        last = quantiles(paints, n=100)[98] if len(paints) >= 100 else max(paints)
        worst = "99th percentile" if len(paints) >= 100 else "worst"
        measured += [
            Measured(f"page of {name}, click to painted, median", median(paints), "ms", "at most", BAR),
            Measured(f"page of {name}, click to painted, {worst}", last, "ms", "at most", BAR),
            Measured(f"page of {name}, click to graph, median", median(one["graph"] for one in times), "ms"),
        ]
    show(measured)
    if options.json:
        details: dict[str, Any] = {
            "store": summary.to_dict(),
            "seconds_to_make": round(made, 1),
            "most_facts_of_an_entity": hubs[0].facts,
            "load_of_the_machine": round(load, 1),
            "milliseconds": found,
        }
        write(options.json, measured, details)


if __name__ == "__main__":
    main()
