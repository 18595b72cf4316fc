"""The samples and a tiny model that knows them by heart; corpora and browser where they can be had."""

from __future__ import annotations

import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from biaffinity import Extractor, Sentence
    from biaffinity.model.joint import JointModel
    from store.server import Server

ROOT = Path(__file__).parent.parent

# Timings on a shared machine say nothing about a property, so no deadline.
# In CI the same examples are tried each time, so that a red run is the change's doing; at a desk, new ones.
settings.register_profile(
    "biaffinity", deadline=None, max_examples=60, derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("biaffinity")

# A shell in the background lets its programs ignore Ctrl-C, and so would those that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], object]], Path]:
    """A folder by its name, made by the first worker process of pytest-xdist that asks; not to be changed."""
    root = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent  # each worker has a folder below the one they share

    def made(name: str, make: Callable[[Path], object]) -> Path:
        path = root / "made-once" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        done = path.with_name(f"{path.name}.done")
        with FileLock(f"{path}.lock"):
            if not done.exists():
                shutil.rmtree(path, ignore_errors=True)  # of a worker that failed
                make(path)
                done.touch()
        return path

    return made


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of small files that this repository ships."""
    return ROOT / "samples"


@pytest.fixture(scope="session")
def news(samples: Path) -> list[Sentence]:
    """The sentences of samples/news.jsonl."""
    from biaffinity import formats

    return list(formats.read(samples / "news.jsonl"))


@pytest.fixture(scope="session")
def trained(news: list[Sentence]) -> JointModel:
    """A tiny model that knows the sample by heart; not to be changed."""
    from model.tiny import fit, tiny_model

    model = tiny_model(news, context=True, constrained=True, dropout=0.1)
    fit(model, news, 110)
    return model


@pytest.fixture(scope="session")
def folder(trained: JointModel, made_once: Callable[..., Path]) -> Path:
    """The same as a folder with its graphs; not to be changed."""
    from runtime.exported import exported

    return made_once("models/news", lambda path: exported(trained, path))


@pytest.fixture(scope="session")
def extractor(folder: Path) -> Extractor:
    """The same as most users have it."""
    from biaffinity import Extractor

    return Extractor.load(folder)


@pytest.fixture(scope="session")
def transformer(news: list[Sentence], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny random transformer, as it would be fetched from a hub; not to be changed."""
    pytest.importorskip("transformers", reason="needs the extra transformers")
    from encoders.transformer import tiny

    return tiny.save_bert(tmp_path_factory.mktemp("transformers") / "bert", news)


@pytest.fixture(scope="session")
def transformer_trained(transformer: Path, news: list[Sentence]) -> JointModel:
    """A tiny model above it that knows the sample by heart; not to be changed."""
    from encoders.transformer import tiny
    from model.tiny import fit

    model = tiny.model(transformer, news, context=True, constrained=True)
    fit(model, news, 100, rate=0.01)
    return model


@pytest.fixture(scope="session")
def transformer_folder(transformer_trained: JointModel, made_once: Callable[..., Path]) -> Path:
    """The same as a folder with its graphs; not to be changed."""
    pytest.importorskip("onnx", reason="needs the extra train")
    from runtime.exported import exported

    return made_once("models/transformer", lambda path: exported(transformer_trained, path))


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder with conll04/, ade/ and scierc/; the test is skipped where it is absent."""
    folder = Path(os.environ.get("BIAFFINITY_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "conll04" / "train.jsonl").is_file():
        pytest.skip(f"needs the corpora, which are not at {folder} (set BIAFFINITY_DATA)")
    return folder


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    """A PostgreSQL server on a socket; the test is skipped where it, or the extra, is absent."""
    pytest.importorskip("psycopg", reason="needs the extra postgresql")
    from store.server import Server, programs, temporary_folder

    if (found := programs()) is None:
        pytest.skip("needs PostgreSQL, which is not installed (apt-get install postgresql)")
    folder = temporary_folder()
    try:
        server = Server(folder, found)
        yield server
        server.stop()
    finally:
        shutil.rmtree(folder)


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The name of a store that is not there yet, in either database."""
    if request.param == "sqlite":
        return str(tmp_path / "facts.db")
    server: Server = request.getfixturevalue("postgresql")
    return server.empty_database()


@pytest.fixture
def free_port() -> int:
    """A port of this machine on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


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
