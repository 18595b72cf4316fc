"""A folder of finished runs, read back: which variant, setup and seed each was, and what it scored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from biaffinity.errors import DataError, UsageError
from biaffinity.experiments.paper_scores import CORPUS
from biaffinity.experiments.plan import EXTRA_SCORES
from biaffinity.experiments.variants import FULL, VARIANTS, Variant, variant_of
from biaffinity.files import read_json, read_lines
from biaffinity.model.config import Config, validate
from biaffinity.training.session import HISTORY, RUN, is_complete

CellPath = tuple[str, ...]
#: Where a score sheet has the paper's two numbers, by setup.
HEADLINE = {
    (1, "entities"): ("paper", "ner"),
    (2, "entities"): ("paper", "ec"),
    (1, "relations"): ("paper", "rc"),
    (2, "relations"): ("paper", "rc"),
}


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """One run's record, score sheets and epochs (none where that file was not kept)."""

    folder: Path
    config: Config
    variant: Variant | None
    record: dict[str, Any]
    scores: dict[str, Any]
    history: list[dict[str, Any]]

    @classmethod
    def read(cls, folder: Path) -> FinishedRun | None:
        """The run in a folder; None where it has not come to its end."""
        record = read_json(folder / RUN)
        if not is_complete(record):
            return None
        missing = {"config", "seed", "data", "scores", "seconds"} - record.keys()
        if missing:
            where = str(folder / RUN)
            raise DataError(f"is no record of a training run: it has no {min(missing)}", where=where)
        config = validate(record["config"], where=str(folder / RUN))
        scores = dict(record["scores"])
        if (folder / EXTRA_SCORES).exists():
            scores |= read_json(folder / EXTRA_SCORES).get("scores", {})
        history = _read_history(folder / HISTORY)
        return cls(folder, config, variant_of(config.model), record, scores, history)

    @property
    def setup(self) -> int:
        """1, or 2 where boundaries were given."""
        return self.config.model.setup

    @property
    def seed(self) -> int:
        """The seed."""
        return int(self.record["seed"])

    def f1(self, part: str, path: CellPath) -> float | None:
        """A cell of the score sheet of ``part``, in percent, if the run has it."""
        leaf: Any = self.scores.get(part)
        for step in path:
            leaf = leaf.get(step) if isinstance(leaf, dict) else None
        return 100 * float(leaf["f1"]) if isinstance(leaf, dict) else None

    def circumstances(self) -> dict[str, Any]:
        """What all runs of a series have in common: the recipe but for the variant's switches, the data."""
        plain = self.config.model.model_copy(
            update={key: getattr(_PLAIN, key) for key in (*_SWITCHES, "setup")}
        )
        config = self.config.model_copy(update={"model": plain}).model_dump()
        data = {f"data.{part}": facts.get("sha256") for part, facts in self.record["data"].items()}
        values = {f"{section}.{key}": v for section, keys in config.items() for key, v in keys.items()}
        return {**values, **data, "vectors": self.record.get("vectors")}


_PLAIN = Config().model
_SWITCHES = {key for variant in VARIANTS.values() for key, _ in variant.switches}


@dataclass(slots=True)
class Series:
    """The runs of one folder, by variant, setup and seed."""

    name: str
    runs: dict[tuple[str, int], dict[int, FinishedRun]] = field(default_factory=dict)
    #: What the reader should know: unfinished runs, runs that are no variant of the paper's.
    notes: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, folder: Path) -> Series:
        """All finished runs under a folder, which must be of one recipe and one corpus."""
        if not folder.is_dir():
            raise DataError("no such folder", where=str(folder), remedy="check the path")
        series, unfinished = cls(folder.resolve().name), []
        for path in sorted(folder.rglob(RUN)):
            run = FinishedRun.read(path.parent)
            if run is None:
                unfinished.append(str(path.parent.relative_to(folder)))
            elif run.variant is None:
                series.notes.append(f"{path.parent.relative_to(folder)} is none of the variants: left out")
            else:
                series._add(run, run.variant)
        if not series.runs:
            remedy = "biaffinity reproduce and biaffinity train make them"
            raise DataError("holds no finished run", where=str(folder), remedy=remedy)
        if unfinished:
            series.notes.append(f"not finished: {', '.join(unfinished)}")
        return series

    def _add(self, run: FinishedRun, variant: Variant) -> None:
        first = next(self.all_runs(), None)
        if first is not None:
            _check_alike(first, run)
        seeds = self.runs.setdefault((variant.name, run.setup), {})
        if run.seed in seeds:
            raise UsageError(
                f"is the same run as {seeds[run.seed].folder}",
                where=str(run.folder),
                remedy="give their folders one by one",
            )
        seeds[run.seed] = run

    def all_runs(self) -> Iterator[FinishedRun]:
        """Every run."""
        return (run for seeds in self.runs.values() for run in seeds.values())

    @property
    def setups(self) -> list[int]:
        """The setups that were run."""
        return sorted({setup for _, setup in self.runs})

    @property
    def seeds(self) -> set[int]:
        """All seeds that some run had."""
        return {seed for seeds in self.runs.values() for seed in seeds}

    @property
    def variants(self) -> list[Variant]:
        """The variants that were run, in the table's order."""
        return [variant for name, variant in VARIANTS.items() if any(name == have for have, _ in self.runs)]

    @property
    def is_ablation(self) -> bool:
        """Whether there is more than the full network."""
        return any(variant is not FULL for variant in self.variants)

    @property
    def digests(self) -> dict[str, str | None]:
        """Fingerprints of what it is judged by."""
        data = next(self.all_runs()).record["data"]
        return {part: data[part].get("sha256") for part in ("dev", "test") if part in data}

    @property
    def on_paper_corpus(self) -> bool:
        """Whether its scores can stand beside the paper's."""
        return all(CORPUS[part] == digest for part, digest in self.digests.items())

    def values(self, variant: Variant, setup: int, part: str, path: CellPath) -> dict[int, float]:
        """F1 in percent by seed, of the runs that have it."""
        runs = self.runs.get((variant.name, setup), {})
        found = {seed: run.f1(part, path) for seed, run in sorted(runs.items())}
        return {seed: value for seed, value in found.items() if value is not None}


def read_all(folders: Iterable[Path]) -> list[Series]:
    """A series per folder; they must be of one corpus, and their names differ."""
    series: list[Series] = []
    for folder in folders:
        new = Series.read(folder)
        for other in series:
            if other.name == new.name:
                raise UsageError(f"two folders have the name {new.name}", remedy="rename one")
            if other.digests != new.digests:
                where = str(folder)
                raise UsageError(f"is of other dev or test data than {other.name}", where=where)
        series.append(new)
    return series


def _read_history(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    try:
        return [json.loads(line) for _, line in read_lines(path)]
    except json.JSONDecodeError as error:
        raise DataError(f"is not JSON: {error.msg}", where=str(path)) from error


def _check_alike(first: FinishedRun, other: FinishedRun) -> None:
    one, two = first.circumstances(), other.circumstances()
    for key in {**one, **two}:
        if one.get(key) != two.get(key):
            raise UsageError(
                f"its {key} is {two.get(key)}, that of {first.folder} is {one.get(key)}",
                where=str(other.folder),
                remedy="runs of one folder must be of one recipe and corpus: give their folders one by one",
            )
