"""Random sentences for property tests, the repository's samples, and the corpora where they can be had."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

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
