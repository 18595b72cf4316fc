"""A run that was killed, stopped or starved of disk goes on to the very end it would have had."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from biaffinity.checksums import SEAL, sealed
from biaffinity.config.folder import read_description
from biaffinity.errors import DataError, UsageError
from biaffinity.formats import write
from biaffinity.model.folder import load_model, load_tensors
from biaffinity.training import EpochEnded, Event, Finished, Started, StoppedEarly, session, state
from biaffinity.training.calibration import Calibration
from model.version1 import old_config
from training import tiny
from training.killed import FULL

pytestmark = pytest.mark.usefixtures("quick_calibration")

Train = Callable[..., Finished]
#: What two runs of one kind differ in: times, and checksums of what has times.
VARIES = ("seconds", "finished", "history_sha256", "sha256")


def notes(folder: Path) -> dict[str, str]:
    """What the weights in a folder say of themselves."""
    return load_tensors(folder / "model.safetensors")[1]


def record(folder: Path) -> dict[str, Any]:
    """The record of a run without its times."""
    facts: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return {key: value for key, value in facts.items() if key not in VARIES}


def unsealed(facts: dict[str, Any]) -> dict[str, Any]:
    """A record without its checksum."""
    return {key: value for key, value in facts.items() if key != SEAL}


def _head(folder: Path) -> dict[str, Any]:
    """What config.json says; of files only the names: a card tells the time, notes have no order."""
    head: dict[str, Any] = json.loads((folder / "config.json").read_text())
    return {**head, "files": sorted(head.get("files", {})), "sha256": None}


def ends_the_same(folder: Path, whole: Path) -> bool:
    left = {path.name for path in folder.iterdir()}
    assert left == {path.name for path in whole.iterdir()}
    assert tiny.history(folder) == tiny.history(whole)
    assert record(folder) == record(whole)
    assert notes(folder) == notes(whole)
    assert _head(folder) == _head(whole)
    for name in read_description(whole).config.encoder.files:
        assert (folder / name).read_bytes() == (whole / name).read_bytes(), name
    return tiny.same_tensors(tiny.weights(folder), tiny.weights(whole))


@contextmanager
def failing_after(number: int, error: type[BaseException]) -> Iterator[None]:
    """Raise as soon as the ``number``-th file (from 0) has taken its name."""
    replace, numbers = Path.replace, count()

    def failing(path: Path, target: Path) -> Path:
        replace(path, target)
        if next(numbers) == number:
            raise error
        return target

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "replace", failing)
        yield


def test_killed_after_any_write_a_run_goes_on_to_the_same_end(
    train: Train, whole: Path, tmp_path: Path
) -> None:
    for number in count():
        folder = tmp_path / str(number)
        try:
            with failing_after(number, tiny.Killed):
                train(folder, FULL)
        except tiny.Killed:
            train(folder, FULL, resume=True)
            assert ends_the_same(folder, whole), f"killed after write {number}"
        else:
            break  # it has no more writes
    # Config, vocabulary, record; weights (of better epochs), history and checkpoint of three epochs;
    # calibrated weights, config, vocabulary; card, curves, record.
    assert number >= 16


def test_a_whole_run_is_calibrated(whole: Path) -> None:
    """Or all that follows would say nothing of what happens to a calibration."""
    assert json.loads(notes(whole)["calibration"])["entity_temperature"] > 1.5
    assert load_model(whole).config.model.entity_confidence_weight == 0.25


def killed(*arguments: object) -> None:
    """A run in a process of its own, which the system kills: see `training.killed`."""
    tests = str(Path(__file__).parents[1])
    paths = os.pathsep.join(filter(None, (tests, os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, "-m", "training.killed", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


def unfinished(folder: Path) -> list[str]:
    """What a killed process has left of files it was writing."""
    return [path.name for path in folder.iterdir() if path.name.endswith(".part")]


@pytest.mark.parametrize("moment", ["checkpoint", "description", "export"])
def test_killed_by_the_system_a_run_goes_on_to_the_same_end(
    moment: str, train: Train, whole: Path, corpus: dict[str, Path], tmp_path: Path
) -> None:
    """In the midst of a checkpoint; between calibrated weights and their description; before the export."""
    folder = tmp_path / "m"
    killed(moment, folder, corpus["train"], corpus["dev"])
    assert bool(unfinished(folder)) == (moment == "checkpoint")
    assert ("calibration" in notes(folder)) == (moment != "checkpoint")
    train(folder, FULL, resume=True)
    assert ends_the_same(folder, whole)


def test_killed_by_the_system_the_run_of_a_transformer_goes_on_to_the_same_end(
    train: Train, corpus: dict[str, Path], transformer: Path, tmp_path: Path
) -> None:
    recipe, folder = tiny.above(transformer, FULL), tmp_path / "m"
    killed("checkpoint", folder, corpus["train"], corpus["dev"], transformer)
    assert unfinished(folder)
    train(folder, recipe, resume=True)
    train(tmp_path / "whole", recipe)
    assert ends_the_same(folder, tmp_path / "whole")


@pytest.fixture
def costly_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing one takes so long that only the first is written."""
    monkeypatch.setattr(session, "CHEAP", 0.0)
    monkeypatch.setattr(session, "WORTH", 1e9)


def last_checkpoint(folder: Path) -> int:
    """The epoch at whose end a killed run was last kept."""
    _, facts = load_tensors(folder / "checkpoint.safetensors")
    epoch: int = json.loads(facts["state"])["epoch"]
    return epoch


def test_a_cheap_checkpoint_is_written_after_every_epoch(train: Train, tmp_path: Path) -> None:
    with pytest.raises(tiny.Killed):
        train(tmp_path / "m", FULL, watch=tiny.stop_at(3, 2, tiny.Killed))
    assert last_checkpoint(tmp_path / "m") == 2


def test_a_checkpoint_is_written_again_once_training_has_been_worth_it(
    train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, written = count(), []
    save = state.save_tensors

    def slowly(path: Path, *rest: Any) -> None:
        if path.name == "checkpoint.safetensors":
            written.append(len(tiny.history(path.parent)))
        save(path, *rest)

    # Writing takes one tick of this clock, and so does an epoch between two of them.
    monkeypatch.setattr(session.time, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(state, "save_tensors", slowly)
    monkeypatch.setattr(session, "CHEAP", 0.0)
    monkeypatch.setattr(session, "WORTH", 2.0)
    train(tmp_path / "m", tiny.config(training={"epochs": 7}))
    assert written == [1, 3, 5, 7]


def test_killed_between_costly_checkpoints_a_run_goes_on_to_the_same_end(
    train: Train, whole: Path, tmp_path: Path, costly_checkpoints: None
) -> None:
    folder = tmp_path / "m"
    with pytest.raises(tiny.Killed):
        train(folder, FULL, watch=tiny.stop_at(3, 2, tiny.Killed))
    assert last_checkpoint(folder) == 1
    assert len(tiny.history(folder)) == 2
    train(folder, FULL, resume=True)
    assert ends_the_same(folder, whole)


def test_interrupted_between_costly_checkpoints_a_run_ends_with_its_best_model_and_can_go_on(
    train: Train, whole: Path, tmp_path: Path, costly_checkpoints: None
) -> None:
    folder = tmp_path / "m"
    finished = train(folder, FULL, watch=tiny.stop_at(3, 2, KeyboardInterrupt))
    assert finished.interrupted
    best = max(tiny.history(folder), key=lambda line: line["selection"])
    assert (finished.best_epoch, last_checkpoint(folder)) == (best["epoch"], 1)
    train(folder, FULL, resume=True)
    assert ends_the_same(folder, whole)


def calibrated_before(*arguments: Any) -> Calibration:
    raise AssertionError("a model that is calibrated must not be calibrated again")


@pytest.mark.parametrize("precision", ["single", "half"])
def test_killed_between_calibrated_weights_and_their_description_a_run_is_calibrated_once(
    precision: str, train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = FULL.updated("training", precision=precision)
    train(tmp_path / "whole", recipe)
    folder, save = tmp_path / "m", session.save_description

    def save_or_die(model: Any, out: Path) -> None:
        if (out / "model.safetensors").exists():
            raise tiny.Killed
        save(model, out)

    with monkeypatch.context() as patch:
        patch.setattr(session, "save_description", save_or_die)
        with pytest.raises(tiny.Killed):
            train(folder, recipe)
    assert notes(folder) == notes(tmp_path / "whole")
    assert (folder / "config.json").read_bytes() != (tmp_path / "whole" / "config.json").read_bytes()
    monkeypatch.setattr(session, "fit_calibration", calibrated_before)
    train(folder, recipe, resume=True)
    assert ends_the_same(folder, tmp_path / "whole")


def leave_a_graph(folder: Path) -> None:
    """An export that takes no time."""
    (folder / "pairs.onnx").write_bytes((folder / "model.safetensors").read_bytes()[-100:])


def half_a_graph(folder: Path) -> None:
    (folder / "pairs.onnx").write_bytes(b"half")
    raise tiny.Killed


def no_graph(folder: Path) -> None:
    raise tiny.Killed


@pytest.mark.parametrize("fatal", [no_graph, half_a_graph], ids=["before", "amid"])
def test_killed_at_the_export_a_run_is_exported_again_and_calibrated_once(
    fatal: Callable[[Path], None], train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "export", leave_a_graph)
    train(tmp_path / "whole", FULL, graphs=True)
    monkeypatch.setattr(session, "export", fatal)
    with pytest.raises(tiny.Killed):
        train(tmp_path / "m", FULL, graphs=True)
    monkeypatch.setattr(session, "export", leave_a_graph)
    monkeypatch.setattr(session, "fit_calibration", calibrated_before)
    assert train(tmp_path / "m", FULL, graphs=True, resume=True).not_exported is None
    assert ends_the_same(tmp_path / "m", tmp_path / "whole")
    graphs = [(tmp_path / name / "pairs.onnx").read_bytes() for name in ("m", "whole")]
    assert graphs[0] == graphs[1]


def test_killed_again_and_again_a_run_goes_on_to_the_same_end(
    train: Train, whole: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "m"
    for epoch, step in ((1, 2), (1, 5), (2, 4), (3, 1), (3, 5)):
        with pytest.raises(tiny.Killed):
            train(folder, FULL, resume=True, watch=tiny.stop_at(epoch, step, tiny.Killed))
    train(folder, FULL, resume=True)
    assert ends_the_same(folder, whole)


def test_what_a_killed_write_left_behind_is_removed(train: Train, whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    with pytest.raises(tiny.Killed):
        train(folder, FULL, watch=tiny.stop_at(3, 1, tiny.Killed))
    (folder / ".checkpoint.safetensors.x1y2.part").write_bytes(b"half")
    (folder / ".mine.part").write_bytes(b"of another program")
    train(folder, FULL, resume=True)
    assert (folder / ".mine.part").exists()
    (folder / ".mine.part").unlink()
    assert ends_the_same(folder, whole)


def test_killed_without_any_relation_in_its_data_a_run_goes_on_to_the_same_end(
    train: Train, tmp_path: Path
) -> None:
    write(tmp_path / "entities.jsonl", [s.annotated(s.entities) for s in tiny.sentences(18)])
    options = {"train": tmp_path / "entities.jsonl", "resume": True}
    train(tmp_path / "whole", FULL, **options)
    with pytest.raises(tiny.Killed):
        train(tmp_path / "m", FULL, **options, watch=tiny.stop_at(2, 1, tiny.Killed))
    train(tmp_path / "m", FULL, **options)
    assert ends_the_same(tmp_path / "m", tmp_path / "whole")


def test_interrupted_a_run_ends_with_its_best_model_and_can_go_on(
    train: Train, whole: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "m"
    finished = train(folder, FULL, watch=tiny.stop_at(3, 2, KeyboardInterrupt))
    assert finished.interrupted
    assert json.loads((folder / "run.json").read_text())["interrupted"] is True
    load_model(folder)
    best = max(tiny.history(folder), key=lambda line: line["selection"])
    assert (finished.dev["ner", "micro"].f1, finished.best_epoch) == (best["entities"], best["epoch"])
    assert len(tiny.history(folder)) == 2
    assert not train(folder, FULL, resume=True).interrupted
    assert ends_the_same(folder, whole)


def test_interrupted_a_run_is_not_calibrated_since_it_may_go_on(train: Train, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    train(folder, FULL, watch=tiny.stop_at(3, 2, KeyboardInterrupt))
    assert "calibration" not in notes(folder)
    assert load_model(folder).config == FULL
    assert record(folder)["calibration"] == Calibration().to_dict()


def test_interrupted_after_its_last_epoch_a_run_is_calibrated_when_it_goes_on(
    train: Train, whole: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "m"

    def watch(event: Event) -> None:
        if isinstance(event, EpochEnded) and event.epoch == 3:
            raise KeyboardInterrupt

    assert train(folder, FULL, watch=watch).interrupted
    assert "calibration" not in notes(folder)
    assert not train(folder, FULL, resume=True).interrupted
    assert ends_the_same(folder, whole)


def test_interrupted_before_an_epoch_is_done_there_is_nothing_to_end_with(
    train: Train, whole: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "m"
    with pytest.raises(KeyboardInterrupt):
        train(folder, FULL, watch=tiny.stop_at(1, 3, KeyboardInterrupt))
    assert not (folder / "model.safetensors").exists()
    train(folder, FULL, resume=True)
    assert ends_the_same(folder, whole)


@pytest.mark.parametrize("write_number", [3, 4, 5])  # history, weights, checkpoint of the first epoch
def test_interrupted_while_the_first_epoch_is_saved_a_run_can_go_on(
    write_number: int, train: Train, whole: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "m"
    with failing_after(write_number, KeyboardInterrupt):
        assert train(folder, FULL).interrupted
    train(folder, FULL, resume=True)
    assert ends_the_same(folder, whole)


def test_resuming_a_new_folder_begins(train: Train, whole: Path, tmp_path: Path) -> None:
    train(tmp_path / "m", FULL, resume=True)
    assert ends_the_same(tmp_path / "m", whole)


def test_resuming_a_finished_run_writes_nothing_and_gives_its_scores_again(
    train: Train, tmp_path: Path
) -> None:
    first = train(tmp_path / "m")
    before = tiny.contents(tmp_path / "m")
    told: list[Event] = []
    again = train(tmp_path / "m", resume=True, watch=told.append)
    assert tiny.contents(tmp_path / "m") == before
    assert again == first
    assert [event.epoch for event in told if isinstance(event, Started)] == [4]
    assert told[-1] is again
    assert not [event for event in told if isinstance(event, EpochEnded)]


def test_a_run_that_lost_patience_is_finished_and_a_killed_one_loses_it_at_the_same_epoch(
    train: Train, tmp_path: Path
) -> None:
    still = {"learning_rate": 1e-12, "epochs": 9, "patience": 3}  # no epoch is better than the first
    recipe = tiny.config(training=still)
    with pytest.raises(tiny.Killed):
        train(tmp_path / "m", recipe, watch=tiny.stop_at(3, 1, tiny.Killed))
    train(tmp_path / "m", recipe, resume=True)
    assert [line["epoch"] for line in tiny.history(tmp_path / "m")] == [1, 2, 3, 4]
    before = tiny.contents(tmp_path / "m")
    told: list[Event] = []
    train(tmp_path / "m", recipe, resume=True, watch=told.append)
    assert tiny.contents(tmp_path / "m") == before
    assert [(e.epoch, e.epochs) for e in told if isinstance(e, Started)] == [(4, 4)]
    assert not [event for event in told if isinstance(event, EpochEnded | StoppedEarly)]


def test_resuming_a_finished_run_does_not_calibrate_it_again(
    train: Train, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "fit_calibration", calibrated_before)
    before = tiny.contents(whole)
    train(whole, FULL, resume=True)
    assert tiny.contents(whole) == before


def test_a_finished_run_of_version_1_is_known_again(train: Train, tmp_path: Path) -> None:
    then = {"temperatures": False, "entity_threshold": False, "no_relation_bias": "learnt"}
    recipe = tiny.config(training={"selection": "paper"}, calibration=then)
    first = train(tmp_path / "m", recipe)
    path = tmp_path / "m" / "run.json"
    facts = json.loads(path.read_text())
    path.write_text(json.dumps(sealed({**unsealed(facts), "config": old_config(load_model(tmp_path / "m"))})))
    before = tiny.contents(tmp_path / "m")
    assert train(tmp_path / "m", recipe, resume=True) == first
    assert tiny.contents(tmp_path / "m") == before


@pytest.mark.parametrize(
    ("damage", "told"),
    [([], "config: "), ({"model": 3}, "model: "), ({"encoder": {"type": 7}}, r"encoder\.type: ")],
)
def test_a_record_whose_config_cannot_be_is_told(
    damage: Any, told: str, train: Train, tmp_path: Path
) -> None:
    train(tmp_path / "m", tiny.config(training={"epochs": 1}))
    path = tmp_path / "m" / "run.json"
    path.write_text(json.dumps(sealed({**unsealed(json.loads(path.read_text())), "config": damage})))
    with pytest.raises(UsageError, match=rf"run\.json: {told}"):
        train(tmp_path / "m", tiny.config(training={"epochs": 1}), resume=True)


@pytest.mark.parametrize("write_number", [9, 11, 12, 13, 17])  # in the third epoch, or at the end
def test_a_full_disk_loses_nothing(
    write_number: int, train: Train, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "m"
    fsync, calls = os.fsync, count()

    def full(handle: int) -> None:
        if next(calls) >= write_number:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(DataError, match="cannot be written: No space left"):
            train(folder, FULL)
    load_model(folder)
    load_tensors(folder / "checkpoint.safetensors")
    assert not [path for path in folder.iterdir() if path.suffix == ".part"]
    train(folder, FULL, resume=True)
    assert ends_the_same(folder, whole)


def test_a_disk_that_takes_no_more_loses_nothing(train: Train, whole: Path, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="this system has no limit on the size of files")
    folder = tmp_path / "m"
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)

    def watch(event: Event) -> None:
        if isinstance(event, EpochEnded):  # the weights still fit, the checkpoint no longer does
            size = (folder / "checkpoint.safetensors").stat().st_size - 1
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, unlimited[1]))

    try:
        with pytest.raises(DataError, match=r"checkpoint\.safetensors: cannot be written.*too large"):
            train(folder, FULL, watch=watch)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    load_model(folder)
    load_tensors(folder / "checkpoint.safetensors")
    train(folder, FULL, resume=True)
    assert ends_the_same(folder, whole)


# Refusals


@pytest.fixture
def stopped(train: Train, tmp_path: Path) -> Path:
    """A run of four epochs, killed in the third, with vectors."""
    (tmp_path / "v.txt").write_text("lives 1 2\nin 3 4\nabroad 5 6\n")
    with pytest.raises(tiny.Killed):
        train(tmp_path / "m", vectors=tmp_path / "v.txt", watch=tiny.stop_at(3, 1, tiny.Killed))
    return tmp_path / "m"


def other_training_data(folder: Path) -> dict[str, Any]:
    (folder / "new").mkdir()
    write(folder / "new" / "train.jsonl", tiny.sentences(18, first=1))
    return {"train": folder / "new" / "train.jsonl"}


def fewer_dev_sentences(folder: Path) -> dict[str, Any]:
    (folder / "new").mkdir()
    write(folder / "new" / "dev.jsonl", tiny.sentences(5, first=31))
    return {"dev": folder / "new" / "dev.jsonl"}


def vectors_of_another_name(folder: Path) -> dict[str, Any]:
    (folder / "w.txt").write_text("lives 1 2\nin 3 4\nabroad 5 6\n")
    return {"vectors": folder / "w.txt"}


def vectors_with_other_numbers(folder: Path) -> dict[str, Any]:
    (folder / "v.txt").write_text("lives 1 2\nin 3 4\nabroad 5 7\n")
    return {}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda folder: {"seed": 2}, r"its seed was 1, now it is 2"),
        (
            lambda folder: {"recipe": tiny.config(training={"epochs": 5})},
            r"its config\.training\.epochs was 4, now it is 5",
        ),
        (other_training_data, r"its data\.train\.sha256 was \w+, now it is \w+"),
        (fewer_dev_sentences, r"its data\.dev\.sentences was 6, now it is 5"),
        (lambda folder: {"test": folder / "v.jsonl"}, r"its data\.test was None"),
        (vectors_of_another_name, r"its vectors was v\.txt, now it is w\.txt"),
        (vectors_with_other_numbers, r"its vectors_sha256 was"),
        (lambda folder: {"vectors": None}, r"its vectors was v\.txt, now it is None"),
    ],
)
def test_a_run_is_not_resumed_with_anything_else_and_the_difference_is_named(
    change: Callable[[Path], dict[str, Any]], named: str, train: Train, stopped: Path, tmp_path: Path
) -> None:
    write(tmp_path / "v.jsonl", tiny.sentences(2))
    before = tiny.contents(stopped)
    options = {"vectors": tmp_path / "v.txt", **change(tmp_path)}
    with pytest.raises(UsageError, match=f"cannot be resumed: {named}"):
        train(stopped, resume=True, **options)
    assert tiny.contents(stopped) == before


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


@pytest.mark.parametrize("damage", [cut, lambda data: b"", lambda data: b"not tensors at all"])
def test_a_damaged_checkpoint_is_told_with_its_remedy_and_the_remedy_works(
    damage: Callable[[bytes], bytes], train: Train, stopped: Path, tmp_path: Path
) -> None:
    checkpoint = stopped / "checkpoint.safetensors"
    checkpoint.write_bytes(damage(checkpoint.read_bytes()))
    (stopped / "checkpoint.previous.safetensors").unlink()  # with it, test_state.py
    with pytest.raises(DataError, match=r"checkpoint\.safetensors: is damaged.*delete checkpoint\.safet"):
        train(stopped, vectors=tmp_path / "v.txt", resume=True)
    checkpoint.unlink()
    train(stopped, vectors=tmp_path / "v.txt", resume=True)
    train(tmp_path / "whole", vectors=tmp_path / "v.txt")
    assert ends_the_same(stopped, tmp_path / "whole")


def test_a_checkpoint_of_something_else_is_told(train: Train, stopped: Path, tmp_path: Path) -> None:
    (stopped / "checkpoint.safetensors").write_bytes((stopped / "model.safetensors").read_bytes())
    with pytest.raises(DataError, match=r"checkpoint\.safetensors: is damaged or not of this run"):
        train(stopped, vectors=tmp_path / "v.txt", resume=True)
