"""``biaffinity train`` as a user meets it: killed, interrupted, resumed, and used wrongly."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")

import torch

import biaffinity
from biaffinity.cli import main
from biaffinity.formats import write
from biaffinity.model.folder import load_model
from training import tiny

EPOCHS = 16


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("corpus")
    return {**tiny.write_corpus(folder), "recipe": tiny.write_recipe(folder / "tiny.toml")}


def arguments(corpus: dict[str, Path], out: Path, *more: str) -> list[str]:
    data = ["--train", str(corpus["train"]), "--dev", str(corpus["dev"])]
    return ["train", str(corpus["recipe"]), *data, "--out", str(out), "--no-export", *more]


def run(capsys: pytest.CaptureFixture[str], *command: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command."""
    with pytest.raises(SystemExit) as left:
        main(list(command))
    return left.value.code or 0, *capsys.readouterr()  # type: ignore[return-value]


# Real processes, really killed


def start(*command: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "biaffinity", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def epochs_done(out: Path) -> int:
    history = out / "history.jsonl"
    return len(history.read_text().splitlines()) if history.exists() else 0


def wait_for_epochs(process: subprocess.Popen[str], out: Path, epochs: int) -> None:
    while epochs_done(out) < epochs:
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.002)


def stop(process: subprocess.Popen[str], how: signal.Signals) -> tuple[int, str, str]:
    process.send_signal(how)
    stdout, stderr = process.communicate(timeout=60)
    return process.returncode, stdout, stderr


def test_a_run_killed_twice_and_resumed_ends_as_one_that_was_not(
    corpus: dict[str, Path], tmp_path: Path
) -> None:
    training = {**tiny.WITH_ALL_STATE, "epochs": EPOCHS}
    recipe = tiny.write_recipe(tmp_path / "tiny.toml", training=training)
    command = arguments({**corpus, "recipe": recipe}, tmp_path / "m", "--resume")
    for epochs in (random.randint(0, 4), random.randint(5, 9)):
        process = start(*command)
        wait_for_epochs(process, tmp_path / "m", epochs)
        time.sleep(random.uniform(0, 0.05))
        assert stop(process, signal.SIGKILL)[0] == -signal.SIGKILL
    done = epochs_done(tmp_path / "m")
    assert done < EPOCHS, "killed too late to tell anything"
    process = start(*command)
    _, stderr = process.communicate()
    assert process.returncode == 0, stderr
    whole = {name: corpus[name] for name in ("train", "dev")}
    torch.set_num_threads(1)  # as the command does: sums depend on it
    biaffinity.train(recipe, **whole, out=tmp_path / "whole", graphs=False)
    assert tiny.same_tensors(tiny.weights(tmp_path / "m"), tiny.weights(tmp_path / "whole")), done
    assert tiny.history(tmp_path / "m") == tiny.history(tmp_path / "whole"), done
    left = {path.name for path in (tmp_path / "m").iterdir()}
    assert left == {path.name for path in (tmp_path / "whole").iterdir()}


def test_ctrl_c_ends_with_the_best_model_and_says_how_to_go_on(
    corpus: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "m"
    command = arguments(corpus, out, "--set", f"training.epochs={EPOCHS}")
    process = start(*command)
    wait_for_epochs(process, out, 4)
    code, stdout, stderr = stop(process, signal.SIGINT)
    assert code == 130, stderr
    assert "Entities, strict" in stdout
    assert f"is in {out}" in stderr
    assert "--resume" in stderr
    assert "Traceback" not in stderr
    load_model(out)
    assert json.loads((out / "run.json").read_text())["interrupted"] is True
    assert epochs_done(out) < EPOCHS
    code, _, stderr = run(capsys, *command, "--resume")
    assert code == 0
    assert "going on after epoch" in stderr
    run(capsys, *arguments(corpus, tmp_path / "whole", "--set", f"training.epochs={EPOCHS}"))
    assert tiny.same_tensors(tiny.weights(out), tiny.weights(tmp_path / "whole"))


def test_ctrl_c_before_the_first_epoch_is_done_leaves_no_model_and_no_traceback(
    corpus: dict[str, Path], tmp_path: Path
) -> None:
    write(tmp_path / "long.jsonl", tiny.sentences(2000))
    command = arguments({**corpus, "train": tmp_path / "long.jsonl"}, tmp_path / "m")
    process = start(*command, "--set", "training.batch_size=1")
    while not (tmp_path / "m" / "run.json").exists():
        assert process.poll() is None
        time.sleep(0.002)
    code, stdout, stderr = stop(process, signal.SIGINT)
    assert (code, stdout) == (130, "")
    assert stderr.endswith("interrupted: --resume goes on from the last whole epoch\n")
    assert "Traceback" not in stderr
    assert not (tmp_path / "m" / "model.safetensors").exists()


# In this process


def test_score_sheets_go_to_stdout_and_talk_to_stderr(
    corpus: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = arguments(corpus, tmp_path / "m", "--test", str(corpus["test"]), "--seed", "3")
    code, stdout, stderr = run(capsys, *command)
    assert code == 0
    names = [line.strip() for line in stdout.splitlines() if line.strip() in ("dev", "test")]
    assert names == ["dev", "test"]
    assert stdout.count("Entities, strict") == 2
    assert "The paper's numbers" not in stdout
    assert "epoch" not in stdout
    lines = stderr.splitlines()
    assert lines[0].startswith("note: every sentence of dev stands in the training data too")
    assert any(line.startswith("18 sentences, ") for line in lines)
    assert sum(line.startswith("epoch ") for line in lines) == 4
    assert lines[-1].startswith("the model of epoch ")
    assert lines[-1].endswith(str(tmp_path / "m"))
    assert (tmp_path / "m" / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((tmp_path / "m" / "run.json").read_text())["seed"] == 3


def test_a_finished_run_resumed_prints_its_scores_again(
    corpus: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = arguments(corpus, tmp_path / "m")
    _, first, _ = run(capsys, *command)
    before = tiny.contents(tmp_path / "m")
    code, again, stderr = run(capsys, *command, "--resume")
    assert (code, again) == (0, first)
    assert "nothing is left to train" in stderr
    assert tiny.contents(tmp_path / "m") == before


def test_a_folder_in_use_is_wrong_use(
    corpus: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "run.json").write_text("{}")
    code, stdout, stderr = run(capsys, *arguments(corpus, tmp_path / "m"))
    assert (code, stdout) == (2, "")
    assert stderr.startswith(f"error: {tmp_path / 'm'}: already holds a training run")


def test_a_loss_that_is_no_number_is_one_line_with_its_place(
    corpus: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = arguments(corpus, tmp_path / "m", "--set", "training.learning_rate=1e30")
    code, stdout, stderr = run(capsys, *command)
    assert (code, stdout) == (1, "")
    assert stderr.splitlines()[-1].startswith("error: epoch ")
    assert "learning_rate" in stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("more", "code", "told"),
    [
        (["--set", "training.epoch=3"], 2, "did you mean training.epochs?"),
        (["--set", "training.epochs=none"], 2, "training.epochs"),
        (["--set", "epochs"], 2, "section.key=value"),
        (["--device", "cuda:77"], 2, "PyTorch sees no device 'cuda:77' here (it sees cpu"),
        (["--seed", "-1"], 2, "--seed"),
        (["--vectors", "no-such-file.txt"], 1, "no-such-file.txt: no such file"),
        (["--test", "no-such-file.jsonl"], 1, "no-such-file.jsonl: no such file"),
    ],
)
def test_mistakes_are_told_before_anything_is_written(
    more: list[str],
    code: int,
    told: str,
    corpus: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    left, stdout, stderr = run(capsys, *arguments(corpus, tmp_path / "m", *more))
    assert (left, stdout) == (code, "")
    assert told in stderr
    assert not (tmp_path / "m").exists()


def test_a_missing_recipe_is_an_error_with_its_path(
    corpus: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = arguments({**corpus, "recipe": tmp_path / "none.toml"}, tmp_path / "m")
    code, _, stderr = run(capsys, *command)
    assert (code, stderr) == (1, f"error: {tmp_path / 'none.toml'}: no such file (check the path)\n")


def test_tensorboard_gets_a_log_in_the_folder(
    corpus: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("tensorboard", reason="needs the extra tensorboard")
    code, _, stderr = run(capsys, *arguments(corpus, tmp_path / "m", "--tensorboard"))
    assert code == 0, stderr
    assert list((tmp_path / "m" / "tensorboard").glob("events.out.*"))


def test_a_model_that_could_not_be_exported_is_told(
    corpus: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "biaffinity.layers.onnx_graph", raising=False)
    monkeypatch.setitem(sys.modules, "onnx", None)
    code, _, stderr = run(
        capsys, *arguments(corpus, tmp_path / "m", "--export", "--set", "training.epochs=1")
    )
    assert code == 0
    assert "it needs PyTorch to run, for it could not be exported: " in stderr
    assert "-m pip install 'biaffinity[train]')" in stderr
    assert not list((tmp_path / "m").glob("*.onnx"))


def test_without_pytorch_the_extra_is_named(
    corpus: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    code, _, stderr = run(capsys, *arguments(corpus, tmp_path / "m"))
    assert code == 1
    assert "pip install 'biaffinity[train]'" in stderr


def test_a_share_as_dev_holds_back_whole_texts_of_the_training_data(
    corpus: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["train", str(corpus["recipe"]), "--train", str(corpus["train"]), "--no-export"]
    for seed in ("1", "2"):
        out = str(tmp_path / seed)
        code, _, err = run(capsys, *command, "--dev", "0.25", "--seed", seed, "--out", out)
        assert code == 0, err
        assert "stands in the training data too" not in err
    first, second = (json.loads((tmp_path / seed / "run.json").read_text())["data"] for seed in "12")
    assert first == second
    assert first["train"]["sentences"] + first["dev"]["sentences"] == 18
    assert first["dev"]["file"] == first["train"]["file"] == "train.jsonl"


def test_without_dev_data_the_ways_to_it_are_told(
    corpus: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["train", str(corpus["recipe"]), "--train", str(corpus["train"]), "--out", str(tmp_path / "m")]
    code, _, err = run(capsys, *command)
    assert code == 2
    assert err.startswith("error: dev data is missing")
    assert "--dev 0.1" in err
    assert "biaffinity split" in err
