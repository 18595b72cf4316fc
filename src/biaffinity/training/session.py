"""A training run on disk: a folder that at every moment holds the best model so far and can go on.

OUT/config.json, vocabulary.json, model.safetensors, README.md   the model of the best epoch
OUT/history.jsonl, curves.png                                    what happened
OUT/checkpoint.safetensors                                       where to go on; removed at the end
OUT/run.json                                                     the run's command, data, seed, machine
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.encoding.vectors import load_vectors
from biaffinity.errors import UsageError
from biaffinity.files import read_json, read_lines, writing
from biaffinity.model.card import write_card
from biaffinity.model.config import Config, read_recipe
from biaffinity.model.folder import (
    WEIGHTS,
    load_tensors,
    load_weights,
    save_description,
    save_tensors,
    save_weights,
)
from biaffinity.training.curves import draw_curves
from biaffinity.training.events import EpochEnded, Event, Finished
from biaffinity.training.provenance import provenance
from biaffinity.training.trainer import Trainer, TrainingData

CHECKPOINT = "checkpoint.safetensors"
HISTORY = "history.jsonl"
RUN = "run.json"


def train(
    recipe: Config | Path | str,
    *,
    train: Path | str,
    dev: Path | str,
    out: Path | str,
    test: Path | str | None = None,
    vectors: Path | str | None = None,
    seed: int = 1,
    device: str = "cpu",
    overrides: Sequence[str] = (),
    resume: bool = False,
    watch: Callable[[Event], None] = lambda event: None,
) -> Finished:
    """Train a model from files and keep the best epoch's in ``out``.

    Args:
        recipe: a config, or the path of a TOML recipe.
        train, dev, test: data in any format that `biaffinity.formats` reads.
        out: the folder to write; it must be new, unless ``resume``.
        vectors: word vectors; for a pair of files, the list of words.
        seed: of every random number; the same seed on the same machine gives the same model.
        device: ``cpu``, ``cuda`` or ``cuda:1``.
        overrides: ``section.key=value`` over the recipe.
        resume: go on with the run in ``out``, from its last whole epoch.
        watch: is told every event.

    Ctrl-C ends the run early with the best model so far; the same run can be resumed later.
    """
    config = recipe if isinstance(recipe, Config) else read_recipe(Path(recipe), overrides)
    paths = {"train": train, "dev": dev} | ({"test": test} if test else {})
    parts = {name: list(formats.read(Path(path))) for name, path in paths.items()}
    loaded = load_vectors(Path(vectors)) if vectors else None
    data = TrainingData(parts["train"], parts["dev"], parts.get("test"), loaded)
    identity = {
        "recipe": "given in Python" if isinstance(recipe, Config) else Path(recipe).name,
        "seed": seed,
        "device": device,
        "vectors": loaded.source if loaded else None,
        "data": {
            name: {"file": Path(path).name, "sentences": len(parts[name]), "sha256": _digest(parts[name])}
            for name, path in paths.items()
        },
        "config": config.model_dump(),
    }
    session = Session(config, data, Path(out), identity, resume=resume)
    interrupted = False
    try:
        for event in session.events():
            watch(event)
    except KeyboardInterrupt:
        if not session.has_model:
            raise
        interrupted = True
    finished = session.finish(interrupted=interrupted)
    watch(finished)
    return finished


class Session:
    """A run and its folder; every event is on disk before it is passed on."""

    def __init__(
        self, config: Config, data: TrainingData, folder: Path, identity: dict[str, Any], *, resume: bool
    ) -> None:
        self.folder = folder
        self.identity = identity
        earlier = _open_folder(folder, identity, resume=resume)
        self.trainer = Trainer(config, data, seed=identity["seed"], device=identity["device"])
        self.history: list[dict[str, Any]] = []
        if (folder / CHECKPOINT).exists():
            self.trainer.load_state(*load_tensors(folder / CHECKPOINT))
            lines = read_lines(folder / HISTORY)
            self.history = [json.loads(line) for _, line in lines][: self.trainer.epoch]
        elif "scores" in earlier:  # finished: nothing is left to do
            self.trainer.epoch = config.training.epochs
            self.history = [json.loads(line) for _, line in read_lines(folder / HISTORY)]
        else:
            save_description(self.trainer.model, folder)
            _write_json(folder / RUN, {**identity, **provenance()})

    @property
    def has_model(self) -> bool:
        """Whether an epoch has been kept."""
        return (self.folder / WEIGHTS).exists()

    def events(self) -> Iterator[Event]:
        """The trainer's events."""
        for event in self.trainer.events():
            if isinstance(event, EpochEnded):
                if event.best:
                    with self.trainer.kept_weights():
                        save_weights(self.trainer.model, self.folder, epoch=event.epoch)
                self.history.append(event.to_dict())
                with writing(self.folder / HISTORY) as file:
                    file.writelines(json.dumps(line) + "\n" for line in self.history)
                save_tensors(self.folder / CHECKPOINT, *self.trainer.state())
            yield event

    def finish(self, *, interrupted: bool) -> Finished:
        """Score the kept model, write its card, and clear the checkpoint if the run is complete."""
        model, data = self.trainer.model, self.trainer.data
        best_epoch = load_weights(model, self.folder)
        dev = self.trainer.evaluate(data.dev)
        test = self.trainer.evaluate(data.test) if data.test is not None else None
        seconds = sum(line["train_seconds"] + line["dev_seconds"] for line in self.history)
        record = {
            **self.identity,
            **provenance(),
            "seconds": round(seconds, 1),
            "epochs_done": len(self.history),
            "best_epoch": best_epoch,
            "scores": {"dev": dev.to_dict()} | ({"test": test.to_dict()} if test else {}),
        }
        _write_json(self.folder / RUN, record)
        write_card(self.folder, record)
        draw_curves(self.history, self.folder / "curves.png")
        if not interrupted:
            (self.folder / CHECKPOINT).unlink(missing_ok=True)
        return Finished(self.folder, best_epoch, dev, test, seconds, interrupted)


def _open_folder(folder: Path, identity: dict[str, Any], *, resume: bool) -> dict[str, Any]:
    """The record of the run in ``folder``, empty for a new one; another run in the way is an error."""
    if not (folder / RUN).exists():
        if folder.exists() and not folder.is_dir():
            raise UsageError("is a file, a folder is to be written here", where=str(folder))
        return {}
    if not resume:
        raise UsageError(
            "already holds a training run", where=str(folder), remedy="add --resume, or choose another folder"
        )
    record: dict[str, Any] = read_json(folder / RUN)
    for key, value in identity.items():
        if record.get(key) != value:
            raise UsageError(
                f"cannot be resumed: its {_first_difference(key, record.get(key), value)}",
                where=str(folder),
                remedy="give the same data, recipe, seed and device as before, or another folder",
            )
    return record


def _first_difference(key: str, before: Any, now: Any) -> str:
    if isinstance(before, dict) and isinstance(now, dict):
        for name in [*now, *before]:
            if before.get(name) != now.get(name):
                return _first_difference(f"{key}.{name}", before.get(name), now.get(name))
    return f"{key} was {before}, now it is {now}"


def _digest(sentences: Sequence[Sentence]) -> str:
    """A fingerprint of data as read, whatever file it came in."""
    digest = hashlib.sha256()
    for sentence in sentences:
        digest.update(json.dumps(sentence.to_dict(), ensure_ascii=False).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _write_json(path: Path, record: dict[str, Any]) -> None:
    with writing(path) as file:
        json.dump(record, file, indent=2, ensure_ascii=False)
        file.write("\n")
