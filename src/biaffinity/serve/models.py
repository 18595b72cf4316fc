"""The models of a service: each with its extractor, and what is told of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from biaffinity.config.about import Meaning
from biaffinity.config.folder import read_examples
from biaffinity.errors import UsageError
from biaffinity.extraction import Extractor
from biaffinity.extraction.identity import machine
from biaffinity.extraction.known import KnownModel, known_model
from biaffinity.extraction.loading import DEFAULT_MODEL, embedded_models
from biaffinity.serve.problems import ServiceError
from biaffinity.serve.schemas import ServedModelRecord, TypeRecord
from biaffinity.serve.settings import Settings


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model that answers requests."""

    known: KnownModel
    extractor: Extractor
    examples: dict[str, str]

    @property
    def name(self) -> str:
        """What requests and answers call it."""
        return self.known.name

    def version(self) -> str:
        """How it signs what it found; its files are read for that."""
        return machine(self.name, self.known.folder).version

    def record(self, *, default: bool) -> ServedModelRecord:
        """What it is, for a client that chooses."""
        about = self.known.about
        return ServedModelRecord(
            name=self.name,
            default=default,
            summary=about.summary,
            entity_types=_described(self.extractor.entity_types, about.entity_types),
            relation_types=_described(self.extractor.relation_types, about.relation_types),
            examples=self.examples,
        )


class Models:
    """The models of a service, by name; the first of them is meant where none is named."""

    def __init__(self, models: Sequence[ServedModel]) -> None:
        self._models = {model.name: model for model in models}
        self.default = models[0]

    @classmethod
    def load(cls, settings: Settings, extractor: Extractor | None = None) -> Models:
        """Those of the settings; an extractor that is given is served alone, in the place of the first."""
        known = [known_model(model) for model in _asked_for(settings)]
        names = [model.name for model in known]
        if twice := next((name for name in names if names.count(name) > 1), None):
            folders = " and ".join(str(model.folder) for model in known if model.name == twice)
            raise UsageError(
                f"two models are called {twice!r:.80}: {folders}",
                remedy="requests tell models by their names: rename a folder, or leave one out",
            )
        if extractor is not None:
            return cls([ServedModel(known[0], extractor, read_examples(known[0].folder))])
        return cls(
            [
                ServedModel(
                    model, Extractor.load(model.folder, device=settings.device), read_examples(model.folder)
                )
                for model in known
            ]
        )

    def __iter__(self) -> Iterator[ServedModel]:
        return iter(self._models.values())

    def named(self, name: str | None) -> ServedModel:
        """The one that a request asks for."""
        if name is None:
            return self.default
        if name in self._models:
            return self._models[name]
        near = get_close_matches(name, self._models, n=1)
        guess = f"did you mean {near[0]}? " if near else ""
        raise ServiceError(
            422,
            f"there is no model {name!r:.80}",
            where="model",
            remedy=f"{guess}known are: {', '.join(self._models)}",
        )

    @property
    def entity_types(self) -> list[str]:
        """The entity types of all of them."""
        return list(dict.fromkeys(name for model in self for name in model.extractor.entity_types))

    @property
    def relation_types(self) -> list[str]:
        """The relation types of all of them."""
        return list(dict.fromkeys(name for model in self for name in model.extractor.relation_types))


def _asked_for(settings: Settings) -> Sequence[str | None]:
    """The models of the settings as they are named there; None is the one that any command takes then."""
    return settings.models or (None, *(name for name in embedded_models() if name != DEFAULT_MODEL))


def _described(types: Sequence[str], meanings: Mapping[str, Meaning]) -> dict[str, TypeRecord]:
    return {
        name: TypeRecord.model_validate(meanings[name].model_dump() if name in meanings else {})
        for name in types
    }
