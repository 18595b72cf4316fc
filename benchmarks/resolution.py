"""How often resolution is right: Re-DocRED's mentions in a store, its coreference clusters as the judge.

    python benchmarks/resolution.py [--part entities] [--json OUT]

All documents of a part go into one SQLite store, so that what is found across documents counts too. Then
every pair of mentions of one document is looked at: are they one entity to us, are they one cluster to the
annotators? The rules are told apart: each is asked together with the normal form alone, and then all of them.
Rules and thresholds were chosen on the part ``entities``; the numbers that count are those of ``train``, by
which nothing was chosen.

The annotators have sometimes made two clusters of one entity, even where its name is written with the same
letters. The clusters are taken as they are; how much is right if those are made one that have such a name in
common stands beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest.mock import patch

os.environ.setdefault("OMP_NUM_THREADS", "1")

import biaffinity.facts
from bars import Measured, show, write
from biaffinity.facts import links
from biaffinity.facts.resolution import documents as in_documents
from biaffinity.store import open_store
from biaffinity.store.documents import DocumentWriter, StoredDocument

ROOT = Path(__file__).parent.parent
#: Rules beside the normal form; an alias list is the user's own.
RULES = ("acronym", "short name", "similar")


def documents_of(path: Path, *, repair: bool) -> Iterator[tuple[StoredDocument, list[int]]]:
    """Documents as a store has them, and the cluster of each mention."""
    for number, line in enumerate(path.read_text().splitlines()):
        record = json.loads(line)
        text, places = "", []
        for sentence in record["sentences"]:
            places.append([])
            for token in sentence:
                places[-1].append((len(text), len(text) + len(token)))
                text += f"{token} "
        mentions: dict[tuple[int, int, str], int] = {}
        for cluster, entity in enumerate(record["entities"]):
            for mention in entity:
                own = places[mention["sentence"]]
                start, end = own[mention["start"]][0], own[mention["end"] - 1][1]
                mentions.setdefault((start, end, mention["type"]), cluster)  # some are marked twice
        rows = [(text[start:end], type, start, end, None) for start, end, type in sorted(mentions)]
        clusters = [mentions[place] for place in sorted(mentions)]
        yield StoredDocument(str(number), text, rows, []), repaired(rows, clusters) if repair else clusters


def repaired(rows: list[tuple[Any, ...]], clusters: list[int]) -> list[int]:
    """Clusters with those made one that have a mention of the same letters and type."""
    named: dict[tuple[str, str], int] = {}
    same = {cluster: cluster for cluster in clusters}
    for (text, type, *_), cluster in zip(rows, clusters, strict=True):
        first = same[named.setdefault((text, type), cluster)]
        same = {each: first if to == same[cluster] else to for each, to in same.items()}
    return [same[cluster] for cluster in clusters]


@contextmanager
def only(rules: set[str]) -> Iterator[None]:
    """Resolution by the normal form and these rules."""
    nothing = {
        "acronym": patch.object(in_documents, "by_name", lambda pairs: {}),
        "short name": patch.object(in_documents, "full_names", lambda names: {}),
        "similar": patch.object(links, "likeness", lambda one, other: None),
    }
    left_out = [nothing[rule] for rule in nothing if rule not in rules]
    for each in left_out:
        each.start()
    try:
        yield
    finally:
        for each in left_out:
            each.stop()


def pairs(documents: list[tuple[StoredDocument, list[int]]], rules: set[str]) -> Counter[str]:
    """Pairs of mentions of one document: ours, the annotators', and both's."""
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "x.db")
        with open_store(store) as database, database.transaction():
            DocumentWriter(database, "gold", {}).write([document for document, _ in documents])
        with only(rules), biaffinity.facts.open(store) as facts:
            facts.update()
            for document, clusters in documents:
                ours = [mention.entity for mention in facts.text(document.name).mentions]
                assert len(ours) == len(clusters), document.name
                for (one, cluster), (other, opposite) in combinations(zip(ours, clusters, strict=True), 2):
                    found["ours"] += one == other
                    found["gold"] += cluster == opposite
                    found["both"] += one == other and cluster == opposite
    return found


def scores(found: Counter[str]) -> dict[str, Any]:
    """Precision and recall of pairs."""
    return {
        **found,
        "precision": found["both"] / found["ours"],
        "recall": found["both"] / found["gold"],
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    shared = Path(os.environ.get("BIAFFINITY_DATA", ROOT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=shared / "redocred")
    parser.add_argument("--part", default="train", choices=["entities", "train"])
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    path = arguments.data / f"{arguments.part}.jsonl"
    documents = list(documents_of(path, repair=False))
    details: dict[str, Any] = {"part": arguments.part, "documents": len(documents), "rules": {}}
    settings: dict[str, set[str]] = {
        "normal form": set(),
        **{rule: {rule} for rule in RULES},
        "all": {*RULES},
    }
    base: Counter[str] = Counter()
    measured = []
    for name, rules in settings.items():
        found = pairs(documents, rules)
        base = base or found
        details["rules"][name] = scores(found)
        if len(rules) == 1:  # what it adds to the normal form
            added = Counter({key: found[key] - base[key] for key in ("ours", "both")})
            details["rules"][name]["added pairs"] = dict(added)
            details["rules"][name]["precision of added pairs"] = added["both"] / max(added["ours"], 1)
        recall = details["rules"][name]["recall"]
        measured.append(Measured(f"recall of pairs, {name}", 100 * recall, "%"))
    best = details["rules"]["all"]["precision"]
    details["clusters repaired"] = scores(pairs(list(documents_of(path, repair=True)), {*RULES}))
    measured.append(Measured("precision of pairs, all rules", 100 * best, "%", "at least", 97))
    show(measured)
    print(json.dumps(details, indent=1), file=sys.stderr)
    if arguments.json:
        write(arguments.json, measured, details)


if __name__ == "__main__":
    main()
