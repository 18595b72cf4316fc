"""The models that are there to be loaded, and what each of them is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from biaffinity.config.about import About, Scores, read_about
from biaffinity.config.folder import model_files, read_description
from biaffinity.decoding.schema import Schema
from biaffinity.extraction.loading import DEFAULT_MODEL, embedded_models, model_folder
from biaffinity.files import read_json
from biaffinity.hub import is_hub_name
from biaffinity.hub.cache import cached_models

#: The record of a training run, which lies beside a model until that is moved elsewhere.
RUN = "run.json"
Place = Literal["package", "cache", "folder"]


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model: its name, where its files are, and what it is."""

    name: str
    folder: Path
    place: Place
    encoder: str
    schema: Schema
    bytes: int
    about: About
    scores: dict[str, Scores]

    @classmethod
    def read(cls, name: str, folder: Path, place: Place) -> KnownModel:
        """The model in a folder; scores that nobody wrote down are those of its training."""
        known, about = read_description(folder), read_about(folder)
        return cls(
            name=name,
            folder=folder,
            place=place,
            encoder=known.config.encoder.type,
            schema=known.schema,
            bytes=sum(path.stat().st_size for path in model_files(folder)),
            about=about,
            scores=about.scores or _scores_of_run(folder),
        )

    def to_dict(self) -> dict[str, Any]:
        """A JSON object."""
        return {
            "name": self.name,
            "default": self.place == "package" and self.name == DEFAULT_MODEL,
            "place": self.place,
            "folder": str(self.folder),
            "summary": self.about.summary,
            "encoder": self.encoder,
            "bytes": self.bytes,
            "speed": self.about.speed,
            "entity_types": {name: self._meaning("entity_types", name) for name in self.schema.entity_types},
            "relation_types": {
                name: self._meaning("relation_types", name) for name in self.schema.relation_types
            },
            "type_pairs": [list(pair) for pair in self.schema.pairs],
            "scores": {part: scores.model_dump() for part, scores in self.scores.items()},
            "data": list(self.about.data),
        }

    def _meaning(self, kind: str, name: str) -> dict[str, Any]:
        said = getattr(self.about, kind).get(name)
        return said.model_dump(exclude_none=True) if said else {}


def known_models() -> list[KnownModel]:
    """The models of the package, and those of the hub that are in its cache."""
    return [
        *(KnownModel.read(name, folder, "package") for name, folder in embedded_models().items()),
        *(KnownModel.read(name, folder, "cache") for name, folder in cached_models().items()),
    ]


def known_model(model: str | None) -> KnownModel:
    """A model named as for `Extractor.load`; one of the hub is fetched if it is not in the cache."""
    folder = model_folder(model)
    if folder in embedded_models().values():
        return KnownModel.read(folder.name, folder, "package")
    if model is not None and is_hub_name(model) and not Path(model).exists():
        return KnownModel.read(model, folder, "cache")
    return KnownModel.read(folder.resolve().name, folder, "folder")


def _scores_of_run(folder: Path) -> dict[str, Scores]:
    if not (folder / RUN).exists():
        return {}
    return {
        part: Scores(
            entities=round(100 * sheet["ner"]["micro"]["f1"], 1),
            relations=round(100 * sheet["re"]["strict"]["micro"]["f1"], 1),
        )
        for part, sheet in read_json(folder / RUN).get("scores", {}).items()
    }
