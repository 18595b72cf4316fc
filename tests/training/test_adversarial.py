from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from biaffinity.config.settings import Config
from biaffinity.training import Trainer, TrainingData
from biaffinity.training.adversarial import gradients, moved
from biaffinity.training.examples import Upcoming
from training import tiny

DATA = TrainingData(tiny.sentences(6), tiny.sentences(3, first=31))
#: Nothing is left to chance, so that two readings of a batch differ by the words' places alone.
SURE = {"encoder": {"word_dropout": 0.0}, "model": {"dropout": 0.0}}


def trainer(config: Config) -> Trainer:
    return Trainer(config, DATA, seed=1, device="cpu")


def sure(size: float, **more: Any) -> Config:
    return tiny.config(**SURE, training={"adversarial": size, "batch_size": 3} | more)


def test_the_step_has_the_size_and_the_direction_of_the_gradient_and_is_taken_back() -> None:
    table = nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 0.1]]))
    before = table.detach().clone()
    earlier = gradients([table])
    (table * torch.tensor([[3.0, 0.0], [0.0, -4.0]])).sum().backward()
    with moved([table], earlier, 0.5):
        step = table.detach() - before
        assert step.allclose(torch.tensor([[0.3, 0.0], [0.0, -0.4]]))
    assert table.equal(before)


def test_what_earlier_batches_of_an_update_left_does_not_lead() -> None:
    table = nn.Parameter(torch.zeros(2))
    (table * torch.tensor([100.0, 0.0])).sum().backward()
    earlier = gradients([table])
    (table * torch.tensor([0.0, 2.0])).sum().backward()
    with moved([table], earlier, 1.0):
        assert table.detach().allclose(torch.tensor([0.0, 1.0]))


@pytest.mark.parametrize("gradient", [None, torch.zeros(2)], ids=["none", "zero"])
def test_where_nothing_leads_the_table_stays(gradient: torch.Tensor | None) -> None:
    table = nn.Parameter(torch.ones(2))
    table.grad = gradient
    with moved([table], gradients([table]), 1.0):
        assert table.detach().equal(torch.ones(2))


def test_an_error_while_it_is_at_work_leaves_the_table_as_it_was() -> None:
    table = nn.Parameter(torch.ones(2))
    table.sum().backward()
    with pytest.raises(KeyboardInterrupt), moved([table], [None], 1.0):
        raise KeyboardInterrupt
    assert table.detach().equal(torch.ones(2))


@pytest.fixture(params=["recurrent", "transformer"])
def config(request: pytest.FixtureRequest) -> Config:
    one = sure(0.5)
    if request.param == "transformer":
        pytest.importorskip("transformers", reason="needs the extra transformers")
        one = tiny.above(request.getfixturevalue("transformer"), one)
    return one


def test_the_second_reading_is_harder_than_the_first(config: Config) -> None:
    run = trainer(config)
    run.model.eval()  # a transformer has dropout of its own
    parts: list[Any] = []
    losses = []
    for loss in run._losses([np.arange(3)], Upcoming(run.examples, [np.arange(3)]), 1, parts):
        losses.append(float(loss.detach()))
        loss.backward()
    assert len(losses) == 2
    assert len(parts) == 1
    assert losses[1] > losses[0]
    assert parts[0].sum() / 3 == pytest.approx(losses[0], rel=1e-5)  # what is told is the first


def gradient(size: float) -> torch.Tensor:
    """What one batch leaves in all weights."""
    run = trainer(sure(size))
    for loss in run._losses([np.arange(3)], Upcoming(run.examples, [np.arange(3)]), 1, []):
        loss.backward()
    return torch.cat([p.grad.flatten() for p in run.model.parameters() if p.grad is not None])


def test_both_readings_are_learnt_from() -> None:
    once, again, worse = (gradient(size) for size in (0.0, 1e-12, 0.5))
    assert again.allclose(2 * once, atol=1e-5)
    assert not worse.allclose(2 * once, atol=1e-2)


def test_each_network_of_a_pipeline_has_a_table_of_its_own() -> None:
    run = trainer(tiny.config(model={"architecture": "pipeline"}, training={"adversarial": 0.5}))
    assert len(run.tables) == 2
    for _ in run._train_epoch():
        pass


def test_summed_batches_are_each_read_twice() -> None:
    run = trainer(sure(0.5, batch_size=2, accumulation=3))
    rows = [np.arange(start, start + 2) for start in (0, 2, 4)]
    count = 0
    for loss in run._losses(rows, Upcoming(run.examples, rows), 1, []):
        loss.backward()
        count += 1
    assert count == 6


def test_broken_off_in_the_second_reading_an_update_leaves_the_words_where_they_were(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = trainer(sure(0.5))
    [table] = run.tables
    before = table.detach().clone()
    way_back, calls = torch.Tensor.backward, 0

    def broken_off(loss: torch.Tensor) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            assert not table.equal(before)
            raise KeyboardInterrupt
        way_back(loss)

    monkeypatch.setattr(torch.Tensor, "backward", broken_off)
    with pytest.raises(KeyboardInterrupt) as held:  # and with it every frame that it came through
        list(run._train_epoch())
    assert table.equal(before)
    assert held.traceback
