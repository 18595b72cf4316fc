"""A real Ray cluster of two nodes on this machine, whose processes and nodes are killed."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from biaffinity.bulk.run import Advanced, Event, Finished, Skipped, Started
from biaffinity.cluster.engine import Cluster, connected, extract_on_ray
from biaffinity.cluster.model import ModelLoader
from biaffinity.cluster.parquet_parts import ParquetParts
from biaffinity.cluster.store_parts import StoreParts
from biaffinity.errors import BiaffinityError, DataError, MissingExtraError
from biaffinity.store import open_store
from bulk import capitals
from cluster.mortal import Mortal

TESTS = Path(__file__).parent.parent
pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    """A cluster of two nodes, a core each."""
    ray = pytest.importorskip("ray", reason="needs the extra ray")
    utils = pytest.importorskip("ray.cluster_utils")
    cluster = utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    path = os.pathsep.join(filter(None, (str(TESTS), os.environ.get("PYTHONPATH"))))
    ray.init(
        address=cluster.address,
        log_to_driver=False,
        logging_level="error",
        runtime_env={"env_vars": {"PYTHONPATH": path}},
    )
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file of 200 documents, one of which kills its process once, and one of which fails."""
    monkeypatch.chdir(tmp_path)
    texts = [f"Slow Bo{n} met Al{n}." for n in range(200)]
    texts[60], texts[111] = f"Mort {tmp_path}/died", "Boom"
    lines = (json.dumps({"id": str(n), "text": text}) + "\n" for n, text in enumerate(texts))
    Path("in.jsonl").write_text("".join(lines))
    return "in.jsonl"


def documents(out: str) -> list[str]:
    if out.startswith("postgresql"):
        with open_store(out) as database:
            return [name for (name,) in database.select("SELECT name FROM documents")]
    from pyarrow import parquet

    return [
        name for path in Path(out).glob("*.parquet") for name in parquet.read_table(path)["id"].to_pylist()
    ]


def assert_each_once(out: str) -> None:
    counts = Counter(documents(out))
    assert counts == {str(n): 1 for n in range(200) if n != 111}


def started(source: str, out: str, **options: Any) -> Iterator[Event]:
    output = StoreParts(out, "m") if out.startswith("postgresql") else ParquetParts(out)
    cluster = Cluster(actors=2)
    return extract_on_ray([source], output, Mortal, {}, cluster, part_bytes=600, **options)


def test_a_cluster_that_is_not_there_is_told(tmp_path: Path) -> None:
    """The first test of the file: it must be connected to none."""
    pytest.importorskip("ray", reason="needs the extra ray")
    (tmp_path / "in.txt").touch()
    with pytest.raises(DataError, match="no Ray cluster can be reached"):
        list(
            extract_on_ray(
                [str(tmp_path / "in.txt")], ParquetParts("out"), Mortal, {}, Cluster("127.0.0.1:1")
            )
        )


@pytest.mark.parametrize("kind", ["parquet", "postgresql"])
def test_a_worker_and_then_a_node_are_killed_and_every_document_is_there_once(
    kind: str, nodes: Any, source: str, request: pytest.FixtureRequest
) -> None:
    out = "out" if kind == "parquet" else request.getfixturevalue("postgresql").empty_database()
    events, removed = [], False
    for event in started(source, out):
        events.append(event)
        if isinstance(event, Advanced) and Path("died").exists() and not removed:
            nodes.remove_node(nodes.worker_nodes and next(iter(nodes.worker_nodes)), allow_graceful=False)
            removed = True
    assert removed
    nodes.add_node(num_cpus=1)
    assert events[0] == Started(Path(source).stat().st_size, 0)
    assert events[-1] == Finished(199, 1)
    assert Skipped("in.jsonl:112: ZeroDivisionError: boom") in events
    assert_each_once(out)


def test_a_run_that_was_left_is_gone_on_with(nodes: Any, source: str) -> None:
    Path("died").touch()
    events = started(source, "out")
    for _ in range(4):
        next(events)
    events.close()  # type: ignore[attr-defined]
    earlier = len(documents("out"))
    assert 0 < earlier < 199
    first, *_, last = started(source, "out", resume=True)
    assert isinstance(first, Started)
    assert first.earlier > 0
    assert last == Finished(199, 1)
    assert_each_once("out")


def test_a_model_is_sent_along_where_its_folder_is_not(nodes: Any, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "in.lines").write_text("Ana left.\n" * 3)
    load = ModelLoader(folder, {"threads": 1})
    out = ParquetParts(str(tmp_path / "out"))
    *_, last = extract_on_ray([str(tmp_path / "in.lines")], out, load, {}, Cluster(actors=1), kind="lines")
    assert last == Finished(3)


def test_a_teacher_labels_the_same_on_a_cluster(
    nodes: Any, folder: Path, news: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from biaffinity import formats
    from biaffinity.distillation import labelling
    from biaffinity.distillation.labels import Labels

    monkeypatch.setattr(labelling, "PART", 2)
    load, found = ModelLoader(folder, {"threads": 1}), []
    for name in ("here", "there"):
        labels = Labels(tmp_path / name)
        formats.write(labels.sentences, news)
        labels.note(teachers=[{"name": "t"}], types={}, text={"sentences": len(news)}, vote=0.4)
        started = labelling.TeacherStarted("t", 1, 1, len(news), 0)
        task = labelling.Task(started, load, labels.missing(1, labelling.PART))
        if name == "here":
            events = list(labelling._teach(labels, task))
        else:
            events = list(labelling._teach_on_cluster(labels, task, Cluster(actors=1)))
        assert sum(event.sentences for event in events) == len(news)
        assert labels.missing(1, labelling.PART) == []
        places = labels.places(labelling.PART)
        found.append([list(labels.read_together(number, places)) for number in range(1, len(places))])
    assert found[0] == found[1]


def test_an_error_of_ours_is_told_as_such(nodes: Any, source: str) -> None:
    with pytest.raises(BiaffinityError, match="no such model"):
        list(
            extract_on_ray(
                [source], ParquetParts("out"), _NoModel(), {}, Cluster(actors=1), part_bytes=100_000
            )
        )


class _NoModel:
    def __call__(self) -> capitals.Capitals:
        return capitals.load("none")


def test_without_its_extra_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra tables")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"the engine ray needs .*biaffinity\[ray\]"):
        list(extract_on_ray(["x"], ParquetParts("out"), Mortal, {}, Cluster()))


def test_ray_starts_here_unless_told_where_and_reports_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Left alone it joins any cluster that runs on this machine, and tells its makers what it is used for."""
    addresses = []
    ray = SimpleNamespace(
        is_initialized=lambda: False,
        init=lambda address, **_: addresses.append(address),
        shutdown=lambda: None,
    )
    for name in ("ray", "ray.data"):
        monkeypatch.setitem(sys.modules, name, ray)
    for name in ("RAY_ADDRESS", "RAY_USAGE_STATS_ENABLED", "RAY_BACKEND_LOG_LEVEL"):
        monkeypatch.setenv(name, "")  # put back afterwards
        monkeypatch.delenv(name)
    for cluster in (Cluster(), Cluster("ray://head")):
        with connected(cluster):
            assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
    monkeypatch.setenv("RAY_ADDRESS", "head:6379")
    with connected(Cluster()):
        assert addresses == ["local", "ray://head", "head:6379"]


def test_a_model_is_written_down_once_where_it_is_not(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    kept: dict[str, Any] = {}

    def keep(files: Any) -> Any:
        kept.update(files)
        return lambda: kept

    loader = ModelLoader(folder, {}).sent(keep)
    assert loader._here() == folder
    elsewhere, again = (ModelLoader(tmp_path / "not here", {}, loader.fetch)._here() for _ in range(2))
    assert elsewhere == again != folder
    assert {path.name for path in elsewhere.iterdir()} == set(kept)
    next(elsewhere.glob("*.onnx")).write_bytes(b"somebody else's")
    another = ModelLoader(tmp_path / "not here", {}, loader.fetch)._here()
    assert another != elsewhere
    assert next(another.glob("*.onnx")).read_bytes() in kept.values()
