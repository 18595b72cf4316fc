"""A general model against its bars, on the parts that `general_data.py` kept out of training.

    python recipes/general_score.py build/general/model build/general dev [--json results/general.json]

- KnowledgeNet: raw passages in. A fact is its property and the characters of both its arguments. Only the
  properties count that a passage was annotated for, and no fact about a pronoun. Micro F1, by the exact
  characters and by overlapping ones; KnowledgeNet's own program knows both.
- Re-DocRED, entities: on its tokens, strict; micro over Person, Organization, Location and Date.
- Re-DocRED, relations: strict, those whose sentence is evidence; micro, and macro over those that occur.
- Spurious relations: found per 100 sentences with several names and no fact between them.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from general_data import TABLE, Json, Table, lines

import biaffinity
from biaffinity import Document, formats

NAMED = ("Person", "Organization", "Location", "Date")
Span = tuple[int, int]
Fact = tuple[str, Span, Span]


def main() -> None:
    """Print the scores; with ``--json`` write them too."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model")
    parser.add_argument("data", type=Path, help="the folder that general_data.py wrote")
    parser.add_argument("part", choices=["dev", "test"])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    table = Table(TABLE)
    extractor = biaffinity.load(options.model, device=options.device)

    passages = list(lines(options.data / f"{options.part}.passages.jsonl"))
    found = extractor.pipe([passage["text"] for passage in passages])
    exact, overlapping, by_property = knowledgenet(passages, found, table)
    sheet = biaffinity.evaluate(
        options.model, options.data / f"{options.part}.redocred.jsonl", device=options.device
    )
    every = biaffinity.evaluate(
        options.model, options.data / f"{options.part}.redocred-stated.jsonl", device=options.device
    )
    types = [sheet["ner", "per_type", name] for name in NAMED]
    right, found_entities, in_gold = (
        sum(getattr(one, part) for one in types) for part in ("correct", "predicted", "gold")
    )
    bare = list(formats.read(options.data / f"{options.part}.unrelated.jsonl"))
    spurious = sum(len(document.relations) for document in extractor.annotate(bare))
    scores = {
        "knowledgenet": {"exact": exact, "overlapping": overlapping, "passages": len(passages)},
        "knowledgenet by property": by_property,
        "redocred entities": {
            "micro": score(right, found_entities, right, in_gold)["f1"],
            **{name: 100 * one.f1 for name, one in zip(NAMED, types, strict=True)},
        },
        "redocred relations": {
            average: 100 * sheet["re", "strict", average].f1 for average in ("micro", "macro")
        },
        "redocred relations, those without evidence too": {
            average: 100 * every["re", "strict", average].f1 for average in ("micro", "macro")
        },
        "redocred relations by type": {
            path[-1]: 100 * score.f1
            for path, score in sheet.scores.items()
            if path[:3] == ("re", "strict", "per_type")
        },
        "spurious": {"per 100 sentences": 100 * spurious / len(bare), "sentences": len(bare)},
    }
    record = {"model": options.model, "part": options.part, "scores": rounded(scores)}
    print(json.dumps(record, indent=2))
    if options.json:
        options.json.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def knowledgenet(
    passages: Iterable[Json], documents: Iterable[Document], table: Table
) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Precision, recall and F1 by exact and by overlapping characters, and the exact F1 of each property."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for passage, document in zip(passages, documents, strict=True):
        gold, found = gold_facts(passage, table), found_facts(document, passage, table)
        for fact in gold:
            counts[fact[0]]["gold"] += 1
            counts[fact[0]]["met"] += any(overlap(fact, other) for other in found)
        for fact in found:
            counts[fact[0]]["found"] += 1
            counts[fact[0]]["right"] += fact in gold
            counts[fact[0]]["near"] += any(overlap(fact, other) for other in gold)
    total = sum(counts.values(), Counter[str]())
    exact = score(total["right"], total["found"], total["right"], total["gold"])
    overlapping = score(total["near"], total["found"], total["met"], total["gold"])
    each = {name: score(c["right"], c["found"], c["right"], c["gold"])["f1"] for name, c in counts.items()}
    return exact, overlapping, dict(sorted(each.items()))


def score(right: int, found: int, met: int, gold: int) -> dict[str, float]:
    """The share of what was found that is right, of gold that was met, and F1, in percent."""
    precision, recall = right / max(found, 1), met / max(gold, 1)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {"precision": 100 * precision, "recall": 100 * recall, "f1": 100 * f1, "facts": gold}


def gold_facts(passage: Json, table: Table) -> set[Fact]:
    """The facts of a passage between names."""
    text = passage["text"]
    return {
        (fact["property"], tuple(fact["subject"]), tuple(fact["object"]))
        for fact in passage["facts"]
        if not any(table.is_pronoun(text[slice(*fact[role])]) for role in ("subject", "object"))
    }


def found_facts(document: Document, passage: Json, table: Table) -> set[Fact]:
    """What was found in a passage of the properties that it was annotated for."""
    facts: set[Fact] = set()
    for label_key in ("knowledgenet", "scored_as"):
        for name, labels in table.labels(label_key).items():
            if name not in passage["annotated_properties"]:
                continue
            for label in labels:
                for relation in document.relations:
                    if relation.type == label.relation:
                        spans = [(end.start_char, end.end_char) for end in (relation.head, relation.tail)]
                        subject, object_ = reversed(spans) if label.is_reversed else spans
                        facts.add((name, subject, object_))
    return facts


def overlap(one: Fact, other: Fact) -> bool:
    """Whether both arguments of two facts share characters."""
    return one[0] == other[0] and all(a[0] < b[1] and b[0] < a[1] for a, b in ends(one, other))


def ends(one: Fact, other: Fact) -> list[tuple[Span, Span]]:
    """The subjects of two facts, and their objects."""
    return [(one[1], other[1]), (one[2], other[2])]


def rounded(value: Any) -> Any:
    """Numbers to one decimal, wherever they stand."""
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    return round(value, 1) if isinstance(value, float) else value


if __name__ == "__main__":
    main()
