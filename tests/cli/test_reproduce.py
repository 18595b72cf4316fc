"""``biaffinity reproduce`` as a user meets it: interrupted, killed, called again, and used wrongly."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")

import torch

import biaffinity
from biaffinity.cli import main
from biaffinity.experiments.plan import Corpus
from experiments import records
from training import tiny

#: More than are done while a test looks for the first of them.
EPOCHS = 24


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tiny corpus and a recipe that takes a while."""
    folder = tmp_path_factory.mktemp("corpus")
    tiny.write_corpus(folder)
    tiny.write_recipe(folder / "tiny.toml", training={"epochs": EPOCHS})
    return folder


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """As the processes have: sums come out the same to the last bit."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def arguments(corpus: Path, out: Path, *more: str) -> list[str]:
    chosen = ["--recipe", str(corpus / "tiny.toml"), "--variants", "full", "--setups", "1", "--seeds", "1"]
    return ["reproduce", "--data", str(corpus), "--out", str(out), *chosen, "--workers", "1", *more]


def run(capsys: pytest.CaptureFixture[str], *command: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command."""
    with pytest.raises(SystemExit) as left:
        main(list(command))
    return left.value.code or 0, *capsys.readouterr()  # type: ignore[return-value]


def finished(corpus: Path, folder: Path, seed: int = 1, epochs: int = EPOCHS) -> None:
    """A run of the tiny recipe that is done already."""
    digests = Corpus.read(corpus).digests
    data = {part: {"file": f"{part}.jsonl", "sentences": 1, "sha256": digests[part]} for part in digests}
    config = tiny.config(training={"epochs": epochs}).model_dump()
    records.write_run(folder / "full" / f"setup1-seed{seed}", seed=seed, data=data, config=config)


# Real processes


@pytest.fixture
def out(corpus: Path, tmp_path: Path) -> Iterator[Path]:
    """A folder whose runs, should any be left over, end with the test."""
    yield tmp_path / "out"
    for pid in workers(tmp_path / "out"):
        os.kill(pid, signal.SIGKILL)


def workers(out: Path) -> list[int]:
    """Processes that have the log of a run of ``out`` open."""
    found = []
    for link in Path("/proc").glob("[0-9]*/fd/2"):
        with suppress(OSError):  # it has just ended, or is not ours
            if str(link.readlink()).startswith(str(out)):
                found.append(int(link.parts[2]))
    return found


def start(*command: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "biaffinity", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc to look for left-over processes")
def test_killed_or_interrupted_it_leaves_no_process_and_goes_on_where_it_was(
    corpus: Path, out: Path, tmp_path: Path
) -> None:
    command = arguments(corpus, out)
    history = out / "full" / "setup1-seed1" / "history.jsonl"
    for how, code in ((signal.SIGKILL, -9), (signal.SIGINT, 130)):
        epochs = len(history.read_text().splitlines()) if history.exists() else 0
        process = start(*command)
        while not history.exists() or len(history.read_text().splitlines()) < epochs + 2:
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.002)
        process.send_signal(how)
        _, stderr = process.communicate(timeout=60)
        assert process.returncode == code, stderr
        assert "Traceback" not in stderr
        deadline = time.monotonic() + 20
        while workers(out) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not workers(out)
    assert "interrupted: the same command goes on with it" in stderr
    assert "scores" not in json.loads((history.parent / "run.json").read_text()), (
        "stopped too late to tell anything"
    )
    process = start(*command)
    _, stderr = process.communicate()
    assert process.returncode == 0, stderr
    files = {part: corpus / f"{part}.jsonl" for part in ("train", "dev", "test")}
    biaffinity.train(corpus / "tiny.toml", **files, out=tmp_path / "alone", graphs=False)
    assert tiny.same_tensors(tiny.weights(history.parent), tiny.weights(tmp_path / "alone"))


# In this process


def test_what_is_done_is_not_done_again(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed in (1, 2):
        finished(corpus, tmp_path, seed)
    before = tiny.contents(tmp_path / "full" / "setup1-seed1")
    code, _, stderr = run(capsys, *arguments(corpus, tmp_path, "--seeds", "2"))
    assert code == 0
    assert stderr.splitlines() == [
        "2 runs, 2 done before, 0 at a time",
        f"done: 2 runs in {tmp_path}",
    ]
    assert tiny.contents(tmp_path / "full" / "setup1-seed1") == before


def test_a_run_that_fails_makes_the_exit_code_1(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finished(corpus, tmp_path, seed=2)
    folder = tmp_path / "full" / "setup1-seed1"
    folder.mkdir()
    (folder / "model.safetensors").touch()  # a model of unknown origin, which training would overwrite
    code, _, stderr = run(capsys, *arguments(corpus, tmp_path, "--seeds", "2"))
    assert code == 1
    assert f"failed: full/setup1-seed1: {folder}: already holds a model" in stderr
    assert f"(see {folder / 'log.txt'})" in stderr
    assert stderr.splitlines()[-1] == "1 of 2 runs failed; the same command tries them again"
    assert "already holds a model" in (folder / "log.txt").read_text()


def test_a_run_of_another_recipe_is_refused_before_anything_is_run(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finished(corpus, tmp_path, epochs=7)
    code, _, stderr = run(capsys, *arguments(corpus, tmp_path, "--seeds", "2"))
    assert code == 2
    assert f"holds a run of other config: training.epochs: it was 7, now it is {EPOCHS}" in stderr
    assert not (tmp_path / "full" / "setup1-seed2").exists()


@pytest.mark.parametrize(
    ("more", "code", "told"),
    [
        (["--variants", "sofmax"], 2, "did you mean softmax?"),
        (["--setups", "3"], 2, "--setups: '3' is not 1, 2 or both"),
        (["--seeds", "x"], 2, "--seeds: 'x' is no number from 1"),
        (["--seeds", "0"], 2, "--seeds"),
        (["--workers", "0"], 2, "--workers"),
        (["--recipe", "papr"], 2, "no recipe has the name papr (known: default, demo,"),
        (["--set", "training.epoch=3"], 2, "did you mean training.epochs?"),
        (["--device", "cuda:77"], 2, "PyTorch sees no device"),
        (["--vectors", "none.txt"], 1, "none.txt: no such file"),
        (["--data", "none"], 1, "none: no such folder"),
    ],
)
def test_mistakes_are_told_before_anything_is_written(
    more: list[str], code: int, told: str, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left, stdout, stderr = run(capsys, *arguments(corpus, tmp_path / "out", *more))
    assert (left, stdout) == (code, "")
    assert told in stderr
    assert not (tmp_path / "out").exists()


def test_without_pytorch_the_extra_is_named(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("biaffinity.experiments")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    code, _, stderr = run(capsys, *arguments(corpus, tmp_path))
    assert code == 1
    assert "pip install 'biaffinity[train]'" in stderr


def test_the_plan_of_the_paper_is_printed_and_nothing_is_run(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, stdout, _ = run(
        capsys,
        "reproduce",
        "--paper",
        "--data",
        str(corpus),
        "--out",
        str(tmp_path / "runs"),
        "--workers",
        "4",
    )
    assert code == 0
    assert "to go, 4 runs at a time" in stdout
    assert stdout.count("  biaffinity reproduce --recipe paper") == 4
    assert not (tmp_path / "runs").exists()
