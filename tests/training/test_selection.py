"""What the best epoch is best by: micro F1 of all types, or the paper's scores, which leave Other out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.scoring import score
from biaffinity.training import EpochEnded, Trainer, TrainingData, trainer
from biaffinity.training.selection import Selection
from training import tiny

GOLD = [
    Sentence(
        ["Ida", "Moor", "left", "Port", "Vane", "today"],
        [Entity(0, 2, "Peop"), Entity(3, 5, "Loc"), Entity(5, 6, "Other")],
        [Relation("Live_In", 0, 1), Relation("Work_For", 1, 0)],
    )
]
#: One entity of three has another type, one relation of two is missing.
FOUND = [
    GOLD[0].annotated(
        [Entity(0, 2, "Peop"), Entity(3, 5, "Loc"), Entity(5, 6, "Loc")], [Relation("Live_In", 0, 1)]
    )
]


def selection(selected_by: str, boundaries: str = "predicted") -> Selection:
    return Selection.of(tiny.config(model={"boundaries": boundaries}, training={"selection": selected_by}))


@pytest.mark.parametrize("boundaries", ["predicted", "given"])
def test_micro_is_strict_micro_f1_of_entities_and_relations(boundaries: str) -> None:
    entities, relations, mean = selection("micro", boundaries).scores(score(GOLD, FOUND))
    assert entities == pytest.approx(2 / 3)
    assert relations == pytest.approx(2 / 3)  # precision 1, recall 1/2
    assert mean == pytest.approx(2 / 3)


@pytest.mark.parametrize(("boundaries", "cell"), [("predicted", "ner"), ("given", "ec")])
def test_the_paper_s_is_that_of_its_task(boundaries: str, cell: str) -> None:
    sheet = score(GOLD, FOUND)
    entities, relations, mean = selection("paper", boundaries).scores(sheet)
    assert (entities, relations) == (sheet["paper", cell].f1, sheet["paper", "rc"].f1)
    assert mean == (entities + relations) / 2
    assert mean == sheet.headline(boundaries_given=boundaries == "given")


@pytest.mark.parametrize(
    ("selected_by", "boundaries", "name"),
    [
        ("micro", "predicted", "strict micro F1"),
        ("micro", "given", "strict micro F1"),
        ("paper", "predicted", "paper's NER and RC"),
        ("paper", "given", "paper's EC and RC"),
    ],
)
def test_it_has_a_name(selected_by: str, boundaries: str, name: str) -> None:
    assert selection(selected_by, boundaries).name == name


def run(data: TrainingData, **sections: dict[str, Any]) -> tuple[Trainer, list[EpochEnded]]:
    made = Trainer(tiny.config(**sections), data, seed=1, device="cpu")
    return made, [event for event in made.events() if isinstance(event, EpochEnded)]


@pytest.mark.parametrize(("boundaries", "cell"), [("predicted", "ner"), ("given", "ec")])
def test_an_epoch_is_judged_by_what_the_recipe_says(boundaries: str, cell: str) -> None:
    data = TrainingData(tiny.sentences(18), tiny.sentences(6, first=31))
    config = tiny.config(model={"boundaries": boundaries}, training={"epochs": 3, "selection": "paper"})
    made = Trainer(config, data, seed=1, device="cpu")
    for event in made.events():
        if isinstance(event, EpochEnded):
            sheet = made.evaluate(data.dev)
            assert event.entities == sheet["paper", cell].f1
            assert event.selection == sheet.headline(boundaries_given=boundaries == "given")


def other(sentences: Iterable[Sentence]) -> list[Sentence]:
    """The sentences with all their entities of the type Other."""
    return [
        sentence.annotated([replace(e, type="Other") for e in sentence.entities], sentence.relations)
        for sentence in sentences
    ]


@pytest.fixture
def perfect(monkeypatch: pytest.MonkeyPatch) -> TrainingData:
    """A corpus whose only entity type is Other, and models that know it by heart from the second epoch on."""
    epochs = iter([False, True, True, True])

    def predict(network: Any, sentences: Iterable[Sentence], **options: Any) -> Iterator[Sentence]:
        known = next(epochs)
        return iter([sentence if known else sentence.annotated(()) for sentence in sentences])

    monkeypatch.setattr(trainer, "predict", predict)
    return TrainingData(other(tiny.sentences(9)), other(tiny.sentences(6, first=31)))


def test_where_all_are_of_the_type_other_a_perfect_model_is_selected(perfect: TrainingData) -> None:
    made, epochs = run(perfect, training={"epochs": 4, "selection": "micro"})
    assert [epoch.selection for epoch in epochs] == [0, 1, 1, 1]
    assert [epoch.best for epoch in epochs] == [True, True, False, False]
    assert made.best_epoch == 2


def test_where_all_are_of_the_type_other_the_paper_sees_no_entity(perfect: TrainingData) -> None:
    _, epochs = run(perfect, training={"epochs": 4, "selection": "paper"})
    assert [epoch.entities for epoch in epochs] == [0, 0, 0, 0]
    assert max(epoch.selection for epoch in epochs) < 1


@pytest.mark.parametrize(
    ("selected_by", "name"), [("micro", "strict micro F1"), ("paper", "paper's NER and RC")]
)
def test_an_epoch_s_event_and_line_name_the_metric(
    perfect: TrainingData, selected_by: str, name: str
) -> None:
    _, epochs = run(perfect, training={"epochs": 2, "selection": selected_by})
    assert [epoch.metric for epoch in epochs] == [name, name]
    assert [epoch.to_dict()["metric"] for epoch in epochs] == [name, name]
