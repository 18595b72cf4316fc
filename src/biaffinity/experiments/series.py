"""A series: finished runs of one recipe and corpus, by variant, setup and seed, and what they scored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from biaffinity.errors import DataError, UsageError
from biaffinity.experiments.paper_scores import CORPUS
from biaffinity.experiments.runs import CellPath, FinishedRun, read_runs
from biaffinity.experiments.variants import FULL, VARIANTS, Variant

#: Where a score sheet has the paper's two numbers, by setup.
HEADLINE = {
    (1, "entities"): ("paper", "ner"),
    (2, "entities"): ("paper", "ec"),
    (1, "relations"): ("paper", "rc"),
    (2, "relations"): ("paper", "rc"),
}


@dataclass(slots=True)
class Series:
    """The runs of one folder or file, by variant, setup and seed."""

    name: str
    runs: dict[tuple[str, int], dict[int, FinishedRun]] = field(default_factory=dict)
    #: What the reader should know: unfinished runs, runs that are no variant of the paper's.
    notes: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, source: Path) -> Series:
        """All finished runs of a folder, or of a file of gathered ones; of one recipe and one corpus."""
        finished, unfinished = read_runs(source)
        series = cls(source.resolve().stem if source.is_file() else source.resolve().name)
        for run in finished:
            if run.variant is None:
                series.notes.append(f"{run.name} is none of the variants: left out")
            else:
                series._add(run, run.variant)
        if not series.runs:
            raise DataError("holds no run of the paper's variants", where=str(source))
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
                f"is the same run as {seeds[run.seed].where}",
                where=run.where,
                remedy="a series has each run once: report them one by one",
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


def read_all(sources: Iterable[Path]) -> list[Series]:
    """A series per folder or file; they must be of one corpus, and their names differ."""
    series: list[Series] = []
    for source in sources:
        new = Series.read(source)
        for other in series:
            if other.name == new.name:
                raise UsageError(f"two series have the name {new.name}", remedy="rename one")
            if other.digests != new.digests:
                where = str(source)
                raise UsageError(f"is of other dev or test data than {other.name}", where=where)
        series.append(new)
    return series


def _check_alike(first: FinishedRun, other: FinishedRun) -> None:
    one, two = first.circumstances(), other.circumstances()
    for key in {**one, **two}:
        if one.get(key) != two.get(key):
            raise UsageError(
                f"its {key} is {two.get(key)}, that of {first.where} is {one.get(key)}",
                where=other.where,
                remedy="a series is of one recipe and corpus: report them one by one",
            )
