"""``biaffinity models`` and ``biaffinity info`` as a user meets them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from biaffinity.config.about import read_about
from biaffinity.config.folder import read_description
from biaffinity.extraction.loading import embedded_models

pytestmark = pytest.mark.skipif("news" not in embedded_models(), reason="the embedded model is not there")


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("biaffinity.extraction.known.cached_models", dict)


def test_the_models_of_the_package_are_listed(command) -> None:
    code, out, err = command("models")
    assert (code, err) == (0, "")
    assert any(line.startswith("news (default)  package") for line in out.splitlines())
    listed = json.loads(command("models", "--json")[1])
    assert [(model["name"], model["default"], model["place"]) for model in listed] == [
        ("general", False, "package"),
        ("news", True, "package"),
    ]


def test_models_in_the_cache_are_listed_too(command, monkeypatch: pytest.MonkeyPatch) -> None:
    cached = {"mara/harbour": embedded_models()["news"]}
    monkeypatch.setattr("biaffinity.extraction.known.cached_models", lambda: cached)
    *_, other = json.loads(command("models", "--json")[1])
    assert (other["name"], other["default"], other["place"]) == ("mara/harbour", False, "cache")


def test_info_has_a_line_for_every_type_with_its_meaning(command) -> None:
    code, out, _ = command("info", "news")
    assert code == 0
    about = read_about(embedded_models()["news"])
    for name, said in {**about.entity_types, **about.relation_types}.items():
        assert any(line.split()[0] == name and said.meaning in line for line in out.splitlines() if line)
    assert all(str(part.relations) in out for part in about.scores.values())
    assert "no licence is stated" in out
    assert command("info")[1] == out


def test_every_type_of_the_news_model_is_described() -> None:
    folder = embedded_models()["news"]
    schema, about = read_description(folder).schema, read_about(folder)
    assert list(about.entity_types) == list(schema.entity_types)
    assert list(about.relation_types) == list(schema.relation_types)


def test_a_folder_that_nobody_described_has_its_types_and_the_scores_of_its_run(
    command, tmp_path: Path
) -> None:
    folder = tmp_path / "harbour"
    shutil.copytree(embedded_models()["news"], folder, ignore=shutil.ignore_patterns("about.json"))
    sheet = {"ner": {"micro": {"f1": 0.8124}}, "re": {"strict": {"micro": {"f1": 0.5}}}}
    (folder / "run.json").write_text(json.dumps({"scores": {"dev": sheet}}))
    record = json.loads(command("info", str(folder), "--json")[1])
    assert (record["name"], record["place"], record["default"]) == ("harbour", "folder", False)
    assert record["relation_types"]["Kill"] == {}
    assert record["scores"] == {"dev": {"entities": 81.2, "relations": 50.0}}
    out = command("info", str(folder))[1]
    assert "Work_For" in out
    assert "Wikidata" not in out


def test_what_is_no_model_is_told(command, tmp_path: Path) -> None:
    code, _, err = command("info", str(tmp_path))
    assert code == 1
    assert "config.json" in err
