"""Every command and every piece of Python in the documentation runs, and prints what the page shows."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from biaffinity.extraction.loading import model_folder
from docs.blocks import Block, blocks, missing
from docs.page_runner import PageRunner, needs
from hub.fakehub import TOKEN, running_hub

ROOT = Path(__file__).parent.parent.parent
PAGES = ["README.md", *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").rglob("*.md")))]
BLOCKS = {page: blocks(ROOT / page, page) for page in PAGES}
RUN = ("python", "console", "sh")
SHOWN = ("json", "text", "toml")

#: The packages of extras that a page's examples use.
EXTRAS = {
    "README.md": ["rapidfuzz"],
    "docs/distillation.md": ["torch", "matplotlib"],
    "docs/extraction.md": ["torch", "pandas", "pyarrow"],
    "docs/facts.md": ["rapidfuzz", "fastapi", "networkx"],
    "docs/hub.md": ["huggingface_hub"],
    "docs/reproduce.md": ["torch", "matplotlib"],
    "docs/scale.md": ["pyarrow"],
    "docs/service.md": ["fastapi"],
    "docs/spacy.md": ["spacy"],
    "docs/training.md": ["torch", "onnx", "fastapi"],
}
#: All that is not run; the reasons stand in the pages.
NOT_RUN = [
    ("README.md", "installs into .venv; tests/test_demo.py runs the demo"),
    ("README.md", "needs the network"),
    ("docs/distillation.md", "trains transformers, and needs word vectors"),
    ("docs/distillation.md", "needs the teachers and students above"),
    ("docs/distillation.md", "goes on from the student above"),
    ("docs/hub.md", "needs the network"),
    ("docs/index.md", "installs into .venv; tests/test_demo.py runs the demo"),
    ("docs/paper.md", "needs CoNLL04 and GloVe"),
    ("docs/quickstart.md", "needs the network"),
    ("docs/reproduce.md", "needs CoNLL04 and GloVe, and takes hours"),
    ("docs/scale.md", "needs a Ray cluster"),
    ("docs/scale.md", "needs pyspark and Java"),
    ("docs/scale.md", "needs duckdb"),
    ("docs/scale.md", "needs daft"),
    ("docs/service.md", "needs the network"),
    ("docs/service.md", "one service at a time, and the last opens this machine to the network"),
    ("docs/spacy.md", "needs the network"),
    ("docs/spacy.md", "needs a pipeline that is fetched from the network"),
    ("docs/store.md", "needs a PostgreSQL server"),
    ("docs/training.md", "needs the network"),
    ("docs/training.md", "needs an encoder and a GPU"),
]


def to_run(page: str) -> list[Block]:
    return [block for block in BLOCKS[page] if block.language in RUN and block.reason is None]


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def settings(page: str, folder: Path, stack: ExitStack) -> dict[str, str]:
    """The environment of a page: for the hub's, a hub on this machine and a model to send there."""
    if page != "docs/hub.md":
        return {}
    shutil.copytree(model_folder(None), folder / "model")
    hub = stack.enter_context(running_hub())
    cache = {"HF_ENDPOINT": hub.url, "HF_HOME": str(folder / "cache"), "HF_TOKEN": TOKEN}
    return {**cache, "HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}


@pytest.mark.parametrize("page", [page for page in PAGES if to_run(page)])
def test_every_block_runs_and_prints_what_is_shown(
    page: str, tmp_path: Path, samples: Path, stack: ExitStack
) -> None:
    for package in EXTRAS.get(page, ()):
        pytest.importorskip(package)
    for program in ("bash", *needs(to_run(page))):
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}")
    shutil.copytree(samples, tmp_path / "samples")
    runner = PageRunner(tmp_path, stack, **settings(page, tmp_path, stack))
    printed = ""
    for block in BLOCKS[page]:
        if block.language in RUN and block.reason is None:
            printed = runner.run(block)
        elif block.title == "output":
            line = missing(block.text, printed)
            assert line is None, f"{block}: {line!r} was not printed, but\n{printed}"


def test_what_is_not_run_is_what_we_know_of() -> None:
    found = [(page, block.reason) for page in PAGES for block in BLOCKS[page] if block.reason is not None]
    assert found == NOT_RUN


def test_every_block_has_a_language_that_says_whether_it_is_run() -> None:
    for block in (block for page in PAGES for block in BLOCKS[page]):
        assert block.language in (*RUN, *SHOWN), block


def test_shown_output_follows_the_code_that_prints_it() -> None:
    for page in PAGES:
        for before, block in zip([None, *BLOCKS[page]], BLOCKS[page], strict=False):
            if block.title is not None:
                assert block.title == "output"
                assert before is not None, block
                assert before.language == "python", block


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("a  b\nd", "x\na b\nc\nd\n"),
        ("a ... c", "a b c"),
        ("score 0.91", "score 0.88"),
        ("took 3.5 s", "took 12.25 s"),
        ("...\nb", "a\nb"),
        ('{"a": [1], ...', '{"a": [1], "b": 2}'),
    ],
)
def test_what_was_printed_is_recognised(shown: str, printed: str) -> None:
    assert missing(shown, printed) is None


@pytest.mark.parametrize(
    ("shown", "printed", "line"),
    [
        ("a\nb", "b\na\n", "b"),
        ("a", "a b", "a"),
        ("score 0.91", "score 0.71", "score 0.91"),
        ("score 0.91", "score 1.91", "score 0.91"),
        ("3 found", "4 found", "3 found"),
    ],
)
def test_what_was_not_printed_is_named(shown: str, printed: str, line: str) -> None:
    assert missing(shown, printed) == line
