"""Who teaches: models by their names, and the types that they and the training data must share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from biaffinity.annotation import Sentence
from biaffinity.config.folder import read_description, weights_fingerprint
from biaffinity.decoding.schema import Schema
from biaffinity.errors import UsageError
from biaffinity.extraction.loading import model_folder


@dataclass(frozen=True, slots=True)
class Types:
    """The types of entities and of relations that someone knows."""

    entities: list[str]
    relations: list[str]

    @classmethod
    def of(cls, schema: Schema) -> Types:
        """Those that a schema names."""
        return cls(sorted(schema.entity_types), sorted(schema.relation_types))

    @classmethod
    def among(cls, sentences: Iterable[Sentence]) -> Types:
        """Those of some annotated sentences."""
        return cls.of(Schema.build(sentences))

    def require(self, who: str, gold: Types) -> None:
        """Refuse types other than those of the training data: a student would learn one half of each wrong.

        A type that only the teacher knows has no gold; of one that only gold has, no text shows an example.
        """
        if differences := [*self._differences(gold)]:
            raise UsageError(
                f"knows other types than the training data: {'; '.join(differences)}",
                where=who,
                remedy="give teachers that were trained on the types of --train, or rename the types there",
            )

    def _differences(self, gold: Types) -> Iterator[str]:
        for kind, own in asdict(self).items():
            theirs = getattr(gold, kind)
            for names, place in (
                (set(own) - set(theirs), "it alone"),
                (set(theirs) - set(own), "the data alone"),
            ):
                if names:
                    yield f"{kind} {', '.join(sorted(names))} in {place}"


@dataclass(frozen=True, slots=True)
class Teacher:
    """A model as it was named, where it is, the digest of its weights, and its types."""

    name: str
    folder: Path
    weights: str
    types: Types


def signed(name: str, weights: str) -> str:
    """A teacher as a message names it: what it is called, and what its weights are known by."""
    return f"{name} (weights {weights[:12]})"


def find_teachers(models: Sequence[str | Path]) -> list[Teacher]:
    """The models by their names, as for `Extractor.load`; those of the hub are fetched."""
    teachers: list[Teacher] = []
    for model in models:
        folder = model_folder(model)
        description = read_description(folder)
        if description.config.model.boundaries == "given":
            raise UsageError(
                "cannot teach: it does not find entities, it reads the relations between those it is given",
                where=str(model),
                remedy="name a model that was trained with model.boundaries=predicted",
            )
        teacher = Teacher(str(model), folder, weights_fingerprint(folder), Types.of(description.schema))
        for earlier in teachers:
            if earlier.weights == teacher.weights:
                raise UsageError(
                    f"has the very weights of {earlier.name}: its vote would count twice",
                    where=teacher.name,
                    remedy="name each teacher once",
                )
        teachers.append(teacher)
    return teachers
