"""``biaffinity recipes`` as a user meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from biaffinity.config.catalogue import settings
from biaffinity.config.recipes import read_recipe, recipes


def test_every_recipe_is_listed_with_what_it_is_for(command) -> None:
    code, out, err = command("recipes")
    assert (code, err) == (0, "")
    starts = [line.split()[0] for line in out.splitlines()[1:] if not line.startswith(" ")]
    assert starts == list(recipes())
    assert "Our recipe: the paper's network with five additions" in out


@pytest.mark.parametrize("name", recipes())
def test_every_setting_is_shown_with_its_value_default_and_meaning(
    name: str, command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("biaffinity.cli.console._WIDTH", 1000)  # so that nothing is folded
    code, out, _ = command("recipes", "show", name)
    assert code == 0
    rows = {line.split()[0]: line for line in out.splitlines() if "." in line.split("  ")[0]}
    for setting in settings(read_recipe(name)):
        shown = [cell.strip() for cell in rows[setting.key].split("  ") if cell.strip()]
        assert shown[:2] == [setting.key, setting.value]
        if setting.changed and setting.default:  # what must be set has no default
            assert shown[2] == setting.default
        assert setting.meaning
        assert shown[-1].startswith(setting.meaning)


def test_a_file_of_one_s_own_is_shown_too(command, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("# Mine.\n\n[training]\nepochs = 7\n")
    _, out, _ = command("recipes", "show", str(tmp_path / "mine.toml"))
    assert out.startswith("Mine.")
    (line,) = (line for line in out.splitlines() if line.startswith("training.epochs"))
    assert line.split()[1:3] == ["7", "100"]


def test_an_unknown_recipe_names_the_known(command) -> None:
    code, _, err = command("recipes", "show", "nix")
    assert code == 2
    assert "known: default, demo" in err
