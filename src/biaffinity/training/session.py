"""A training run on disk: a folder that can go on, and holds the best model as of where it would.

OUT/config.json, vocabulary.json, model.safetensors, README.md   the model of the best epoch
OUT/*.onnx                                                       the same for the runtime without PyTorch
OUT/history.jsonl, curves.png                                    what happened
OUT/checkpoint.safetensors, checkpoint.previous.safetensors      where to go on; removed at the end
OUT/run.json                                                     the run's command, data, seed, machine
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from torch import Tensor

from biaffinity.checksums import SEAL, file_checksum, is_sound, sealed
from biaffinity.config.folder import CARD, CONFIG, GRAPH_SUFFIX, WEIGHTS
from biaffinity.config.seal import seal
from biaffinity.config.settings import Config, validate
from biaffinity.config.upgrade import upgraded_config
from biaffinity.errors import DataError, MissingExtraError, UsageError
from biaffinity.files import read_json, writing
from biaffinity.model.card import write_card
from biaffinity.model.folder import copied, load_weights, owned_tensors, save_description, save_weights
from biaffinity.training.calibration import Calibration, apply_calibration, calibrated_config, fit_calibration
from biaffinity.training.curves import draw_curves
from biaffinity.training.events import EpochEnded, Event, Finished, Finishing
from biaffinity.training.export import export
from biaffinity.training.history import HISTORY, read_history, write_history
from biaffinity.training.provenance import provenance
from biaffinity.training.state import (
    CALIBRATED,
    CHECKPOINT,
    PREVIOUS,
    check_weights,
    has_state,
    keep_state,
    read_state,
    remove_state,
)
from biaffinity.training.trainer import DivergedError, Trainer, TrainingData

CURVES = "curves.png"
RUN = "run.json"
LOCK = ".lock"
#: The key of the record under which it has the checksum of the history.
HISTORY_CHECKSUM = "history_sha256"
#: A checkpoint is written after every epoch if that takes no more than some seconds; else only once training
#: has gone on for so many times as long as writing takes.
CHEAP, WORTH = 0.5, 20


class Session:
    """A run and its folder; every event is on disk before it is passed on."""

    def __init__(self, config: Config, data: TrainingData, folder: Path, identity: dict[str, Any]) -> None:
        self.folder = folder
        self.identity = identity
        earlier = _earlier_record(folder, identity)
        #: Whether an earlier session came to the end: then nothing is left to do or to write.
        self.complete = is_complete(earlier)
        self.history: list[dict[str, Any]] = []
        #: The best epoch and its weights, until they are written.
        self._best: tuple[int, dict[str, Tensor]] | None = None
        self._written_at = self._writing_took = 0.0
        self.trainer = Trainer(config, data, seed=identity["seed"], device=identity["device"])
        if self.complete:
            self.trainer.epoch, self.trainer.best_epoch = earlier["epochs_done"], earlier["best_epoch"]
            self.history = read_history(folder, self.trainer.epoch, earlier.get(HISTORY_CHECKSUM))
            remove_state(folder)
        elif has_state(folder):
            self.history = _load_checkpoint(self.trainer, folder)
        else:
            save_description(self.trainer.model, folder)
            _write_json(folder / RUN, {**identity, **provenance()})
        _remove_unfinished_files(folder, config)

    @property
    def has_model(self) -> bool:
        """Whether an epoch has been kept: the first one always is."""
        return bool(self.history)

    def events(self) -> Iterator[Event]:
        """The trainer's events."""
        try:
            for event in self.trainer.events():
                if isinstance(event, EpochEnded):
                    self._keep(event)
                yield event
        except DivergedError:
            self._write_best()
            raise

    def _keep(self, event: EpochEnded) -> None:
        """Remember an epoch, on disk as far as that is worth its time."""
        if event.best:
            self._best = event.epoch, copied(owned_tensors(self.trainer.model))
        self.history.append(event.to_dict())
        write_history(self.folder, self.history)
        if self._checkpoint_due():
            self._write_checkpoint()

    def _checkpoint_due(self) -> bool:
        """Whether what has been done since the last checkpoint is worth the time that writing one takes.

        That of a transformer and its optimiser is more than a gigabyte: written after every epoch it would
        take as long as the training itself.
        """
        return time.monotonic() - self._written_at >= WORTH * max(0.0, self._writing_took - CHEAP)

    def _write_checkpoint(self) -> None:
        started = time.monotonic()
        self._write_best()
        keep_state(self.folder, self.trainer.state(), self.history)
        self._written_at = time.monotonic()
        self._writing_took = self._written_at - started

    def _write_best(self) -> None:
        """Write the weights of the best epoch, if they have not been written."""
        if self._best is not None:
            epoch, tensors = self._best
            save_weights(tensors, self.folder, {"epoch": str(epoch)})
            self._best = None

    def finish(self, *, interrupted: bool, graphs: bool = True) -> Iterator[Event]:
        """Calibrate and score the kept model, export it, and write down what came of the run.

        Each step can be done again after a kill. A run that was interrupted is not calibrated, since it
        may go on.
        """
        model, data = self.trainer.model, self.trainer.data
        self._write_best()
        notes = load_weights(model, self.folder)
        fitted = Calibration()
        if not interrupted:
            yield Finishing("calibrating it on dev")
            fitted = self._calibrate(notes)
        yield Finishing("scoring it")
        dev = self.trainer.evaluate(data.dev)
        test = self.trainer.evaluate(data.test) if data.test is not None else None
        not_exported = None if graphs else "it was not asked for"
        if graphs and not (self.complete and any(self.folder.glob(f"*{GRAPH_SUFFIX}"))):
            yield Finishing("exporting it")
            not_exported = _export(self.folder)
        seconds = sum(line["train_seconds"] + line["dev_seconds"] for line in self.history)
        best_epoch = _epoch(notes, self.folder)
        finished = Finished(self.folder, best_epoch, dev, test, seconds, interrupted, not_exported)
        if not self.complete:
            self._write_down(finished, fitted)
        yield finished

    def _calibrate(self, notes: dict[str, str]) -> Calibration:
        """What was fitted on dev, now part of the model and of its files; once, whatever was killed."""
        model, config = self.trainer.model, self.trainer.config
        if CALIBRATED in notes:
            fitted = Calibration(**json.loads(notes[CALIBRATED]))
            model.configure(calibrated_config(config, fitted))
        else:
            judged_by = self.trainer.selection.relations
            fitted = fit_calibration(model, self.trainer.data.dev, config.calibration, judged_by)
            apply_calibration(model, fitted)
            notes = {**notes, CALIBRATED: json.dumps(asdict(fitted))}
            save_weights(owned_tensors(model), self.folder, notes, precision=config.training.precision)
            load_weights(model, self.folder)  # as they are kept
        if not self.complete:
            save_description(model, self.folder)
        return fitted

    def _write_down(self, finished: Finished, fitted: Calibration) -> None:
        """Write record, card and curves; then clear the checkpoint if the run came to its end."""
        sheets = {"dev": finished.dev} | ({"test": finished.test} if finished.test else {})
        record = {
            **self.identity,
            **provenance(),
            "seconds": round(finished.seconds, 1),
            "epochs_done": len(self.history),
            "best_epoch": finished.best_epoch,
            "interrupted": finished.interrupted,
            "calibration": fitted.to_dict(),
            "scores": {name: sheet.to_dict() for name, sheet in sheets.items()},
            HISTORY_CHECKSUM: file_checksum(self.folder / HISTORY),
        }
        write_card(self.folder, record)
        draw_curves(self.history, self.folder / CURVES)
        seal(self.folder)
        _write_json(self.folder / RUN, record)
        if not finished.interrupted:
            remove_state(self.folder)


def is_complete(record: dict[str, Any]) -> bool:
    """Whether a run's record says that it came to its end."""
    return "scores" in record and not record.get("interrupted")


def check_folder(folder: Path, *, resume: bool) -> None:
    """Refuse a folder whose run or model would be overwritten, before any data is read."""
    if folder.exists() and not folder.is_dir():
        raise UsageError("is a file, a folder is to be written here", where=str(folder))
    if (folder / RUN).exists():
        if not resume:
            remedy = "add --resume, or choose another folder"
            raise UsageError("already holds a training run", where=str(folder), remedy=remedy)
    elif (folder / WEIGHTS).exists():
        raise UsageError(
            "already holds a model and no record of its training",
            where=str(folder),
            remedy="choose another folder",
        )


def _earlier_record(folder: Path, identity: dict[str, Any]) -> dict[str, Any]:
    """The record of the run in ``folder``, empty if there is none; that of another run is an error.

    A value that was not known yet when the run began counts as its default.
    """
    if not (folder / RUN).exists():
        return {}
    record: dict[str, Any] = read_json(folder / RUN)
    if SEAL in record and not is_sound(record):  # those of earlier versions have none
        raise DataError(
            "is damaged: its checksum is another", where=str(folder / RUN), remedy="choose another folder"
        )
    earlier = upgraded_config(record.get("config", {}))
    record["config"] = validate(earlier, where=str(folder / RUN)).model_dump()
    for key, value in identity.items():
        if record.get(key) != value:
            raise UsageError(
                f"cannot be resumed: its {_first_difference(key, record.get(key), value)}",
                where=str(folder),
                remedy="give the same data, recipe, vectors, seed and device as before, or another folder",
            )
    return record


def _load_checkpoint(trainer: Trainer, folder: Path) -> list[dict[str, Any]]:
    """Go back to the last sound checkpoint; the history up to it."""
    state, history = read_state(folder)
    try:
        trainer.load_state(*state)
    except (KeyError, RuntimeError, TypeError, ValueError) as error:
        raise DataError(
            f"is damaged or not of this run: {error!r}",
            where=str(folder / CHECKPOINT),
            remedy="delete it, then --resume starts again from the first epoch",
        ) from error
    check_weights(folder, state, trainer.epoch)
    if not history:  # a checkpoint of an earlier version
        return read_history(folder, trainer.epoch)
    write_history(folder, history)  # whatever has become of the file
    return history


def _remove_unfinished_files(folder: Path, config: Config) -> None:
    """Remove what a killed process left of files it was writing."""
    model = (CONFIG, *config.encoder.files, WEIGHTS, f"*{GRAPH_SUFFIX}", CARD)
    for name in (*model, CURVES, CHECKPOINT, PREVIOUS, HISTORY, RUN):
        for leftover in folder.glob(f".{name}.*.part"):
            leftover.unlink(missing_ok=True)


def _epoch(notes: dict[str, str], folder: Path) -> int:
    """The epoch that weights are from."""
    try:
        return int(notes.get("epoch", 0))
    except ValueError:
        where = str(folder / WEIGHTS)
        raise DataError(f"is of no epoch: {notes['epoch']!r}", where=where) from None


def _export(folder: Path) -> str | None:
    """Add the graphs to a model; why that could not be done, if it could not."""
    try:
        export(folder)
    except (MissingExtraError, DataError) as error:
        return str(error)
    return None


def _first_difference(key: str, before: Any, now: Any) -> str:
    if isinstance(before, dict) and isinstance(now, dict):
        for name in [*now, *before]:
            if before.get(name) != now.get(name):
                return _first_difference(f"{key}.{name}", before.get(name), now.get(name))
    return f"{key} was {before}, now it is {now}"


def _write_json(path: Path, record: dict[str, Any]) -> None:
    with writing(path) as file:
        json.dump(sealed(record), file, indent=2, ensure_ascii=False)
        file.write("\n")
