"""What is to be run: variants x setups x seeds of a recipe on a corpus, and what of it stands already.

OUT/VARIANT/setupK-seedN/   one run, as `biaffinity.train` leaves it, and beside its files:
    extra-scores.json       test scores without the sentences that train or dev have too
    log.txt                 what a run that failed had to say
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biaffinity import formats
from biaffinity.config.folder import WEIGHTS
from biaffinity.config.recipes import read_recipe
from biaffinity.config.settings import Config, validate
from biaffinity.config.upgrade import upgraded_config
from biaffinity.corpus.repeats import Repeats
from biaffinity.errors import DataError, UsageError
from biaffinity.experiments.variants import SETUPS, Variant
from biaffinity.files import read_json
from biaffinity.training.from_files import data_digest
from biaffinity.training.session import RUN, is_complete
from biaffinity.training.state import CHECKPOINT

EXTRA_SCORES = "extra-scores.json"
LOG = "log.txt"


@dataclass(frozen=True, slots=True)
class Corpus:
    """The files of a data folder, fingerprints of what they hold, and test ids met in train or dev."""

    files: dict[str, Path]
    digests: dict[str, str]
    repeated: frozenset[str]
    changes: tuple[str, ...]

    @classmethod
    def read(cls, folder: Path) -> Corpus:
        """A folder with train.jsonl, dev.jsonl and, where there is one, test.jsonl."""
        if not folder.is_dir():
            raise DataError("no such folder", where=str(folder), remedy="check --data")
        files = {part: folder / f"{part}.jsonl" for part in ("train", "dev", "test")}
        if not files["test"].exists():
            del files["test"]
        digests, repeats, report = {}, Repeats(), formats.Report()
        for part, path in files.items():
            sentences = list(formats.read(path, report=report))
            digests[part] = data_digest(sentences)
            for sentence in sentences:
                repeats.add(sentence, part, sentence.id)
        found = repeats.splits["test"].across if "test" in repeats.splits else []
        return cls(files, digests, frozenset(repeat.id for repeat in found), tuple(report.lines()))


@dataclass(frozen=True, slots=True)
class Run:
    """One of the runs: which network, from which start."""

    variant: Variant
    setup: int
    seed: int

    @property
    def name(self) -> str:
        """Its folder within OUT."""
        return f"{self.variant.name}/setup{self.setup}-seed{self.seed}"


@dataclass(frozen=True, slots=True)
class Experiment:
    """What all runs have in common."""

    recipe: str
    corpus: Corpus
    out: Path
    vectors: Path | None = None
    device: str = "cpu"
    overrides: tuple[str, ...] = ()
    keep_models: bool = True

    def folder(self, run: Run) -> Path:
        """Where a run leaves its files."""
        return self.out / run.name

    def overrides_of(self, run: Run) -> list[str]:
        """What is laid over the recipe for a run; its variant and setup have the last word."""
        boundaries = next(name for name, setup in SETUPS.items() if setup == run.setup)
        return [*self.overrides, *run.variant.overrides, f"model.boundaries={boundaries}"]

    def config(self, run: Run) -> Config:
        """The config of a run."""
        return read_recipe(self.recipe, self.overrides_of(run))

    def is_done(self, run: Run) -> bool:
        """Whether a run has left all its scores; one of another recipe or other data is an error."""
        folder = self.folder(run)
        if not (folder / RUN).exists():
            return False
        record = read_json(folder / RUN)
        self.check_same(run, record, str(folder))
        if not is_complete(record):
            return False
        scored = not self.corpus.repeated or (folder / EXTRA_SCORES).exists()
        return scored or not (folder / WEIGHTS).exists()

    def check_same(self, run: Run, record: dict[str, Any], where: str) -> None:
        """Refuse the record of another run; a value that was unknown when it ran counts as its default."""
        before = {
            "seed": record.get("seed"),
            "data": {part: facts.get("sha256") for part, facts in record.get("data", {}).items()},
            "word vectors": record.get("vectors"),
            **validate(upgraded_config(record.get("config", {})), where=where).model_dump(),
        }
        now = {
            "seed": run.seed,
            "data": self.corpus.digests,
            "word vectors": self.vectors.name if self.vectors else None,
            **self.config(run).model_dump(),
        }
        for key, value in now.items():
            if before[key] != value:
                raise UsageError(
                    f"holds a run of other {_differing(key, before[key], value)}",
                    where=where,
                    remedy="ask for the same as before, or name another --out",
                )


def runs_of(variants: Iterable[Variant], setups: Iterable[int], seeds: Iterable[int]) -> list[Run]:
    """All runs: seed after seed, so that work cut short has whole seeds; the pipeline, the longest, first."""
    ordered = sorted(variants, key=lambda variant: variant.name != "pipeline")
    setups = list(setups)
    return [Run(variant, setup, seed) for seed in seeds for variant in ordered for setup in setups]


def outstanding(experiment: Experiment, runs: Iterable[Run]) -> list[Run]:
    """The runs that are not done: those begun first."""
    left = [run for run in runs if not experiment.is_done(run)]
    return sorted(left, key=lambda run: not (experiment.folder(run) / CHECKPOINT).exists())


def _differing(key: str, before: Any, now: Any) -> str:
    if isinstance(before, dict) and isinstance(now, dict):
        names = [name for name in {**now, **before} if before.get(name) != now.get(name)]
        if key == "data":
            return f"data: {', '.join(names)}"
        return f"config: {_differing(f'{key}.{names[0]}', before.get(names[0]), now.get(names[0]))}"
    return f"{key}: it was {before}, now it is {now}"
