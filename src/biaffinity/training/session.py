"""A training run on disk: a folder that at every moment holds the best model so far and can go on.

OUT/config.json, vocabulary.json, model.safetensors, README.md   the model of the best epoch
OUT/*.onnx                                                       the same for the runtime without PyTorch
OUT/history.jsonl, curves.png                                    what happened
OUT/checkpoint.safetensors, checkpoint.previous.safetensors      where to go on; removed at the end
OUT/run.json                                                     the run's command, data, seed, machine
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.checksums import SEAL, file_checksum, is_sound, sealed
from biaffinity.config.folder import CARD, CONFIG, GRAPH_SUFFIX, WEIGHTS
from biaffinity.config.recipes import read_recipe, recipe_path
from biaffinity.config.settings import Config, validate
from biaffinity.config.upgrade import upgraded_config
from biaffinity.corpus.division import divide
from biaffinity.encoders.recurrent.settings import RecurrentSettings
from biaffinity.encoders.recurrent.vectors import WordVectors, load_vectors_for
from biaffinity.errors import DataError, MissingExtraError, UsageError
from biaffinity.files import read_json, read_lines, writing
from biaffinity.locks import sole_writer
from biaffinity.model.card import write_card
from biaffinity.model.device import available_device
from biaffinity.model.export import export
from biaffinity.model.folder import copied, load_weights, owned_tensors, save_description, save_weights
from biaffinity.training.advice import advice
from biaffinity.training.calibration import Calibration, apply_calibration, calibrated_config, fit_calibration
from biaffinity.training.curves import draw_curves
from biaffinity.training.events import Advised, EpochEnded, Event, Finished, Finishing
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

HISTORY = "history.jsonl"
CURVES = "curves.png"
RUN = "run.json"
LOCK = ".lock"
#: The key of the record under which it has the checksum of the history.
HISTORY_CHECKSUM = "history_sha256"
#: A checkpoint is written after every epoch if that takes no more than some seconds; else only once training
#: has gone on for so many times as long as writing takes.
CHEAP, WORTH = 0.5, 20


def train(
    recipe: Config | Path | str,
    *,
    train: Path | str,
    dev: Path | str | float,
    out: Path | str,
    test: Path | str | None = None,
    vectors: Path | str | None = None,
    seed: int = 1,
    device: str = "cpu",
    overrides: Sequence[str] = (),
    resume: bool = False,
    graphs: bool = True,
    watch: Callable[[Event], None] = lambda event: None,
) -> Finished:
    """Train a model from files and keep the best epoch's in ``out``, calibrated and exported.

    Args:
        recipe: a config, or a TOML recipe: its path, or its name if it comes with the package.
        train, dev, test: data in any format that `biaffinity.formats` reads; a number as ``dev`` is the
            share of the training data that is held back for it, the same sentences whatever the seed.
        out: the folder to write; it must be new, unless ``resume``.
        vectors: word vectors; for a pair of files, the list of words.
        seed: of every random number; the same seed on the same machine gives the same model.
        device: ``cpu``, ``cuda`` or ``cuda:1``.
        overrides: ``section.key=value`` over the recipe.
        resume: go on with the run in ``out``, from its last whole epoch.
        graphs: end with the export, so that the model runs without PyTorch.
        watch: is told every event.

    Ctrl-C ends the run early with the best model so far; the same run can be resumed later.
    """
    if isinstance(recipe, Config) and overrides:
        raise UsageError("overrides are laid over a recipe file only", remedy="change the config itself")
    config = recipe if isinstance(recipe, Config) else read_recipe(recipe, overrides)
    available_device(device)
    check_folder(Path(out), resume=resume)
    paths = {"train": Path(train)}
    if not isinstance(dev, float):
        paths["dev"] = Path(dev)
    if test:
        paths["test"] = Path(test)
    report = formats.Report()
    parts = {name: read_part(path, report) for name, path in paths.items()}
    if isinstance(dev, float):
        parts |= divide(parts["train"], {"dev": dev})
        paths["dev"] = paths["train"]
    sentences = [*parts["train"], *parts["dev"]]
    loaded = _load_vectors(config, Path(vectors), sentences) if vectors else None
    data = TrainingData(parts["train"], parts["dev"], parts.get("test"), loaded, tuple(report.lines()))
    identity = {
        "recipe": "given in Python" if isinstance(recipe, Config) else recipe_path(recipe).name,
        "seed": seed,
        "device": device,
        "vectors": loaded.source if loaded else None,
        "vectors_sha256": _vectors_digest(loaded) if loaded else None,
        "data": {
            name: {"file": path.name, "sentences": len(parts[name]), "sha256": data_digest(parts[name])}
            for name, path in paths.items()
        },
        "config": config.model_dump(),
    }
    with sole_writer(Path(out), Path(out) / LOCK):
        check_folder(Path(out), resume=resume)  # again, now that nobody else can change it
        for line in advice(config, data):
            watch(Advised(line))
        session = Session(config, data, Path(out), identity)
        interrupted = False
        try:
            for event in session.events():
                watch(event)
        except KeyboardInterrupt:
            if not session.has_model:
                raise
            interrupted = True
        for event in session.finish(interrupted=interrupted, graphs=graphs):
            watch(event)
    assert isinstance(event, Finished)
    return event


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
            self.history = _read_history(folder, self.trainer.epoch, earlier.get(HISTORY_CHECKSUM))
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
        _write_history(self.folder, self.history)
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
        return _read_history(folder, trainer.epoch)
    _write_history(folder, history)  # whatever has become of the file
    return history


def _write_history(folder: Path, history: list[dict[str, Any]]) -> None:
    with writing(folder / HISTORY) as file:
        file.writelines(json.dumps(line) + "\n" for line in history)


def _read_history(folder: Path, epochs: int, checksum: str | None = None) -> list[dict[str, Any]]:
    """The history of the first ``epochs`` epochs; a kill may have left the line of one more."""
    path, history = folder / HISTORY, []
    if checksum is not None and file_checksum(path) != checksum:
        raise DataError(
            "is damaged: its checksum is another", where=str(path), remedy="restore it from a copy"
        )
    try:
        for _, line in read_lines(path):
            history.append(json.loads(line))
    except json.JSONDecodeError as error:
        raise DataError(f"is not JSON: {error.msg}", where=f"{path}:{len(history) + 1}") from error
    if len(history) < epochs:
        raise DataError(f"has {len(history)} epochs, the run has done {epochs}", where=str(path))
    return history[:epochs]


def _remove_unfinished_files(folder: Path, config: Config) -> None:
    """Remove what a killed process left of files it was writing."""
    model = (CONFIG, *config.encoder.files, WEIGHTS, f"*{GRAPH_SUFFIX}", CARD)
    for name in (*model, CURVES, CHECKPOINT, PREVIOUS, HISTORY, RUN):
        for leftover in folder.glob(f".{name}.*.part"):
            leftover.unlink(missing_ok=True)


def read_part(path: Path, report: formats.Report) -> list[Sentence]:
    """The sentences of a part of the data, of which there must be some."""
    sentences = list(formats.read(path, report=report))
    if not sentences:
        raise DataError("holds no sentence", where=str(path), remedy="run: biaffinity check FILE")
    return sentences


def _load_vectors(config: Config, path: Path, sentences: Sequence[Sentence]) -> WordVectors:
    if not isinstance(config.encoder, RecurrentSettings):
        raise UsageError(
            f"a {config.encoder.type} encoder reads no word vectors", remedy="leave out --vectors"
        )
    return load_vectors_for(config.encoder, path, sentences)


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
    except MissingExtraError as error:
        return str(error)
    return None


def _first_difference(key: str, before: Any, now: Any) -> str:
    if isinstance(before, dict) and isinstance(now, dict):
        for name in [*now, *before]:
            if before.get(name) != now.get(name):
                return _first_difference(f"{key}.{name}", before.get(name), now.get(name))
    return f"{key} was {before}, now it is {now}"


def data_digest(sentences: Sequence[Sentence]) -> str:
    """A fingerprint of data as read, whatever file it came in."""
    digest = hashlib.sha256()
    for sentence in sentences:
        digest.update(json.dumps(sentence.to_dict(), ensure_ascii=False).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _vectors_digest(vectors: WordVectors) -> str:
    digest = hashlib.sha256("\n".join(vectors.words).encode("utf-8", "surrogatepass"))
    digest.update(np.ascontiguousarray(vectors.matrix).data)
    return digest.hexdigest()


def _write_json(path: Path, record: dict[str, Any]) -> None:
    with writing(path) as file:
        json.dump(sealed(record), file, indent=2, ensure_ascii=False)
        file.write("\n")
