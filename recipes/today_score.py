"""An embedded model on sentences of today that were written for this (samples/today).

    python recipes/today_score.py news test [--model FOLDER] [--wrong]

Raw text in; an entity counts by its characters and type, a relation by its type and the texts of both ends,
micro F1. Relations over which a fair annotator could argue count neither way. By the dev part phrases were
added to recipes/phrases.txt; nothing was chosen by the test part. ``silent`` is sentences that state nothing.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import biaffinity
from biaffinity import Document

SENTENCES = Path(__file__).parents[1] / "samples" / "today"
#: Other names follow each corpus's own rules; they are not judged.
TYPES = {"news": ("Peop", "Org", "Loc"), "general": ("Person", "Organization", "Location", "Date")}


def main() -> None:
    """Print the scores as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("types", choices=list(TYPES), help="whose types the model has")
    parser.add_argument("part", choices=["dev", "test", "silent"])
    parser.add_argument("--model", help="a model folder; the embedded one if none is named")
    parser.add_argument("--wrong", action="store_true", help="show the sentences that it gets wrong")
    options = parser.parse_args()
    extractor = biaffinity.load(options.model or options.types)
    if options.part == "silent":
        texts = (SENTENCES / "silent.txt").read_text(encoding="utf-8").splitlines()
        found = [len(document.relations) for document in extractor.pipe(texts)]
        print(json.dumps({"relations": sum(found), "sentences": len(texts)}))
        return
    lines = (SENTENCES / f"{options.part}.jsonl").read_text(encoding="utf-8").splitlines()
    sentences = [json.loads(line) for line in lines]
    documents = list(extractor.pipe([sentence["text"] for sentence in sentences]))
    print(json.dumps(scores(sentences, documents, options.types, show=options.wrong), indent=1))


def scores(
    sentences: Iterable[dict[str, Any]], documents: Iterable[Document], types: str, *, show: bool = False
) -> dict[str, dict[str, float]]:
    """Precision, recall and F1 of entities and of relations."""
    counts = {"entities": [0, 0, 0], "relations": [0, 0, 0]}
    for sentence, document in zip(sentences, documents, strict=True):
        gold = {
            "entities": {
                (e["start"], e["end"], e[types]) for e in sentence["entities"] if e.get(types) in TYPES[types]
            },
            "relations": {tuple(relation) for relation in sentence[types]},
        }
        arguable = {tuple(relation) for relation in sentence["arguable"][types]}
        found: dict[str, set[Any]] = {
            "entities": {
                (e.start_char, e.end_char, e.type) for e in document.entities if e.type in TYPES[types]
            },
            "relations": {(r.type, r.head.text, r.tail.text) for r in document.relations}
            - (arguable - gold["relations"]),
        }
        for kind, (right, said, stated) in counts.items():
            both = len(gold[kind] & found[kind])
            counts[kind] = [right + both, said + len(found[kind]), stated + len(gold[kind])]
        if show and gold != found:
            print(sentence["text"])
            for kind, known in gold.items():
                for sign, rest in (("missed", known - found[kind]), ("wrong", found[kind] - known)):
                    if rest:
                        print(f"   {sign}: {sorted(rest)}")
    return {kind: f1(*numbers) for kind, numbers in counts.items()}


def f1(right: int, said: int, stated: int) -> dict[str, float]:
    """Percentages from counts."""
    return {
        "precision": round(100 * right / max(said, 1), 1),
        "recall": round(100 * right / max(stated, 1), 1),
        "f1": round(200 * right / max(said + stated, 1), 1),
        "gold": stated,
    }


if __name__ == "__main__":
    main()
