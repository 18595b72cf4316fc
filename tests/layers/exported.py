"""Layers beside the graphs that were exported of them, all traced at once."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime
import torch
from torch import Tensor, nn

from biaffinity.graphs.judge import Signature, judge
from biaffinity.graphs.onnx_file import read_onnx
from biaffinity.layers.characters import CharacterEncoder
from biaffinity.layers.lstm import BiLSTM
from biaffinity.layers.ranges import range_max

if TYPE_CHECKING:
    from biaffinity.layers.onnx_graph import Traced

#: A graph as a function of arrays by name.
Graph = Callable[..., np.ndarray[Any, Any]]
NOTES = {"weights": "abc", "ä": "日本"}
SYMBOLS, WIDTH = 10, 6


class RangeMax(nn.Module):
    """`range_max` as a module."""

    def forward(self, values: Tensor, row: Tensor, start: Tensor, end: Tensor) -> Tensor:
        return range_max(values, row, start, end)


def some_layers() -> dict[str, nn.Module]:
    """The layers that graphs are made of; the same each time."""
    layers: dict[str, nn.Module] = {
        "ranges": RangeMax(),
        "lstm": BiLSTM(WIDTH, 5, 2),
        "one character LSTM": CharacterEncoder(SYMBOLS, 4, 3, shared=True),
        "two character LSTMs": CharacterEncoder(SYMBOLS, 4, 3, shared=False),
        "single": nn.Linear(50, 40),
        "half": nn.Linear(50, 40),
    }
    for layer in layers.values():
        torch.manual_seed(0)  # the tables of characters are alike, and still each graph has its own
        for parameter in layer.parameters():
            nn.init.normal_(parameter, std=0.5)
    with torch.no_grad():
        for parameter in layers["half"].parameters():
            parameter.copy_(parameter.half().float())
    return layers


def traced(name: str, layer: nn.Module) -> Traced:
    """A copy of one of them, which tracing may change, with examples of its arguments."""
    from biaffinity.layers.onnx_graph import Traced

    if name == "ranges":
        # Each a tensor of its own: the exporter takes one that is given twice for one input.
        ranges = {"row": torch.tensor([0, 1]), "start": torch.tensor([0, 2]), "end": torch.tensor([2, 5])}
        axes = {"values": ("batch", "size"), **dict.fromkeys(ranges, ("ranges",))}
        return Traced(deepcopy(layer), {"values": torch.zeros(2, 6, WIDTH), **ranges}, axes)
    if name == "lstm":
        inputs = {"inputs": torch.zeros(2, 4, WIDTH), "lengths": torch.tensor([4, 3])}
        return Traced(deepcopy(layer), inputs, {"inputs": ("batch", "size"), "lengths": ("batch",)})
    if "character" in name:
        inputs = {"characters": torch.ones(3, 7, dtype=torch.long), "lengths": torch.tensor([7, 5, 4])}
        return Traced(deepcopy(layer), inputs, {"characters": ("words", "size"), "lengths": ("words",)})
    return Traced(deepcopy(layer), {"input": torch.zeros(2, 50)}, {"input": ("rows",)})


def loaded(content: bytes, signature: Signature | None = None) -> Graph:
    """A file as a function, which must be as its signature says."""
    file = read_onnx(memoryview(content))
    if signature is not None:
        judge(file, signature, numbers=1_000_000)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])

    def run(**feeds: Any) -> np.ndarray[Any, Any]:
        arrays = {name: np.asarray(value) for name, value in feeds.items()}
        result: np.ndarray[Any, Any] = session.run(["result"], arrays)[0]
        return result

    return run
