"""The repository's samples, and the corpora and the browser where they can be had."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parent.parent

# Timings on a shared machine say nothing about a property, so no deadline.
# In CI the same examples are tried each time, so that a red run is the change's doing; at a desk, new ones.
settings.register_profile(
    "biaffinity", deadline=None, max_examples=60, derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("biaffinity")


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of small files that this repository ships."""
    return ROOT / "samples"


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder with conll04/, ade/ and scierc/; the test is skipped where it is absent."""
    folder = Path(os.environ.get("BIAFFINITY_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "conll04" / "train.jsonl").is_file():
        pytest.skip(f"needs the corpora, which are not at {folder} (set BIAFFINITY_DATA)")
    return folder


@pytest.fixture(scope="module")  # while it is open, no test of another module could run an event loop
def browser() -> Iterator[Browser]:
    """The system's Chromium, driven by playwright; the test is skipped where either is absent."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("needs chromium, which is not installed")
    quiet = ("background-networking", "component-update", "gpu", "quic", "sync")
    flags = ["--no-sandbox", "--no-first-run", *(f"--disable-{what}" for what in quiet)]
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=flags)
        yield started
        started.close()
