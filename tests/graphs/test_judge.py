"""A graph is run only if it is bounded: our own are, and onnxruntime keeps to it; hostile ones are not."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs the extra train")

import onnx
import onnxruntime
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.config.folder import read_description
from biaffinity.graphs import judge as judging
from biaffinity.graphs.judge import Signature, judge
from biaffinity.graphs.onnx_file import OnnxFile, Tensor, read_onnx
from biaffinity.graphs.results import Result
from biaffinity.graphs.sizes import Size
from biaffinity.graphs.wire import GraphError
from biaffinity.runtime.network import graph_signatures
from graphs.hostile import REFUSED, RUN, Change, mutated

#: Enough for any tiny model.
NUMBERS = 1_000_000
FeedsOf = Callable[[dict[str, int]], dict[str, Any]]


def read(content: bytes) -> OnnxFile:
    return read_onnx(memoryview(content))


@pytest.fixture(scope="module")
def signatures(folder: Path) -> dict[str, Signature]:
    """What the graphs of the tiny recurrent model are to be."""
    own = graph_signatures(read_description(folder), 11 + 8)
    inputs: dict[str, judging.Axes] = {"characters": ("forms", "size"), "lengths": ("forms",)}
    return {**own, "encoder.characters": Signature(inputs, ("forms", 8), 8)}


@pytest.fixture(scope="module")
def words() -> Signature:
    """What the transformer of the tiny model is to be."""
    inputs: dict[str, judging.Axes] = {
        "pieces": ("windows", "longest"),
        "piece_lengths": ("windows",),
        "first": ("batch", "size"),
        "last": ("batch", "size"),
    }
    return Signature(inputs, ("batch", "size", 16), 24, 2, "longest", 64)


# Our own


def refusal(content: bytes, signature: Signature) -> str | None:
    """Why a graph is refused; None if it is not."""
    try:
        judge(read(content), signature, NUMBERS)
    except GraphError as error:
        return str(error)
    return None


def test_our_own_graphs_pass(folder: Path, signatures: dict[str, Signature]) -> None:
    refused = {
        name: refusal((folder / f"{name}.onnx").read_bytes(), signature)
        for name, signature in signatures.items()
    }
    assert refused == dict.fromkeys(signatures)


def test_a_transformer_passes(transformer_folder: Path, words: Signature) -> None:
    assert refusal((transformer_folder / "encoder.words.onnx").read_bytes(), words) is None


def known_of(file: OnnxFile, signature: Signature) -> dict[str, Result]:
    known = dict(judging._inputs(file.graph, signature))
    judging._run(file.graph, known, judging._Needs())
    return known


def value(size: Size, sizes: dict[str, int]) -> int:
    return sum(
        factor * int(np.prod([sizes[name] for name in monomial], initial=1))
        for monomial, factor in size.terms
    )


def assert_bounds_hold(path: Path, signature: Signature, sizes: dict[str, int], feeds: dict[str, Any]) -> int:
    """Every array that onnxruntime makes is within its bounds, and just as large where they are exact."""
    known = known_of(read(path.read_bytes()), signature)
    model = onnx.load(path)
    names = [name for node in model.graph.node for name in node.output if name and name != "result"]
    for name in names:
        model.graph.output.append(onnx.ValueInfoProto(name=name))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    for name, array in zip(names, session.run(names, feeds), strict=True):
        result = known[name]
        assert array.ndim == result.rank, name
        assert array.size <= value(result.count, sizes), name
        for actual, size in zip(array.shape, result.shape, strict=True):
            bound = value(size, sizes)
            assert actual == bound if size.exact else actual <= bound, (name, str(size))
        if array.dtype == np.int64 and result.every.high is not None and array.size:
            assert array.max() <= value(result.every.high, sizes), name
    return len(names)


def token_feeds(sizes: dict[str, int]) -> dict[str, Any]:
    batch, size = sizes["batch"], sizes["size"]
    return {
        "vectors": np.random.default_rng(0).normal(size=(batch, size, 19)).astype(np.float32),
        "lengths": np.full(batch, size),
        "labels": np.zeros((batch, size), dtype=np.int64),
    }


def pair_feeds(sizes: dict[str, int]) -> dict[str, Any]:
    chance = np.random.default_rng(0)
    batch, size, entities = sizes["batch"], sizes["size"], sizes["entities"]
    start = chance.integers(0, size, entities)
    return {
        "states": chance.normal(size=(batch, size, 16)).astype(np.float32),
        "sentence": chance.integers(0, batch, entities),
        "start": start,
        "end": np.minimum(start + 1, size),
        "head": chance.integers(0, entities, sizes["pairs"]),
        "tail": chance.integers(0, entities, sizes["pairs"]),
    }


SIZES = [
    {"batch": 1, "size": 1, "entities": 1, "pairs": 1},
    {"batch": 3, "size": 7, "entities": 5, "pairs": 4},
    {"batch": 2, "size": 90, "entities": 2, "pairs": 9},
]


@pytest.mark.parametrize("sizes", SIZES, ids=["one", "some", "long"])
@pytest.mark.parametrize("name", ["emissions", "states", "pairs"])
def test_what_onnxruntime_makes_is_within_the_bounds(
    folder: Path, signatures: dict[str, Signature], name: str, sizes: dict[str, int]
) -> None:
    feeds = pair_feeds(sizes) if name == "pairs" else token_feeds(sizes)
    own = {key: feeds[key] for key in signatures[name].inputs}
    assert assert_bounds_hold(folder / f"{name}.onnx", signatures[name], sizes, own) > 5


def test_what_onnxruntime_makes_of_characters_is_within_the_bounds(
    folder: Path, signatures: dict[str, Signature]
) -> None:
    feeds = {"characters": np.full((3, 7), 2), "lengths": np.array([7, 5, 1])}
    path, sizes = folder / "encoder.characters.onnx", {"forms": 3, "size": 7}
    assert_bounds_hold(path, signatures["encoder.characters"], sizes, feeds)


@pytest.mark.parametrize(("windows", "longest"), [(1, 3), (3, 9), (2, 60)])
def test_what_onnxruntime_makes_of_a_transformer_is_within_the_bounds(
    transformer_folder: Path, words: Signature, windows: int, longest: int
) -> None:
    sizes = {"windows": windows, "longest": longest, "batch": 2, "size": 2}
    feeds = {
        "pieces": np.full((windows, longest), 5),
        "piece_lengths": np.full(windows, longest),
        "first": np.array([[0, 1], [1, 0]]),
        "last": np.array([[0, 1], [1, 0]]),
    }
    path = transformer_folder / "encoder.words.onnx"
    assert assert_bounds_hold(path, words, sizes, feeds) > 80


# Hostile ones


def changed(path: Path, change: Change) -> bytes:
    model = onnx.load(path)
    change(model)
    return model.SerializeToString()


@pytest.mark.parametrize("change", REFUSED.values(), ids=REFUSED)
def test_a_hostile_graph_is_refused(folder: Path, signatures: dict[str, Signature], change: Change) -> None:
    with pytest.raises(GraphError):
        judge(read(changed(folder / "emissions.onnx", change)), signatures["emissions"], NUMBERS)


@pytest.mark.parametrize("change", RUN.values(), ids=RUN)
def test_what_is_harmless_but_wrong_is_left_to_the_run(
    folder: Path, signatures: dict[str, Signature], change: Change
) -> None:
    assert refusal(changed(folder / "emissions.onnx", change), signatures["emissions"]) is None


@given(seed=st.integers(0, 1 << 32))
def test_a_mutated_graph_is_refused_or_stays_within_its_measure(
    folder: Path, signatures: dict[str, Signature], seed: int
) -> None:
    chance = random.Random(seed)
    name = chance.choice(["emissions", "states", "pairs"])
    content = mutated((folder / f"{name}.onnx").read_bytes(), chance)
    if refusal(content, signatures[name]) is not None:
        return
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    sizes = SIZES[1]
    feeds = pair_feeds(sizes) if name == "pairs" else token_feeds(sizes)
    try:
        session = onnxruntime.InferenceSession(content, options)
        [result] = session.run(None, {key: feeds[key] for key in signatures[name].inputs})
    except Exception:  # what onnxruntime refuses does no harm
        return
    assert result.shape == tuple(sizes.get(str(axis), axis) for axis in signatures[name].result)


@given(data=st.data())
def test_any_damage_to_a_file_is_read_or_refused(folder: Path, data: st.DataObject) -> None:
    content = bytearray((folder / "encoder.characters.onnx").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.sampled_from([len(content), len(content), len(content) // 2]))
    try:
        found = read(bytes(content[:cut]))
    except GraphError:
        return
    assert isinstance(found, OnnxFile)


# The file


def tensors(graph: onnx.GraphProto) -> Iterator[tuple[str, Tensor]]:
    for tensor in graph.initializer:
        array = onnx.numpy_helper.to_array(tensor)
        whole = array.dtype in (np.int64, np.int32) and array.size <= 64
        values = tuple(array.ravel().tolist()) if whole else None
        yield tensor.name, Tensor(tensor.data_type, array.shape, values)


@pytest.mark.parametrize("name", ["emissions", "states", "pairs", "encoder.characters"])
def test_a_file_holds_what_onnx_reads_in_it(folder: Path, name: str) -> None:
    path = folder / f"{name}.onnx"
    file, model = read(path.read_bytes()), onnx.load(path)
    assert file.notes == {entry.key: entry.value for entry in model.metadata_props}
    assert file.graph.tensors == dict(tensors(model.graph))
    ours = [(node.operator, node.inputs, node.outputs) for node in file.graph.nodes]
    assert ours == [(node.op_type, list(node.input), list(node.output)) for node in model.graph.node]
    for ours_of, node in zip(file.graph.nodes, model.graph.node, strict=True):
        assert ours_of.attributes.keys() == {attribute.name for attribute in node.attribute}
    for value_of, theirs in zip(file.graph.inputs, model.graph.input, strict=True):
        axes = [axis.dim_param or axis.dim_value for axis in theirs.type.tensor_type.shape.dim]
        assert (value_of.name, list(value_of.axes)) == (theirs.name, axes)


def test_numbers_in_another_file_are_named_as_such(folder: Path) -> None:
    with pytest.raises(GraphError, match="numbers in another file"):
        read(changed(folder / "emissions.onnx", REFUSED["external data"]))
