"""The variants: the paper's switches, and how they are named on a command line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.config.recipes import read_recipe
from biaffinity.errors import UsageError
from biaffinity.experiments.paper_scores import DEV, TEST, PaperScore
from biaffinity.experiments.variants import SETUPS, VARIANTS, variant_of, variants_named, whole_numbers

#: What each variant changes in the network, from the paper's Table 2.
CHANGES = {
    "full": ("model", {}),
    "pipeline": ("model", {"architecture": "pipeline"}),
    "no-characters": ("encoder", {"characters": False}),
    "softmax": ("model", {"tagger": "softmax"}),
    "no-entity": ("model", {"label_embeddings": False}),
    "linear-only": ("model", {"bilinear": False}),
    "bilinear-only": ("model", {"linear": False}),
}


@pytest.mark.parametrize("recipe", ["paper", "default"])
@pytest.mark.parametrize("name", CHANGES)
def test_a_variant_changes_its_switch_and_nothing_else(name: str, recipe: str) -> None:
    plain, varied = read_recipe(recipe), read_recipe(recipe, VARIANTS[name].overrides)
    section, values = CHANGES[name]
    assert varied == plain.updated(section, **values)


@pytest.mark.parametrize("name", VARIANTS)
def test_a_network_is_known_again_by_its_switches(name: str) -> None:
    config = read_recipe("default", [*VARIANTS[name].overrides, "model.boundaries=given"])
    assert variant_of(config) is VARIANTS[name]


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_sets_right_what_a_recipe_has_otherwise(name: str) -> None:
    switched = ["model.tagger=softmax", "encoder.characters=false", "model.architecture=pipeline"]
    config = read_recipe("default", [*switched, *VARIANTS[name].overrides])
    assert config == read_recipe("default", VARIANTS[name].overrides)


def test_a_network_with_two_switches_is_no_variant() -> None:
    assert variant_of(read_recipe("paper", ["encoder.characters=false", "model.tagger=softmax"])) is None


def test_both_tasks_have_the_paper_s_numbers() -> None:
    assert SETUPS == {"predicted": 1, "given": 2}


def test_the_paper_has_a_number_for_every_variant_and_setup() -> None:
    assert {*DEV} == {(setup, name) for setup in (1, 2) for name in VARIANTS}
    assert {*TEST} == {(1, "full"), (2, "full")}


def test_all_is_all_in_the_order_of_the_table() -> None:
    assert [variant.name for variant in variants_named("all")] == list(VARIANTS)


@pytest.mark.parametrize(
    ("names", "told"),
    [("full,sofmax", "did you mean softmax?"), ("qqq", "known: all, pipeline, full"), ("", "known")],
)
def test_an_unknown_variant_is_told_the_known_ones(names: str, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        variants_named(names)
    assert told in str(caught.value)


@given(st.sets(st.integers(1, 40), min_size=1), st.randoms())
def test_numbers_and_ranges_are_read_back(numbers: set[int], random) -> None:
    parts = [str(number) for number in numbers]
    low, high = sorted(random.choices(range(1, 41), k=2))
    parts.append(f"{low}-{high}")
    random.shuffle(parts)
    assert whole_numbers(",".join(parts), "--seeds") == sorted(numbers | {*range(low, high + 1)})


@pytest.mark.parametrize("text", ["", "0", "x", "3-1", "1,,2", "-4", "2.5"])
def test_what_is_no_number_from_one_is_named(text: str) -> None:
    with pytest.raises(UsageError, match=r"--seeds: .* is no number from 1"):
        whole_numbers(text, "--seeds")


@pytest.mark.parametrize(
    ("ours", "holds"), [(86.2, True), (86.7, True), (85.7, True), (86.8, False), (85.6, False), (85.66, True)]
)
def test_within_a_deviation_is_judged_as_printed(ours: float, holds: bool) -> None:
    assert PaperScore(86.2, 0.5).holds(ours) is holds
