"""The examples of docs/extraction.md, run from top to bottom with a tiny model for the embedded one."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from biaffinity.extraction import extractor as module

GUIDE = Path(__file__).parent.parent.parent / "docs" / "extraction.md"


def test_every_example_runs(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "EMBEDDED", folder)
    blocks = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) > 5
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks:
        if "tables" in block and not (find_spec("pandas") and find_spec("pyarrow")):
            continue
        exec(compile(block, str(GUIDE), "exec"), names)
    assert "Work_For Ana Ruiz -> Norvik Oil" in capsys.readouterr().out
    assert [doc.text for doc in names["docs"]] == names["texts"]
