"""The model card says what a model is, from its record alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from biaffinity.annotation import Entity, Sentence
from biaffinity.config.settings import Config, ModelConfig
from biaffinity.hub.metadata import with_metadata
from biaffinity.model.card import write_card
from biaffinity.scoring import score

GOLD = [Sentence(["Ada", "Ville"], [Entity(0, 1, "Peop"), Entity(1, 2, "Loc")])]
HALF = [GOLD[0].annotated([Entity(0, 1, "Peop"), Entity(1, 2, "Org")])]


def record(**switches: Any) -> dict[str, Any]:
    return {
        "config": Config(model=ModelConfig(**switches)).model_dump(),
        "data": {
            "train": {"file": "harbour.jsonl", "sentences": 910},
            "dev": {"file": "court.jsonl", "sentences": 243},
        },
        "vectors": "winds.50d.txt",
        "recipe": "storm.toml",
        "seed": 17,
        "best_epoch": 23,
        "seconds": 61.6,
        "machine": {"processor": "Abacus 3000"},
        "device": "cpu",
        "commit": "0123456789ab",
        "command": "biaffinity train storm.toml --seed 17",
        "scores": {"dev": score(GOLD, HALF).to_dict(), "test": score(GOLD, GOLD).to_dict()},
    }


def card(folder: Path, facts: dict[str, Any]) -> str:
    write_card(folder, facts)
    return (folder / "README.md").read_text(encoding="utf-8")


def rows(text: str) -> dict[str, dict[str, str]]:
    """The table of the card: cells by row and column."""
    lines = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    names = [cell.strip() for cell in lines[0]]
    return {
        line[0].strip(): dict(zip(names[1:], map(str.strip, line[1:]), strict=True)) for line in lines[2:]
    }


def test_it_is_named_after_its_folder(tmp_path: Path) -> None:
    assert card(tmp_path / "winds", record()).startswith("# winds\n")


def test_it_says_where_the_model_comes_from(tmp_path: Path) -> None:
    text = card(tmp_path, record())
    facts = ["harbour.jsonl, 910 sentences", "court.jsonl, 243 sentences", "winds.50d.txt", "storm.toml"]
    facts += ["seed 17", "best epoch 23", "62 s on Abacus 3000 (cpu)", "0123456789ab"]
    facts += ["      biaffinity train storm.toml --seed 17\n"]
    assert [fact for fact in facts if fact not in text] == []


def test_its_scores_are_the_sheet_s(tmp_path: Path) -> None:
    table = rows(card(tmp_path, record()))
    sheet = score(GOLD, HALF)
    assert table["dev"]["entities strict micro"] == f"{100 * sheet['ner', 'micro'].f1:.1f}" == "50.0"
    assert table["dev"]["macro"] == f"{100 * sheet['re', 'strict', 'macro'].f1:.1f}"
    assert table["dev"]["paper's entities"] == f"{100 * sheet['paper', 'ner'].f1:.1f}"
    assert table["test"]["entities strict micro"] == "100.0"
    assert list(table) == ["dev", "test"]


def test_where_boundaries_are_given_entities_are_scored_as_the_paper_does_then(tmp_path: Path) -> None:
    facts = record(boundaries="given")
    facts["scores"]["dev"]["paper"]["ec"]["f1"] = 0.938
    text = card(tmp_path, facts)
    assert rows(text)["dev"]["paper's entities"] == "93.8"
    assert "within given entity boundaries" in text


@pytest.mark.parametrize("missing", ["vectors", "commit"])
def test_what_is_not_known_is_none(tmp_path: Path, missing: str) -> None:
    facts = record()
    facts[missing] = None
    assert "none" in card(tmp_path, facts).lower()


def test_it_says_its_limits(tmp_path: Path) -> None:
    assert "## Limits" in card(tmp_path, record())


def test_a_pipeline_says_so(tmp_path: Path) -> None:
    assert "pipeline" in card(tmp_path, record(architecture="pipeline"))


def test_it_says_how_it_is_calibrated(tmp_path: Path) -> None:
    facts = record()
    facts["calibration"] = {
        "no_relation_bias": 0.25,
        "entity_temperature": 1.235,
        "relation_temperature": 2.0,
    }
    text = " ".join(card(tmp_path, facts).split())
    assert "scores of entities are divided by 1.235, of relations by 2;" in text
    assert '"no relation" is given +0.25' in text


def test_without_a_calibration_there_is_no_word_of_it(tmp_path: Path) -> None:
    assert "calibrat" not in card(tmp_path / "m", record()).lower()


def test_metadata_for_the_hub_goes_before_the_card(tmp_path: Path) -> None:
    text = card(tmp_path, record())
    head, metadata, rest = with_metadata(text).partition("\n---\n")
    assert head.startswith("---\nlibrary_name: biaffinity\n")
    assert rest.lstrip("\n") == text
    assert metadata


def test_metadata_that_is_there_is_left_alone(tmp_path: Path) -> None:
    own = f"---\nlicense: mit\n---\n{card(tmp_path, record())}"
    assert with_metadata(own) == own


def test_it_has_what_is_written_of_the_types_and_of_the_data(tmp_path: Path) -> None:
    assert "## Relations" not in card(tmp_path, record())
    about = {
        "relation_types": {"place of birth": {"meaning": "a person was born in a place", "id": "P19"}},
        "data": ["Harbour letters: public domain"],
    }
    (tmp_path / "about.json").write_text(json.dumps(about), encoding="utf-8")
    text = card(tmp_path, record())
    assert "| place of birth | a person was born in a place | P19 |" in text
    assert "- Harbour letters: public domain" in text
