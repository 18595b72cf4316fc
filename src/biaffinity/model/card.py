"""The model card: what a model is, where it comes from, how good it is, what it is not for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from biaffinity.config.about import About, Meaning, read_about
from biaffinity.config.seal import unseal
from biaffinity.files import writing

_PERCENT = "{:.1f}"


def write_card(folder: Path, record: dict[str, Any]) -> None:
    """Write ``README.md`` into a model folder from the record of its run and what is written of it."""
    unseal(folder)
    with writing(folder / "README.md") as file:
        file.write("\n".join(_card(folder.name, record, read_about(folder))) + "\n")


def _card(name: str, record: dict[str, Any], about: About) -> list[str]:
    model = record["config"]["model"]
    given = model["boundaries"] == "given"
    task = "entity types and relations within given entity boundaries" if given else "entities and relations"
    data = record["data"]
    lines = [
        f"# {name}",
        "",
        f"A Biaffinity model: {task} from English tokens, by a {model['architecture']} BiLSTM-CRF and deep",
        "biaffine network (Nguyen & Verspoor 2019).",
        "",
        *_known("Entity types", about.entity_types),
        *_known("Relations", about.relation_types),
        "## Training",
        "",
        *(f"- {line}" for line in about.data),
        *(f"- {part}: {facts['file']}, {facts['sentences']} sentences" for part, facts in data.items()),
        f"- word vectors: {record['vectors'] or 'none'}",
        f"- recipe: {record['recipe']}, seed {record['seed']}, best epoch {record['best_epoch']}",
        f"- time: {record['seconds']:.0f} s on {record['machine']['processor']} ({record['device']})",
        f"- made at commit {record['commit']} by:",
        "",
        f"      {record['command']}",
        "",
        "## Scores (F1, percent)",
        "",
        "| | entities strict micro | macro | relations strict micro | macro | boundaries micro |"
        " paper's entities | paper's RC |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for part, scores in record["scores"].items():
        cells = [
            scores["ner"]["micro"],
            scores["ner"]["macro"],
            scores["re"]["strict"]["micro"],
            scores["re"]["strict"]["macro"],
            scores["re"]["boundaries"]["micro"],
            scores["paper"]["ec" if given else "ner"],
            scores["paper"]["rc"],
        ]
        lines.append(f"| {part} | " + " | ".join(_PERCENT.format(100 * cell["f1"]) for cell in cells) + " |")
    return [
        *lines,
        "",
        *_calibration(record.get("calibration", {})),
        "## Limits",
        "",
        "It knows the types it was trained on and text like its training text; within one sentence only.",
        "Entities do not overlap. Scores elsewhere will be lower than those above.",
    ]


def _known(title: str, types: dict[str, Meaning]) -> list[str]:
    if not types:
        return []
    rows = (f"| {name} | {said.meaning} | {said.id or ''} |" for name, said in types.items())
    return [f"## {title}", "", "| | meaning | Wikidata |", "|---|---|---|", *rows, ""]


def _entities(threshold: float) -> str:
    if not threshold:
        return "entities are those of the best labelling."
    return f"entities are all that are right with a probability of at least {threshold:g}."


def _calibration(fitted: dict[str, float]) -> list[str]:
    if not fitted:
        return []
    return [
        "## Calibration",
        "",
        f"Fitted on dev: scores of entities are divided by {fitted['entity_temperature']:g}, of relations by"
        f" {fitted['relation_temperature']:g};",
        f'"no relation" is given {fitted["no_relation_bias"]:+g} beforehand;',
        _entities(fitted.get("entity_threshold", 0)),
        "",
    ]
