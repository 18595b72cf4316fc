"""What the best epoch is best by, on dev."""

from __future__ import annotations

from dataclasses import dataclass

from biaffinity.config.settings import Config
from biaffinity.scoring import ScoreSheet
from biaffinity.scoring.matching import Cell


@dataclass(frozen=True, slots=True)
class Selection:
    """A cell of the score sheet for entities and one for relations; an epoch is judged by their mean."""

    name: str
    entities: Cell
    relations: Cell

    @classmethod
    def of(cls, config: Config) -> Selection:
        """The selection of a config."""
        if config.training.selection == "micro":
            return cls("strict micro F1", ("ner", "micro"), ("re", "strict", "micro"))
        entities = "ner" if config.model.boundaries == "predicted" else "ec"
        return cls(f"paper's {entities.upper()} and RC", ("paper", entities), ("paper", "rc"))

    def scores(self, sheet: ScoreSheet) -> tuple[float, float, float]:
        """F1 of entities, F1 of relations, and the mean of both."""
        entities, relations = sheet[self.entities].f1, sheet[self.relations].f1
        return entities, relations, (entities + relations) / 2
