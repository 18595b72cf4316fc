"""How sure a model is and how easily it sees a relation: fitted on dev, and put into its weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="models are PyTorch's")

import torch

from biaffinity.annotation import Sentence
from biaffinity.config.settings import CalibrationConfig
from biaffinity.decoding.prediction import predict
from biaffinity.model.joint import JointModel
from biaffinity.model.network import TorchNetwork
from biaffinity.scoring import score
from biaffinity.scoring.calibration import calibrate, judge
from biaffinity.scoring.matching import Cell
from biaffinity.training import calibration
from biaffinity.training.calibration import (
    BIASES,
    Calibration,
    Replay,
    apply_calibration,
    calibrated_config,
    fit_calibration,
    with_negatives,
    without_entities,
)
from model.tiny import SWITCHES, assert_alike, bare, encode, stir, tiny_model

MICRO: Cell = ("re", "strict", "micro")
PAPER: Cell = ("paper", "rc")
TEMPERATURES_ALONE = CalibrationConfig(entity_threshold=False, no_relation_bias="learnt")

each_switch = pytest.mark.parametrize("switches", SWITCHES.values(), ids=SWITCHES)


def found_by(model: JointModel, sentences: Iterable[Sentence]) -> list[Sentence]:
    return list(predict(TorchNetwork(model), sentences))


def stirred(news: list[Sentence], seed: int = 0, **switches: Any) -> JointModel:
    model = tiny_model(news, **switches).eval()
    stir(model, seed=seed)
    return model


def calibrated(model: JointModel, fitted: Calibration) -> JointModel:
    """A copy to which what was fitted is applied."""
    other = deepcopy(model)
    apply_calibration(other, fitted)
    return other


def fit(model: JointModel, dev: list[Sentence], relations: Cell = MICRO, **settings: Any) -> Calibration:
    return fit_calibration(
        model, dev, CalibrationConfig(**{"entity_threshold": False, **settings}), relations
    )


@pytest.fixture
def partly_wrong(news: list[Sentence]) -> list[Sentence]:
    """The sample with the annotation of one sentence gone: a model that knows it by heart is wrong there."""
    return [*news[:3], news[3].annotated(()), news[4]]


def softened(model: JointModel, factor: float, shift: float = 0.0) -> JointModel:
    """A model less sure of relations, all of whose scores are multiplied; that of none is then shifted."""
    other = deepcopy(model)
    scorer = other.relations.scorer
    last = [scorer.bias, scorer.terms["bilinear"].weight, scorer.terms["linear"].weight]
    with torch.no_grad():
        for part in (*last, scorer.terms["context"].output.weight):
            part.mul_(factor)
        scorer.bias[0] += shift
    return other


@pytest.fixture
def eager(trained: JointModel) -> JointModel:
    """A model that sees relations too easily, and no more if it is biased by 3."""
    return softened(trained, 0.1, shift=-1.5)


# Replay


@pytest.mark.parametrize("boundaries", ["predicted", "given"])
@each_switch
def test_a_replay_gives_the_network_s_own_predictions_each_time(
    switches: dict[str, Any], boundaries: str, news: list[Sentence]
) -> None:
    model = stirred(news, boundaries=boundaries, entity_confidence_weight=0.3, **switches)
    expected = found_by(model, news)
    replay = Replay(TorchNetwork(model), model.description)
    assert replay.predict(news) == expected
    replay.entity_temperature = replay.relation_temperature = 2.0
    replay.no_relation_bias = 1.0
    replay.predict(news)
    replay.entity_temperature = replay.relation_temperature = 1.0
    replay.no_relation_bias = 0.0
    assert replay.predict(news) == expected


@each_switch
def test_a_replay_predicts_what_the_calibrated_model_will(
    switches: dict[str, Any], news: list[Sentence]
) -> None:
    model = stirred(news, **{"candidates": "all", **switches})
    replay = Replay(TorchNetwork(model), model.description)
    replay.entity_temperature = replay.relation_temperature = 1.7
    replay.no_relation_bias = -1.0
    expected = found_by(calibrated(model, Calibration(-1.0, 1.7, 1.7)), news)
    assert any(sentence.relations for sentence in expected)
    for ours, theirs in zip(replay.predict(news), expected, strict=True):
        assert_alike(ours, theirs)


def test_a_replay_asks_the_network_once(news: list[Sentence], monkeypatch: pytest.MonkeyPatch) -> None:
    model = stirred(news, candidates="all")
    network = TorchNetwork(model)
    asked: list[str] = []

    def watched(name: str) -> Callable[..., Any]:
        ask = getattr(network, name)
        return lambda *arguments: (asked.append(name), ask(*arguments))[1]

    for name in ("emissions", "pair_logits"):
        monkeypatch.setattr(network, name, watched(name))
    replay = Replay(network, model.description)
    for temperature, bias in ((1.0, 0.0), (3.0, 0.0), (0.6, 2.0)):
        replay.entity_temperature = replay.relation_temperature = temperature
        replay.no_relation_bias = bias
        replay.predict(news)
    assert asked == ["emissions", "pair_logits"]


def test_where_a_temperature_changes_types_within_boundaries_their_pairs_are_scored_anew(
    news: list[Sentence],
) -> None:
    """One type for a given span is chosen by marginals, whose order a temperature may change."""
    changed = 0
    for seed in range(6):
        model = stirred(news, seed, boundaries="given", constrained=True)
        with torch.no_grad():
            for part in model.tagger.crf.parameters():
                part.mul_(4)
        replay = Replay(TorchNetwork(model), model.description)
        cold = replay.predict(news)
        replay.entity_temperature = replay.relation_temperature = 4.0
        expected = found_by(calibrated(model, Calibration(0.0, 4.0, 4.0)), news)
        for ours, theirs in zip(replay.predict(news), expected, strict=True):
            assert_alike(ours, theirs)
        changed += [bare(s).entities for s in cold] != [bare(s).entities for s in expected]
        assert isinstance(fit_calibration(model, news, CalibrationConfig(), MICRO), Calibration)
    assert changed


# Temperatures


@pytest.mark.parametrize("seed", [0, 1])
@each_switch
def test_temperatures_leave_what_is_found_the_same(
    switches: dict[str, Any], seed: int, news: list[Sentence]
) -> None:
    model = stirred(news, seed, **switches)
    fitted = fit_calibration(model, news, TEMPERATURES_ALONE, MICRO)
    assert (fitted.entity_temperature, fitted.relation_temperature) != (1.0, 1.0)
    before, after = (found_by(m, news) for m in (model, calibrated(model, fitted)))
    assert [bare(sentence) for sentence in after] == [bare(sentence) for sentence in before]
    assert after != before


@pytest.mark.parametrize("name", ["trained", "transformer_trained"])
def test_fitted_temperatures_make_an_overconfident_model_humbler(
    name: str, request: pytest.FixtureRequest, partly_wrong: list[Sentence]
) -> None:
    trained: JointModel = request.getfixturevalue(name)
    fitted = fit_calibration(trained, partly_wrong, TEMPERATURES_ALONE, MICRO)
    assert fitted.no_relation_bias == 0
    models = calibrated(trained, fitted), trained
    warm, cold = (
        judge(partly_wrong, map(without_entities, found_by(model, partly_wrong))) for model in models
    )
    for kind, temperature in (
        ("entities", fitted.entity_temperature),
        ("relations", fitted.relation_temperature),
    ):
        assert temperature > 1
        before, after = calibrate(getattr(cold, kind)), calibrate(getattr(warm, kind))
        assert after.log_loss < before.log_loss
        assert after.mean_score < before.mean_score
        assert after.count == before.count > 0


@pytest.mark.parametrize("seed", range(4))
def test_no_other_temperature_that_is_tried_has_a_lower_log_loss(
    seed: int, news: list[Sentence], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration, "TEMPERATURES", (0.6, 1.0, 1.6, 2.5, 6.0))
    model = stirred(news, seed, candidates="all")
    fitted = fit_calibration(model, news, TEMPERATURES_ALONE, MICRO)
    losses: dict[str, dict[float, float]] = {"entities": {}, "relations": {}}
    for temperature in calibration.TEMPERATURES:
        warm = calibrated(model, Calibration(0.0, temperature, temperature))
        judged = judge(news, found_by(warm, news))
        for kind in losses:
            losses[kind][temperature] = calibrate(getattr(judged, kind)).log_loss
    for kind, chosen in (("entities", fitted.entity_temperature), ("relations", fitted.relation_temperature)):
        assert losses[kind][chosen] == pytest.approx(min(losses[kind].values()), abs=1e-4)


def test_entity_confidence_is_set_aside_while_temperatures_are_fitted(
    trained: JointModel, partly_wrong: list[Sentence]
) -> None:
    wary = deepcopy(trained)
    wary.configure(trained.config.updated("model", entity_confidence_weight=50.0))
    assert fit_calibration(wary, partly_wrong, TEMPERATURES_ALONE, MICRO) == fit_calibration(
        trained, partly_wrong, TEMPERATURES_ALONE, MICRO
    )


def test_relations_are_fitted_under_the_bias_that_they_will_have(
    trained: JointModel, partly_wrong: list[Sentence], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration, "BIASES", (2.0,))
    model = softened(trained, 0.3)
    both = fit(model, partly_wrong)
    biased = calibrated(model, Calibration(2.0))
    alone = fit_calibration(biased, partly_wrong, TEMPERATURES_ALONE, MICRO)
    assert both == Calibration(2.0, alone.entity_temperature, alone.relation_temperature)
    assert alone != fit_calibration(model, partly_wrong, TEMPERATURES_ALONE, MICRO)


def test_where_nothing_is_found_there_is_no_temperature(news: list[Sentence]) -> None:
    model = stirred(news)
    with torch.no_grad():
        model.tagger.output.bias[0] += 1e3
    assert not any(sentence.entities for sentence in found_by(model, news))
    fitted = fit_calibration(model, news, TEMPERATURES_ALONE, MICRO)
    assert (fitted.entity_temperature, fitted.relation_temperature) == (1.0, 1.0)


# The threshold of entities


def test_the_threshold_is_half_of_the_f1_of_entities(
    trained: JointModel, partly_wrong: list[Sentence]
) -> None:
    legal = deepcopy(trained)
    assert legal.config.model.entities_by_probability
    fitted = fit(legal, partly_wrong, entity_threshold=True, temperatures=False, no_relation_bias="learnt")
    by_labelling = score(partly_wrong, found_by(legal, partly_wrong))["ner", "micro"].f1
    assert fitted == Calibration(entity_threshold=round(by_labelling / 2, 2))
    assert 0 < fitted.entity_threshold < 0.5
    assert calibrated(legal, fitted).description.entity_threshold == fitted.entity_threshold


@pytest.mark.parametrize("seed", range(8))
def test_with_a_threshold_no_f1_of_entities_is_lost(seed: int, news: list[Sentence]) -> None:
    model = stirred(news, seed, constrained=True)
    fitted = fit(model, news, entity_threshold=True, no_relation_bias="learnt")
    before, after = (
        score(news, found_by(one, news))["ner", "micro"].f1 for one in (model, calibrated(model, fitted))
    )
    assert after >= before


@pytest.mark.parametrize(
    "switches", [{"constrained": False}, {"constrained": True, "boundaries": "given"}], ids=str
)
def test_where_an_entity_has_no_probability_of_its_own_there_is_no_threshold(
    switches: dict[str, Any], news: list[Sentence]
) -> None:
    assert fit(stirred(news, **switches), news, entity_threshold=True).entity_threshold == 0


def test_relations_are_fitted_between_the_entities_that_will_be_found(
    eager: JointModel, news: list[Sentence]
) -> None:
    settings: dict[str, Any] = {"tolerance": 0.0, "temperatures": False, "entity_threshold": True}
    fitted = fit(eager, news, **settings)
    assert fitted.entity_threshold
    found = calibrated(eager, Calibration(entity_threshold=fitted.entity_threshold))
    scores = f1_by_bias(found, news, MICRO)
    assert scores[fitted.no_relation_bias] == max(scores.values())


# The bias


def f1_by_bias(model: JointModel, dev: list[Sentence], cell: Cell) -> dict[float, float]:
    """The F1 of relations of the model with each bias put into its weights."""
    scores = {}
    for bias in BIASES:
        other = deepcopy(model)
        with torch.no_grad():
            other.relations.scorer.bias[0] += bias
        scores[bias] = score(dev, found_by(other, dev))[cell].f1
    return scores


TOLERANCES = (0.0, 0.3, 0.6, 0.9, 1.0)


@pytest.mark.parametrize("cell", [MICRO, PAPER], ids=".".join)
def test_a_cautious_bias_is_the_largest_within_the_tolerance(
    cell: Cell, eager: JointModel, news: list[Sentence]
) -> None:
    scores = f1_by_bias(eager, news, cell)
    chosen = []
    for tolerance in TOLERANCES:
        expected = max(bias for bias, f1 in scores.items() if f1 >= max(scores.values()) - tolerance)
        fitted = fit(eager, news, cell, tolerance=tolerance, no_relation_bias="cautious", temperatures=False)
        assert fitted == Calibration(no_relation_bias=expected)
        chosen.append(expected)
    assert chosen[0] < chosen[2] < chosen[-1] == max(BIASES)  # in the end all may be lost


@pytest.mark.parametrize("cell", [MICRO, PAPER], ids=".".join)
@pytest.mark.parametrize(("shift", "sign"), [(-1.5, 1), (1.5, -1)], ids=["eager", "reluctant"])
def test_a_fitted_bias_is_the_nearest_to_none_within_the_tolerance(
    shift: float, sign: int, cell: Cell, trained: JointModel, news: list[Sentence]
) -> None:
    model = softened(trained, 0.1, shift)
    scores = f1_by_bias(model, news, cell)
    chosen = []
    for tolerance in TOLERANCES:
        near = [bias for bias, f1 in scores.items() if f1 >= max(scores.values()) - tolerance]
        fitted = fit(model, news, cell, tolerance=tolerance, no_relation_bias="fitted", temperatures=False)
        assert fitted == Calibration(no_relation_bias=min(near, key=abs))
        chosen.append(fitted.no_relation_bias)
    assert np.sign(chosen[0]) == sign
    assert chosen[-1] == 0  # where all may be lost, nothing need be done


@pytest.mark.parametrize("kind", ["fitted", "cautious"])
def test_without_a_tolerance_no_f1_is_lost(kind: str, eager: JointModel, news: list[Sentence]) -> None:
    fitted = fit(eager, news, tolerance=0.0, no_relation_bias=kind, temperatures=False)
    before, after = (
        score(news, found_by(model, news))[MICRO].f1 for model in (eager, calibrated(eager, fitted))
    )
    assert after == max(f1_by_bias(eager, news, MICRO).values())
    assert after > before


@pytest.mark.parametrize("kind", ["fitted", "cautious"])
def test_where_no_relation_is_ever_right_there_is_no_bias(
    kind: str, eager: JointModel, news: list[Sentence]
) -> None:
    dev = [sentence.annotated(sentence.entities) for sentence in news]
    assert fit(eager, dev, no_relation_bias=kind, temperatures=False) == Calibration()


def test_the_bias_is_judged_on_dev_with_more_sentences_without_a_relation(
    eager: JointModel, news: list[Sentence]
) -> None:
    dev = [s.annotated(s.entities) if i in (0, 2) else s for i, s in enumerate(news)]
    found = []
    for ratio in (0, 30):
        scores = f1_by_bias(eager, with_negatives(dev, ratio), MICRO)
        expected = min((bias for bias, f1 in scores.items() if f1 == max(scores.values())), key=abs)
        fitted = fit(eager, dev, negative_sentences=ratio, tolerance=0.0, temperatures=False)
        found.append(fitted.no_relation_bias)
        assert found[-1] == expected
    assert found[0] < found[1]  # spurious relations weigh more


def test_dev_as_it_is_has_no_sentence_repeated(news: list[Sentence]) -> None:
    assert with_negatives(news, 0) == news


def test_without_a_sentence_that_has_no_relation_none_is_repeated(news: list[Sentence]) -> None:
    related = [sentence for sentence in news if sentence.relations]
    assert with_negatives(related, 5) == related


@pytest.mark.parametrize(("ratio", "expected"), [(0.5, 2), (1, 2), (1.4, 4), (2, 6), (3, 8)])
def test_sentences_without_a_relation_are_repeated_up_to_the_ratio(
    ratio: float, expected: int, news: list[Sentence]
) -> None:
    related = [sentence for sentence in news if sentence.relations][:3]
    dev = [*related, *(sentence.annotated(()) for sentence in related[:2])]
    weighted = with_negatives(dev, ratio)
    assert [sentence for sentence in weighted if sentence.relations] == related
    assert len(weighted) - len(related) == expected


# What is switched off, and what is left alone


def test_switched_off_nothing_is_fitted(eager: JointModel, partly_wrong: list[Sentence]) -> None:
    assert fit(eager, partly_wrong, temperatures=False, no_relation_bias="learnt") == Calibration()


def test_fitting_leaves_the_model_as_it_was(eager: JointModel, partly_wrong: list[Sentence]) -> None:
    before = {name: tensor.clone() for name, tensor in eager.state_dict().items()}
    config, description = eager.config, eager.description
    assert fit(eager, partly_wrong) != Calibration()
    assert all(torch.equal(tensor, before[name]) for name, tensor in eager.state_dict().items())
    assert (eager.config, eager.description) == (config, description)


def test_applied_what_is_neutral_changes_nothing(trained: JointModel) -> None:
    same = calibrated(trained, Calibration())
    ours, theirs = trained.state_dict(), same.state_dict()
    assert all(torch.equal(tensor, theirs[name]) for name, tensor in ours.items())
    assert same.config == trained.config


# Applied


def raw(model: JointModel, sentences: list[Sentence]) -> tuple[Any, Any, Any]:
    """Emissions, transitions and the logits of all gold candidates."""
    network = TorchNetwork(model)
    batch, gold = encode(model, sentences)
    crf = network.crf
    emissions = network.emissions(batch)
    logits = network.pair_logits(batch, gold.labels, gold.spans, gold.pairs)
    return emissions, (crf.transitions, crf.start, crf.end), logits


@pytest.mark.parametrize("boundaries", ["predicted", "given"])
@each_switch
def test_the_scores_of_a_calibrated_model_are_those_of_the_model_divided(
    switches: dict[str, Any], boundaries: str, news: list[Sentence]
) -> None:
    switches = {key: value for key, value in switches.items() if key != "constrained"}  # -1e4 is not divided
    model = stirred(news, boundaries=boundaries, **switches)
    emissions, crf, logits = raw(model, news)
    # Powers of two divide to the last bit.
    new_emissions, new_crf, new_logits = raw(calibrated(model, Calibration(0.0, 4.0, 2.0)), news)
    np.testing.assert_array_equal(new_emissions, emissions / 4)
    for part, new_part in zip(crf, new_crf, strict=True):
        np.testing.assert_array_equal(new_part, part / 4)
    np.testing.assert_array_equal(new_logits, logits / 2)


def test_a_bias_goes_to_no_relation_before_the_division(news: list[Sentence]) -> None:
    model = stirred(news, context=True)
    emissions, _, logits = raw(model, news)
    new_emissions, _, new_logits = raw(calibrated(model, Calibration(1.5, 1.0, 3.0)), news)
    np.testing.assert_array_equal(new_emissions, emissions)
    logits[:, 0] += 1.5
    np.testing.assert_allclose(new_logits, logits / 3, rtol=1e-5, atol=1e-6)


def test_calibrations_one_after_the_other_multiply(news: list[Sentence]) -> None:
    model = stirred(news)
    once = calibrated(model, Calibration(0.0, 8.0, 8.0))
    twice = calibrated(calibrated(model, Calibration(0.0, 4.0, 2.0)), Calibration(0.0, 2.0, 4.0))
    assert once.relations.scorer.temperature == twice.relations.scorer.temperature == 8
    np.testing.assert_array_equal(raw(once, news)[0], raw(twice, news)[0])
    np.testing.assert_array_equal(raw(once, news)[2], raw(twice, news)[2])


def test_the_weight_of_entity_confidence_is_divided_like_relations(news: list[Sentence]) -> None:
    model = stirred(news, entity_confidence_weight=4.0)
    warm = calibrated(model, Calibration(0.5, 2.0, 1.5))
    assert warm.config == model.config.updated("model", entity_confidence_weight=2.67)
    assert warm.description.entity_confidence_weight == 2.67
    assert calibrated_config(model.config, Calibration(0.5, 2.0, 1.5)) == warm.config


def test_a_record_has_three_decimals() -> None:
    assert Calibration(0.25, 1.23456, 0.99999).to_dict() == {
        "no_relation_bias": 0.25,
        "entity_temperature": 1.235,
        "relation_temperature": 1.0,
        "entity_threshold": 0.0,
    }
