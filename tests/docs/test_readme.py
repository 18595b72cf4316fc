"""The first minute of a new user: what README says first, and that it is enough."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.blocks import blocks

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_first_block_is_the_two_commands_that_set_up_all(page: str) -> None:
    first = blocks(ROOT / page, page)[0]
    commands = [line.split("#")[0].strip() for line in first.text.splitlines()]
    assert commands == ["make demo", "make test"]
    assert all(re.search(r": (half a minute|ten minutes)$", line) for line in first.text.splitlines())


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_how_to_use_what_was_installed_comes_before_its_first_use(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    _, _, after = text.partition("make test")
    assert after.index("source .venv/bin/activate") < min(
        after.find(use) % len(after) for use in ("import biaffinity", "$ biaffinity", "`biaffinity serve`")
    )
