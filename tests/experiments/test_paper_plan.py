"""The plan of the paper: what stands, in folders or gathered, is not asked for again."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")

from biaffinity.errors import UsageError
from biaffinity.experiments import paper_plan
from biaffinity.experiments.paper_plan import SERIES, State, finished, paper_states
from biaffinity.experiments.plan import Corpus, Experiment, Run
from biaffinity.experiments.runs import gather
from biaffinity.experiments.variants import FULL
from experiments import records

DATA = {"train": {"sha256": "t"}, "dev": {"sha256": "d"}, "test": {"sha256": "e"}}


@pytest.fixture
def corpus() -> Corpus:
    """Data without repeats that was never read."""
    files = {part: Path(f"{part}.jsonl") for part in DATA}
    return Corpus(files, {part: facts["sha256"] for part, facts in DATA.items()}, frozenset(), ())


def leave(out: Path, *runs: tuple[int, int], **facts: object) -> None:
    """Finished runs of the paper's recipe, by setup and seed."""
    for setup, seed in runs:
        records.write_run(out / f"full/setup{setup}-seed{seed}", setup=setup, seed=seed, data=DATA, **facts)


def states(corpus: Corpus, out: Path, workers: int = 1) -> dict[str, State]:
    made = paper_states(corpus, Path("conll04"), out, None, "cpu", workers)
    return {state.series.name: state for state in made}


def test_runs_count_from_folders_and_from_gathered_files(tmp_path: Path, corpus: Corpus) -> None:
    leave(tmp_path / "elsewhere", (1, 1), (2, 1))
    gather([tmp_path / "elsewhere"], tmp_path / "paper.jsonl")
    leave(tmp_path / "paper", (1, 2))
    experiment = Experiment("paper", corpus, tmp_path / "paper")
    done = finished(experiment, SERIES[0].runs)
    assert done == {Run(FULL, 1, 1), Run(FULL, 2, 1), Run(FULL, 1, 2)}


def test_gathered_runs_of_another_recipe_are_refused_with_their_place(tmp_path: Path, corpus: Corpus) -> None:
    leave(tmp_path / "elsewhere", (1, 1), overrides=("training.epochs=7",))
    gather([tmp_path / "elsewhere"], tmp_path / "paper.jsonl")
    with pytest.raises(UsageError, match=r"paper\.jsonl.*training\.epochs: it was 7, now it is 100"):
        finished(Experiment("paper", corpus, tmp_path / "paper"), SERIES[0].runs)


def test_the_command_asks_for_what_is_left(
    tmp_path: Path, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paper_plan, "run_seconds", lambda *_: 10.0)
    leave(tmp_path / "paper", *((setup, seed) for setup in (1, 2) for seed in range(1, 10)), (1, 10))
    state = states(corpus, tmp_path)["paper"]
    assert (state.total, state.left, state.seconds) == (20, 1, 10.0)
    assert "--setups 2 --seeds 10-10 --data conll04" in state.command


def test_what_is_left_is_shared_among_workers(
    tmp_path: Path, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paper_plan, "run_seconds", lambda config, *_: float(config.training.epochs))
    plan = states(corpus, tmp_path, workers=8)
    assert {name: (state.total, state.seconds) for name, state in plan.items()} == {
        "paper": (20, 3 * 100.0),
        "paper-batched": (140, 18 * 25.0),
        "paper-batched-train-words": (140, 18 * 25.0),
        "paper-batched-predicted-labels": (20, 3 * 25.0),
    }
    assert "--set training.relation_labels=predicted" in plan["paper-batched-predicted-labels"].command


def test_a_series_that_is_done_takes_no_time_and_no_measurement(
    tmp_path: Path, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paper_plan, "SERIES", SERIES[:1])
    monkeypatch.setattr(paper_plan, "run_seconds", lambda *_: pytest.fail("nothing is to be measured"))
    leave(tmp_path / "paper", *((setup, seed) for setup in (1, 2) for seed in range(1, 11)))
    assert states(corpus, tmp_path)["paper"] == State(SERIES[0], 20, 0)
