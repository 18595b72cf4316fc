"""The models in the hub's cache."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from biaffinity.extraction.loading import embedded_models
from biaffinity.hub.cache import cached_models

pytestmark = pytest.mark.skipif("news" not in embedded_models(), reason="the embedded model is not there")


def test_whole_models_are_found_by_name_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    news = embedded_models()["news"]
    for name, kept in (("harbour", ("config.json", "model.safetensors")), ("half", ("config.json",))):
        snapshot = tmp_path / f"models--mara--{name}" / "snapshots" / ("a" * 40)
        snapshot.mkdir(parents=True)
        for file in kept:
            shutil.copy(news / file, snapshot)
    foreign = tmp_path / "models--mara--foreign" / "snapshots" / ("b" * 40)
    foreign.mkdir(parents=True)
    (foreign / "config.json").write_text('{"architectures": []}')
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.utils._cache_manager.HF_HUB_CACHE", str(tmp_path), raising=False)
    found = cached_models()
    assert found == {"mara/harbour": tmp_path / "models--mara--harbour" / "snapshots" / ("a" * 40)}


def test_without_a_cache_there_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "huggingface_hub.utils._cache_manager.HF_HUB_CACHE", str(tmp_path / "none"), raising=False
    )
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "none"))
    assert cached_models() == {}
