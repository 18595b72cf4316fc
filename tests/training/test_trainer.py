from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch

from biaffinity.annotation import Sentence
from biaffinity.decoding.network import Batch
from biaffinity.errors import DataError
from biaffinity.model.folder import owned_tensors
from biaffinity.model.gold import Gold
from biaffinity.model.joint import JointModel
from biaffinity.training import (
    DivergedError,
    EpochEnded,
    Event,
    Progress,
    Started,
    StoppedEarly,
    Trainer,
    TrainingData,
)
from training import tiny

DATA = TrainingData(tiny.sentences(18), tiny.sentences(6, first=31))


def trainer(seed: int = 1, data: TrainingData = DATA, **sections: dict[str, Any]) -> Trainer:
    return Trainer(tiny.config(**sections), data, seed=seed, device="cpu")


def tensors(run: Trainer) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in owned_tensors(run.model).items()}


def epochs_of(events: Iterator[Event]) -> list[EpochEnded]:
    return [event for event in events if isinstance(event, EpochEnded)]


@pytest.fixture(scope="module")
def events() -> list[Event]:
    torch.set_num_threads(1)
    return list(trainer(training={"epochs": 12}).events())


def test_a_run_starts_once_then_updates_and_ends_each_epoch(events: list[Event]) -> None:
    kinds = "".join(type(event).__name__[0] for event in events)
    assert kinds == "S" + ("P" * 5 + "E") * 12


def test_the_start_tells_what_is_to_come(events: list[Event]) -> None:
    start = events[0]
    assert isinstance(start, Started)
    assert (start.epoch, start.epochs, start.sentences, start.steps_per_epoch) == (0, 12, 18, 5)
    model = trainer().model
    assert start.parameters == sum(parameter.numel() for parameter in model.parameters())
    assert start.coverage is None
    assert start.left_out == {}


def test_every_sentence_is_met_once_an_epoch_in_batches_of_the_recipes_size(events: list[Event]) -> None:
    first = [event for event in events if isinstance(event, Progress) and event.epoch == 1]
    assert [event.step for event in first] == [1, 2, 3, 4, 5]
    assert sorted(event.sentences for event in first) == [2, 4, 4, 4, 4]


def test_an_epochs_losses_are_the_mean_per_sentence_of_its_updates(events: list[Event]) -> None:
    for ended in epochs_of(iter(events)):
        updates = [e for e in events if isinstance(e, Progress) and e.epoch == ended.epoch]
        total = sum(event.loss * event.sentences for event in updates)
        assert ended.tagger_loss + ended.relation_loss == pytest.approx(total / 18)


def test_the_selection_is_the_mean_of_entities_and_relations(events: list[Event]) -> None:
    for ended in epochs_of(iter(events)):
        assert ended.selection == pytest.approx((ended.entities + ended.relations) / 2)


def test_it_learns_the_tiny_corpus(events: list[Event]) -> None:
    ended = epochs_of(iter(events))
    assert max(epoch.selection for epoch in ended) > 0.5
    assert ended[-1].tagger_loss < ended[0].tagger_loss / 4


def test_only_a_strictly_better_epoch_is_best(events: list[Event]) -> None:
    before = -1.0
    flags = []
    for ended in epochs_of(iter(events)):
        flags.append(ended.best)
        assert ended.best == (ended.selection > before)
        before = max(before, ended.selection)
    assert set(flags) == {True, False}


def test_the_first_epoch_is_best_even_with_nothing_right() -> None:
    first = epochs_of(trainer(training={"epochs": 1, "learning_rate": 1e-9}).events())[0]
    assert (first.selection, first.best) == (0.0, True)


def test_the_history_line_has_every_value(events: list[Event]) -> None:
    ended = epochs_of(iter(events))[0]
    line = ended.to_dict()
    assert line["epoch"] == 1
    assert line["best"] is True
    assert line["selection"] == ended.selection
    assert line["metric"] == "strict micro F1"
    assert line.keys() >= {"tagger_loss", "relation_loss", "entities", "relations", "learning_rate"}
    assert all(line[key] >= 0 for key in ("train_seconds", "dev_seconds"))


def test_the_learning_rate_told_at_an_epochs_end_is_that_of_the_next_update() -> None:
    run = trainer(training={"schedule": "linear", "learning_rate": 0.02, "epochs": 4})
    rates = [event.learning_rate for event in epochs_of(run.events())]
    assert rates == pytest.approx([0.015, 0.01, 0.005, 0.0])


@pytest.mark.parametrize(("fed", "expected"), [("gold", {False}), ("predicted", {True})])
def test_relations_are_learnt_from_the_labels_the_recipe_names(
    fed: str, expected: set[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    met: list[bool] = []
    losses = JointModel.losses

    def watching(model: JointModel, batch: Batch, gold: Gold, *, predicted: bool) -> Any:
        met.append(predicted)
        return losses(model, batch, gold, predicted=predicted)

    monkeypatch.setattr(JointModel, "losses", watching)
    list(trainer(training={"relation_labels": fed, "epochs": 2}).events())
    assert {*met} == expected
    assert len(met) == 10


def test_the_labels_that_relations_are_learnt_from_matter() -> None:
    by_gold, by_own = (trained(1, relation_labels=fed) for fed in ("gold", "predicted"))
    assert not tiny.same_tensors(by_gold, by_own)


def test_the_same_seed_gives_the_same_weights_and_another_seed_others() -> None:
    first, again, other = (trained(seed) for seed in (1, 1, 2))
    assert tiny.same_tensors(first, again)
    assert not tiny.same_tensors(first, other)


def trained(seed: int, **training: Any) -> dict[str, torch.Tensor]:
    run = trainer(seed, training={"epochs": 2, **training})
    list(run.events())
    return tensors(run)


@pytest.mark.parametrize("training", [{}, tiny.WITH_ALL_STATE])
@pytest.mark.parametrize("model", [{}, {"architecture": "pipeline", "boundaries": "given"}])
def test_a_state_put_into_a_new_run_goes_on_exactly(training: dict[str, Any], model: dict[str, Any]) -> None:
    sections = {"training": {**training, "epochs": 4}, "model": model}
    whole = trainer(**sections)
    expected = epochs_of(whole.events())
    first = trainer(**sections)
    stream = first.events()
    while first.epoch < 2:
        next(stream)
    saved = {name: tensor.clone() for name, tensor in first.state()[0].items()}, first.state()[1]
    list(stream)  # what happens after the state was taken does not matter
    second = trainer(**sections)
    second.load_state(*saved)
    rest = epochs_of(second.events())
    assert [e.selection for e in rest] == [e.selection for e in expected[2:]]
    assert [e.tagger_loss for e in rest] == [e.tagger_loss for e in expected[2:]]
    assert [e.best for e in rest] == [e.best for e in expected[2:]]
    assert tiny.same_tensors(tensors(whole), tensors(second))


def test_a_loss_that_is_no_number_stops_with_place_cause_and_remedy() -> None:
    run = trainer(training={"learning_rate": 1e30, "epochs": 5})
    with pytest.raises(DivergedError) as caught:
        list(run.events())
    told = str(caught.value)
    assert told.startswith(f"epoch {run.epoch + 1}, update ")
    assert "sentences s" in told
    assert "loss is nan" in told or "loss is inf" in told
    assert "learning_rate" in told


def test_bad_numbers_in_the_loss_with_good_weights_are_blamed_on_the_data(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = trainer()
    updates = iter(range(100))
    losses = JointModel.losses

    def broken(model: JointModel, batch: Batch, gold: Gold, *, predicted: bool) -> Any:
        tagger_loss, relation_loss = losses(model, batch, gold, predicted=predicted)
        return tagger_loss, relation_loss * (math.nan if next(updates) == 7 else 1)

    monkeypatch.setattr(JointModel, "losses", broken)
    with pytest.raises(DivergedError) as caught:
        list(run.events())
    assert caught.value.where is not None
    assert caught.value.where.startswith("epoch 2, update 3, sentences s")
    assert "the relation loss is nan" in caught.value.what
    assert "weights are finite" in caught.value.what
    assert all(torch.isfinite(parameter).all() for parameter in run.model.parameters())


def test_sentences_without_tokens_are_left_out_and_told() -> None:
    data = TrainingData([*tiny.sentences(6), Sentence([], id="empty")], DATA.dev)
    start = next(trainer(data=data).events())
    assert isinstance(start, Started)
    assert start.sentences == 6
    assert start.left_out == {"sentences without tokens": 1}


def test_no_training_sentence_is_an_error() -> None:
    with pytest.raises(DataError, match="no sentence"):
        trainer(data=TrainingData([Sentence([], id="empty")], DATA.dev))


def unrelated(count: int) -> list[Sentence]:
    return [
        replace(sentence, relations=(), id=f"free{n}") for n, sentence in enumerate(tiny.sentences(count))
    ]


def read_rows(run: Trainer, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The ids that each epoch of a run reads."""
    read: list[list[str]] = [[]]
    batch = run.examples.batch

    def watching(rows: Iterable[int]) -> tuple[Batch, Gold]:
        rows = list(rows)
        read[-1] += [run.sentences[row].id for row in rows]
        return batch(rows)

    monkeypatch.setattr(run.examples, "batch", watching)
    read.extend([] for event in run.events() if isinstance(event, EpochEnded))
    return read[:-1]


def test_an_epoch_reads_every_sentence_once(monkeypatch: pytest.MonkeyPatch) -> None:
    epochs = read_rows(trainer(training={"epochs": 3}), monkeypatch)
    assert [sorted(names) for names in epochs] == [sorted(s.id for s in DATA.train)] * 3
    assert epochs[0] != epochs[1]


def test_an_epoch_reads_a_share_of_the_sentences_without_a_relation_anew_and_all_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = TrainingData([*unrelated(10), *tiny.sentences(6)], DATA.dev)
    run = trainer(data=data, training={"negative_ratio": 0.3, "epochs": 8})
    epochs = read_rows(run, monkeypatch)
    free = [{name for name in names if name.startswith("free")} for names in epochs]
    assert {len(names) for names in free} == {3}
    assert all(len(names) == len({*names}) == 6 + 3 for names in epochs)
    assert len({frozenset(names) for names in free}) > 1
    assert run.steps_per_epoch == 3


def test_a_share_that_leaves_no_sentence_is_an_error() -> None:
    with pytest.raises(DataError, match=r"training\.negative_ratio leaves no sentence"):
        trainer(data=TrainingData(unrelated(5), DATA.dev), training={"negative_ratio": 0.0})


def test_patience_ends_a_run_so_many_epochs_after_the_best() -> None:
    run = trainer(training={"epochs": 9, "patience": 2, "learning_rate": 1e-12})  # the first is the best
    events = list(run.events())
    assert [event.epoch for event in epochs_of(iter(events))] == [1, 2, 3]
    assert events[-1] == StoppedEarly(epoch=3, best_epoch=1)


def test_patience_that_is_not_lost_changes_nothing() -> None:
    run = trainer(training={"epochs": 4, "patience": 4})
    events = list(run.events())
    assert len(epochs_of(iter(events))) == 4
    assert not [event for event in events if isinstance(event, StoppedEarly)]
