"""What the Markdown outside the site points at is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "samples/demo/README.md"])
def test_links_lead_to_files(name: str) -> None:
    page = ROOT / name
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_readme_shows_a_picture_and_points_at_the_documentation() -> None:
    targets = LINK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert {"docs/images/example.svg", "docs/quickstart.md", "docs/training.md"} <= set(targets)
