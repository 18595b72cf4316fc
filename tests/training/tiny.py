"""A corpus and a network so small that a whole training run takes less than a second."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.config.settings import Config, validate
from biaffinity.encoders.transformer.settings import TransformerSettings
from biaffinity.formats import write
from biaffinity.training import Event, Progress

PEOPLE = ("Ida Moor", "Tove Lind", "Ivo Marek", "Ana Ruiz", "Dario Venn", "Per Holm")
PLACES = ("Port Vane", "Solund", "Quellport", "Bergheim")
FIRMS = ("Fjell Bank", "Norvik Oil", "Harrow Press")

RECIPE: dict[str, dict[str, Any]] = {
    "encoder": {"word_size": 8, "character_size": 4, "character_hidden": 4},
    "model": {
        "lstm_hidden": 8,
        "lstm_layers": 1,
        "tagger_hidden": 8,
        "label_size": 4,
        "projection": 8,
        "dropout": 0.2,
    },
    "training": {"epochs": 4, "batch_size": 4, "learning_rate": 0.02},
}
#: Everything that has a state of its own: what is drawn for an epoch, the rate; and all that could leave one.
WITH_ALL_STATE = {
    "negative_ratio": 0.5,
    "relation_labels": "predicted",
    "schedule": "linear",
    "clip": 5.0,
    "adversarial": 0.5,
}


def config(**sections: dict[str, Any]) -> Config:
    """The tiny recipe with some values of some sections changed."""
    return validate(
        {name: RECIPE.get(name, {}) | sections.get(name, {}) for name in {*RECIPE, *sections}},
        where="the test",
    )


def above(transformer: Path | str, config: Config) -> Config:
    """The same config over a transformer, in single precision, which every machine has."""
    sizes = {"character_size": 4, "character_hidden": 4}
    encoder = TransformerSettings(name=str(transformer), bfloat16=False, **sizes)
    return config.model_copy(update={"encoder": encoder})


def sentences(count: int, first: int = 0) -> list[Sentence]:
    """Sentences about invented people, places and firms; ``first`` tells where in the series to begin."""
    return [_sentence(number) for number in range(first, first + count)]


def _sentence(number: int) -> Sentence:
    person = PEOPLE[number % len(PEOPLE)].split()
    place = PLACES[number % len(PLACES)].split()
    firm = FIRMS[number % len(FIRMS)].split()
    kind, name = number % 3, f"s{number}"
    if kind == 0:
        tokens = [*person, "lives", "in", *place, "."]
        entities = [Entity(0, 2, "Peop"), Entity(4, 4 + len(place), "Loc")]
        return Sentence(tokens, entities, [Relation("Live_In", 0, 1)], id=name)
    if kind == 1:
        tokens = ["Yesterday", *firm, "hired", *person, "."]
        entities = [Entity(1, 3, "Org"), Entity(4, 6, "Peop")]
        return Sentence(tokens, entities, [Relation("Work_For", 1, 0)], id=name)
    tokens = [*firm, "of", *place, "and", *person, "met", "."]
    end = 3 + len(place)
    entities = [Entity(0, 2, "Org"), Entity(3, end, "Loc"), Entity(end + 1, end + 3, "Peop")]
    return Sentence(tokens, entities, [Relation("OrgBased_In", 0, 1)], id=name)


def write_corpus(folder: Path) -> dict[str, Path]:
    """The files train, dev and test of the tiny corpus."""
    paths = {name: folder / f"{name}.jsonl" for name in ("train", "dev", "test")}
    write(paths["train"], sentences(18))
    write(paths["dev"], sentences(6, first=31))
    write(paths["test"], sentences(4, first=50))
    return paths


def write_recipe(path: Path, **sections: dict[str, Any]) -> Path:
    """The tiny recipe as a TOML file."""
    values = config(**sections).model_dump()
    lines = []
    for section, keys in values.items():
        lines.append(f"[{section}]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    path.write_text("\n".join(lines) + "\n")
    return path


def weights(folder: Path) -> dict[str, torch.Tensor]:
    """The tensors of the model in a folder."""
    return dict(load_file(folder / "model.safetensors"))


def same_tensors(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    """Whether two sets of tensors are the same, bit for bit."""
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def history(folder: Path) -> list[dict[str, Any]]:
    """The history of a run without its times."""
    lines = (folder / "history.jsonl").read_text().splitlines()
    return [
        {key: value for key, value in json.loads(line).items() if not key.endswith("seconds")}
        for line in lines
    ]


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder, but for the lock of a run that is going on."""
    files = (path for path in folder.iterdir() if path.is_file() and path.name != ".lock")
    return {path.name: path.read_bytes() for path in files}


class Killed(BaseException):
    """The process is gone."""


def stop_at(epoch: int, step: int, error: type[BaseException]) -> Callable[[Event], None]:
    """A watcher that raises at an update."""

    def watch(event: Event) -> None:
        if isinstance(event, Progress) and (event.epoch, event.step) == (epoch, step):
            raise error

    return watch
