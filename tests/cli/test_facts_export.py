"""``biaffinity facts export``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rapidfuzz", reason="needs the extra facts")

from biaffinity.cli.facts.exporting import Export
from biaffinity.facts.exports import DESCRIPTIONS
from facts.told import told


def test_every_export_can_be_asked_for() -> None:
    assert {kind.value for kind in Export} == set(DESCRIPTIONS)


def test_a_store_is_written_and_counted(tmp_path: Path, command: Any) -> None:
    store, out = told(str(tmp_path / "facts.db")), tmp_path / "facts.graphml"
    said = ("facts", "export", "--store", store, "--to", "graphml", "--min-score", "0.5", "-o", str(out))
    code, printed, talk = command(*said)
    assert (code, printed) == (0, ""), talk
    assert talk.endswith(f"facts written to {out}\n")
    assert out.read_text("utf-8").count("<edge ") == int(talk.split(" and ")[1].split()[0])


def test_an_export_that_nobody_knows_is_refused(tmp_path: Path, command: Any) -> None:
    code, _, talk = command("facts", "export", "--to", "gexf", "-o", str(tmp_path / "x"))
    assert code == 2
    assert "graphml" in talk
