"""The export that a user calls: what it wrote can be opened, or is not left there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from biaffinity.config.folder import graph_path
from biaffinity.config.seal import verify
from biaffinity.errors import DataError
from biaffinity.training import export


def test_graphs_that_would_be_refused_are_not_left_behind(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spare = shutil.copytree(folder, tmp_path / "model")
    graphs = sorted(spare.glob("*.onnx"))

    def write(target: Path) -> list[Path]:
        graph_path(target, "emissions").write_bytes(b"an operator that is not allowed")
        return graphs

    monkeypatch.setattr(export, "write_all_graphs", write)
    with pytest.raises(DataError, match=r"its graphs cannot be run: is damaged or not safe.*PyTorch"):
        export.export(spare)
    assert not list(spare.glob("*.onnx"))
    assert {finding.fault for finding in verify(spare)} == {None}
