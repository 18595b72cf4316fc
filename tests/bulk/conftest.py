"""Runs in an empty folder that note how far they have come every few documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from biaffinity.bulk import run


@pytest.fixture
def small_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five documents at a time, each time with a commit."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run, "CHUNK_DOCUMENTS", 5)
    monkeypatch.setattr(run, "_COMMIT_SECONDS", 0.0)
