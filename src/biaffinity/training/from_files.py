"""A model from files: what they hold is read, told apart by digests, and trained on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.config.folder import read_description, weights_fingerprint
from biaffinity.config.recipes import read_recipe, recipe_path
from biaffinity.config.settings import Config
from biaffinity.corpus.division import divide
from biaffinity.encoders.recurrent.settings import RecurrentSettings
from biaffinity.encoders.recurrent.vectors import WordVectors, load_vectors_for
from biaffinity.errors import DataError, UsageError
from biaffinity.locks import sole_writer
from biaffinity.model.device import available_device
from biaffinity.training.advice import advice
from biaffinity.training.events import Advised, Event, Finished
from biaffinity.training.session import LOCK, Session, check_folder
from biaffinity.training.trainer import TrainingData


def train(
    recipe: Config | Path | str,
    *,
    train: Path | str,
    dev: Path | str | float,
    out: Path | str,
    test: Path | str | None = None,
    vectors: Path | str | None = None,
    start: Path | str | None = None,
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
        start: the folder of a model that goes on learning, in place of fresh weights. Its network, words and
            types stay: the recipe's settings of encoder and model are left aside.
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
    if start is not None:
        config = _as_started(config, Path(start), overrides, vectors)
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
    data = TrainingData(
        parts["train"],
        parts["dev"],
        parts.get("test"),
        loaded,
        None if start is None else Path(start),
        tuple(report.lines()),
    )
    identity = {
        "recipe": "given in Python" if isinstance(recipe, Config) else recipe_path(recipe).name,
        "seed": seed,
        "device": device,
        "vectors": loaded.source if loaded else None,
        "vectors_sha256": _vectors_digest(loaded) if loaded else None,
        "start": None if start is None else weights_fingerprint(Path(start)),
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


def _as_started(config: Config, start: Path, overrides: Sequence[str], vectors: Path | str | None) -> Config:
    """A recipe's settings of training, and those of the network that a folder holds."""
    if vectors is not None:
        raise UsageError(f"the words of {start} have their vectors already", remedy="leave out --vectors")
    for override in overrides:
        if override.startswith(("encoder.", "model.")):
            raise UsageError(
                f"{override}: the network of {start} stays as it is",
                remedy="set what is of training or calibration, or train without --start",
            )
    held = read_description(start).config
    own = config.model  # of which these two are of decoding alone, and fitted at the end
    return config.model_copy(update={"encoder": held.encoder, "model": held.model}).updated(
        "model",
        entity_confidence_weight=own.entity_confidence_weight,
        entity_threshold=own.entity_threshold,
    )


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
