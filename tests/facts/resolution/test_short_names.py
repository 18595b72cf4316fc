from __future__ import annotations

import pytest

from biaffinity.facts.resolution.short_names import full_names


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["paul okafor", "okafor"], {"okafor": "paul okafor"}),
        (["paul okafor", "paul"], {"paul": "paul okafor"}),
        (["okafor", "paul okafor"], {}),  # nobody was introduced yet
        (["paul okafor", "ana okafor", "okafor"], {}),
        (["paul okafor", "okafor", "ana okafor"], {}),
        (["paul okafor", "lind"], {}),
        (["paul okafor", "paul j okafor"], {}),
        ([], {}),
    ],
)
def test_a_word_means_the_only_full_name_that_has_it(names: list[str], found: dict[str, str]) -> None:
    assert full_names(names) == found
