"""From teachers and text to a student: its folder is a training run with the labels beside the model.

STUDENT/labels/        what the teachers said, unless it is kept elsewhere (see `labels`)
STUDENT/train.jsonl    the training data: gold several times over, and the labelled sentences
and the files of a training run
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from biaffinity import formats, training
from biaffinity.annotation import Sentence
from biaffinity.bulk.readers import Fields
from biaffinity.bulk.run import Noted
from biaffinity.bulk.sources import STDIN, Inputs
from biaffinity.cluster.engine import Cluster
from biaffinity.config.recipes import read_recipe
from biaffinity.config.settings import Config
from biaffinity.distillation.events import Event
from biaffinity.distillation.labelling import label, text_digest
from biaffinity.distillation.labels import Labels
from biaffinity.distillation.mixture import write_mixture
from biaffinity.distillation.teachers import Types, find_teachers
from biaffinity.errors import DataError, UsageError
from biaffinity.extraction.loading import device_named
from biaffinity.files import existing_file
from biaffinity.formats.jsonl import NAME as JSONL
from biaffinity.model.device import available_device
from biaffinity.training.from_files import read_part
from biaffinity.training.session import check_folder

RECIPE = "distilled"
LABELS = "labels"
TRAIN = "train.jsonl"
VOTE = 0.4
GOLD_TIMES = 10


def distil(
    teachers: str | Path | Sequence[str | Path] = (),
    *,
    text: str | Path | Sequence[str | Path] | Inputs = (),
    train: str | Path,
    dev: str | Path,
    out: str | Path,
    test: str | Path | None = None,
    labels: str | Path | None = None,
    vote: float | None = None,
    also: Sequence[str | Path] = (),
    gold_times: int = GOLD_TIMES,
    recipe: Config | Path | str = RECIPE,
    vectors: str | Path | None = None,
    seed: int = 1,
    device: str = "auto",
    threads: int = 1,
    workers: int = 1,
    cluster: Cluster | None = None,
    overrides: Sequence[str] = (),
    resume: bool = False,
    graphs: bool = True,
    watch: Callable[[Event], None] = lambda event: None,
) -> training.Finished:
    """Train a student on gold data and on text that teachers have labelled.

    Args:
        teachers: models, named as for `Extractor.load`, that know the types of the gold data.
        text: what they read: files and folders as `biaffinity extract` reads them, ``-`` for stdin.
        train, dev, test: gold data in any format that `biaffinity.formats` reads; dev chooses the epoch.
        out: the student's folder; it must be new, unless ``resume``.
        labels: the folder of the labels, ``out``/labels if none is named. One that is complete is used as it
            is, for any number of students; then teachers and text need not be named.
        vote: the least mean score over all teachers that a label must have; 0.4 for new labels.
        also: data of other makers, such as sentences written by rules; the student reads each once.
        gold_times: how often the gold sentences stand in the training data.
        recipe, vectors, seed, overrides, graphs: of the student's training, as for `biaffinity.train`.
        device: what teachers and student run on; ``auto`` is a GPU where PyTorch sees one.
        threads: of the CPU, for each process that labels.
        workers: processes that label side by side, all with the same teacher.
        cluster: a Ray cluster whose machines label; they must see the folder of labels.
        resume: go on with labels and a run that were stopped or killed.
        watch: is told every event, of labelling and of training.

    Ctrl-C while a teacher reads loses at most a part of some thousand sentences; in training, see
    `biaffinity.train`.
    """
    out, device = Path(out), device_named(device)
    _require_settings(recipe, overrides, vectors, device, vote, gold_times)
    for path in also:
        existing_file(Path(path))
    check_folder(out, resume=resume)
    gold = _read_gold(train, watch)
    held_out = [
        sentence
        for path in (dev, test)
        if path is not None
        for sentence in read_part(Path(path), formats.Report())  # training tells of these
    ]
    folder = Labels(out / LABELS if labels is None else Path(labels))
    if labels is None or not folder.complete:
        _require_fresh(folder, resume=resume)
    for event in _label(folder, teachers, text, vote, Types.among(gold), device, threads, workers, cluster):
        watch(event)
    for leftover in out.glob(f".{TRAIN}.*.part"):  # of a killed process
        leftover.unlink(missing_ok=True)
    once = chain(formats.read(folder.labelled, JSONL), *(formats.read(path) for path in also))
    watch(write_mixture(out / TRAIN, gold, once, times=gold_times, held_out=held_out))
    return training.train(
        recipe,
        train=out / TRAIN,
        dev=dev,
        test=test,
        vectors=vectors,
        out=out,
        seed=seed,
        device=device,
        overrides=overrides,
        resume=resume,
        graphs=graphs,
        watch=watch,
    )


def make_labels(
    teachers: str | Path | Sequence[str | Path],
    *,
    text: str | Path | Sequence[str | Path] | Inputs,
    train: str | Path,
    labels: str | Path,
    vote: float | None = None,
    device: str = "auto",
    threads: int = 1,
    workers: int = 1,
    cluster: Cluster | None = None,
    resume: bool = False,
    watch: Callable[[Event], None] = lambda event: None,
) -> Path:
    """The first half of `distil`: have teachers label text, and return the file of what they agree on.

    The arguments are those of `distil`, which goes on from the folder ``labels``.
    """
    device = device_named(device)
    _require_vote(vote)
    folder = Labels(Path(labels))
    _require_fresh(folder, resume=resume)
    gold = Types.among(_read_gold(train, watch))
    for event in _label(folder, teachers, text, vote, gold, device, threads, workers, cluster):
        watch(event)
    return folder.labelled


def files_of_text(
    names: str | Path | Sequence[str | Path], *, kind: str | None = None, fields: Fields | None = None
) -> Inputs:
    """Where text comes from, as for `biaffinity extract`; but a name is never a text itself."""
    paths = [names] if isinstance(names, str | Path) else names
    for path in map(str, paths):
        if path != STDIN and not Path(path).exists():
            raise DataError("no such file or folder", where=path, remedy="check the path of the text")
    return Inputs([str(path) for path in paths], kind=kind, fields=fields)


def _read_gold(path: str | Path, watch: Callable[[Event], None]) -> Sequence[Sentence]:
    """Gold data; what its reader changed is told."""
    report = formats.Report()
    gold = read_part(Path(path), report)
    for line in report.lines():
        watch(Noted(f"in reading {path}: {line}"))
    return gold


def _require_fresh(labels: Labels, *, resume: bool) -> None:
    """Refuse a folder that holds labels, unless the run goes on with them."""
    if labels.begun and not resume:
        raise UsageError(
            "already holds labels" + ("" if labels.complete else " that are not finished"),
            where=str(labels.folder),
            remedy="add --resume to go on with them, or name another folder",
        )


def _label(
    labels: Labels,
    models: str | Path | Sequence[str | Path],
    text: str | Path | Sequence[str | Path] | Inputs,
    vote: float | None,
    gold: Types,
    device: str,
    threads: int,
    workers: int,
    cluster: Cluster | None,
) -> Iterator[Event]:
    """Make labels or go on with them; those that are whole are checked and left as they are."""
    text = text if isinstance(text, Inputs) else files_of_text(text)
    teachers = find_teachers([models] if isinstance(models, str | Path) else models)
    for teacher in teachers:
        teacher.types.require(teacher.name, gold)
    if not labels.complete:
        if not teachers:
            raise UsageError(
                "no teacher is named", remedy="name models that have learnt the types of the training data"
            )
        if not text.names:
            raise UsageError(
                "no text is named for the teachers to read", remedy="name files or folders with --text"
            )
    if labels.begun:
        labels.require_same(teachers, vote, text_digest(text) if text.names else None)
        labels.types.require(str(labels.folder), gold)
    if not labels.complete:
        threshold = VOTE if vote is None else vote
        yield from label(
            labels,
            teachers,
            text,
            threshold,
            device=device,
            threads=threads,
            workers=workers,
            cluster=cluster,
        )


def _require_settings(
    recipe: Config | Path | str,
    overrides: Sequence[str],
    vectors: str | Path | None,
    device: str,
    vote: float | None,
    gold_times: int,
) -> None:
    """Refuse now what would else be found only after the teachers have read for hours."""
    available_device(device)
    if vectors is not None:
        existing_file(Path(vectors))
    if not isinstance(recipe, Config):
        read_recipe(recipe, overrides)
    _require_vote(vote)
    if gold_times < 1:
        raise UsageError(
            f"gold_times must be a whole number from 1 on, not {gold_times}", remedy="such as 10"
        )


def _require_vote(vote: float | None) -> None:
    if vote is not None and not 0 < vote <= 1:
        raise UsageError(f"vote must be more than 0 and at most 1, not {vote}", remedy="such as 0.4")
