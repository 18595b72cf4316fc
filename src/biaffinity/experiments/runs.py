"""Finished runs, each one record, read from the folder that it left or from a file that has gathered many.

NAME.jsonl has a line per run: all that its run.json holds, and
    run       the name of its folder
    scores    those of its extra-scores.json too
    curve     its history.jsonl by columns, a value per epoch
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biaffinity.checksums import SEAL
from biaffinity.config.settings import Config, validate
from biaffinity.config.upgrade import upgraded_config
from biaffinity.errors import DataError, UsageError
from biaffinity.experiments.plan import EXTRA_SCORES
from biaffinity.experiments.variants import SETUPS, SWITCHES, Variant, variant_of
from biaffinity.files import read_json, read_json_lines, writing
from biaffinity.training.history import HISTORY
from biaffinity.training.session import RUN, is_complete

CellPath = tuple[str, ...]
Record = dict[str, Any]

#: What a record must have to be reported on.
_FIELDS: dict[str, type | tuple[type, ...]] = {
    "config": dict,
    "seed": int,
    "data": dict,
    "scores": dict,
    "seconds": (int, float),
    "curve": dict,
}


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """One run's record and where it was read: its folder, or the line of a file."""

    where: str
    config: Config
    variant: Variant | None
    record: Record

    @classmethod
    def of(cls, record: Record, where: str) -> FinishedRun:
        """The run that a record tells of; every config of the past is read here."""
        for key, kind in _FIELDS.items():
            if not isinstance(record.get(key), kind):
                raise DataError(f"is no record of a training run: it has no {key}", where=where)
        _check_curve(record["curve"], where)
        config = validate(upgraded_config(record["config"]), where=where)
        return cls(where, config, variant_of(config), record)

    @property
    def name(self) -> str:
        """The name of its folder."""
        return str(self.record["run"])

    @property
    def setup(self) -> int:
        """The paper's number of its task: 1, or 2 where boundaries were given."""
        return SETUPS[self.config.model.boundaries]

    @property
    def seed(self) -> int:
        """The seed."""
        return int(self.record["seed"])

    @property
    def scores(self) -> dict[str, Any]:
        """Its score sheets, by the part of the data that they are of."""
        return dict(self.record["scores"])

    @property
    def curve(self) -> dict[str, list[float]]:
        """Losses, dev scores and seconds by epoch; empty where they were not kept."""
        return dict(self.record["curve"])

    def f1(self, part: str, path: CellPath) -> float | None:
        """A cell of the score sheet of ``part``, in percent, if the run has it."""
        leaf: Any = self.scores.get(part)
        for step in path:
            leaf = leaf.get(step) if isinstance(leaf, dict) else None
        return 100 * float(leaf["f1"]) if isinstance(leaf, dict) else None

    def circumstances(self) -> dict[str, Any]:
        """What all runs of a series have in common: the recipe but for the variant's switches, the data."""
        config = self.config.model_dump()
        values = {f"{section}.{key}": v for section, keys in config.items() for key, v in keys.items()}
        for key in (*SWITCHES, "model.boundaries"):
            del values[key]
        data = {f"data.{part}": facts.get("sha256") for part, facts in self.record["data"].items()}
        return {**values, **data, "vectors": self.record.get("vectors")}


def read_runs(source: Path) -> tuple[list[FinishedRun], list[str]]:
    """The finished runs anywhere in a folder, or in a file of gathered runs; the names of unfinished ones."""
    if not source.exists():
        raise DataError("no such file or folder", where=str(source), remedy="check the path")
    finished, unfinished = [], []
    for where, record in _folder_records(source) if source.is_dir() else _file_records(source):
        if is_complete(record):
            finished.append(FinishedRun.of(record, where))
        else:
            unfinished.append(str(record["run"]))
    if not finished:
        remedy = "biaffinity reproduce and biaffinity train make them"
        raise DataError("holds no finished run", where=str(source), remedy=remedy)
    return finished, unfinished


def gather(sources: Sequence[Path], out: Path) -> tuple[int, list[str]]:
    """Write the finished runs of folders, or of other such files, to one file; a line for each.

    Gives back how many there are, and the names of unfinished runs, which are left out.
    """
    runs: dict[str, FinishedRun] = {}
    left_out: list[str] = []
    for source in sources:
        finished, unfinished = read_runs(source)
        for run in finished:
            if run.name in runs:
                same = runs[run.name].where
                raise UsageError(f"has the same name as {same}", where=run.where, remedy="rename its folder")
            runs[run.name] = run
        left_out += unfinished
    with writing(out) as file:
        file.writelines(_as_line(run.record) for run in runs.values())
    return len(runs), left_out


def _folder_records(folder: Path) -> Iterator[tuple[str, Record]]:
    for path in sorted(folder.rglob(RUN)):
        inside = path.parent.relative_to(folder).as_posix()
        name = folder.resolve().name if inside == "." else inside
        yield str(path.parent), _folder_record(path.parent, name)


def _file_records(path: Path) -> Iterator[tuple[str, Record]]:
    for where, record in read_json_lines(path):
        if not isinstance(record.get("run"), str):
            raise DataError("is no record of a training run: it has no run", where=where)
        yield where, record


def _folder_record(folder: Path, name: str) -> Record:
    """What the folder of a run holds of it, as far as it has come."""
    record = {"run": name, **read_json(folder / RUN), "curve": {}}
    record.pop(SEAL, None)  # it is the file's, and the record will have more
    if is_complete(record) and (folder / EXTRA_SCORES).exists():
        record["scores"] |= read_json(folder / EXTRA_SCORES).get("scores", {})
    if (folder / HISTORY).exists():
        record["curve"] = _columns([epoch for _, epoch in read_json_lines(folder / HISTORY)])
    return record


def _columns(epochs: Sequence[Record]) -> dict[str, list[Any]]:
    """Epochs by columns; six digits are more than any score or second means.

    >>> _columns([{"epoch": 1, "entities": 0.5615750043968767}, {"epoch": 2, "entities": 0.7657827376232519}])
    {'epoch': [1, 2], 'entities': [0.561575, 0.765783]}
    """
    keys = {key: None for epoch in epochs for key in epoch}
    return {key: [_shortened(epoch.get(key)) for epoch in epochs] for key in keys}


def _shortened(value: Any) -> Any:
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _check_curve(curve: Record, where: str) -> None:
    columns = [*curve.values()]
    whole = all(isinstance(column, list) and len(column) == len(columns[0]) for column in columns)
    if not whole or (curve and not curve.keys() >= {"entities", "relations"}):
        raise DataError("its curve is no table of epochs", where=where)


def _as_line(record: Record) -> str:
    """A record as a line of JSON, its end included."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
