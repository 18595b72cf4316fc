"""Graphs whose matrix products run in whole numbers of eight bits: smaller, and on most processors faster.

Weights are rounded once, a scale for each column; what they are multiplied with is rounded as it comes, one
scale for all of it (dynamic quantisation). That does little harm where it was normalised before. It does
after an activation function, where single values are a hundred times as large as the rest: the narrowing
product of a transformer's feed-forward layer always stays as it is.
"""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path
from typing import Literal

import onnx
from onnx import ModelProto
from onnxruntime.quantization import QuantType, quantize_dynamic

#: Which products of weights: those of attention, whose matrices are square; or the widening ones too.
Int8 = Literal["square", "widening"]


def with_int8_products(model: ModelProto, which: Int8) -> ModelProto:
    """The model with some of its products in int8."""
    shapes = {tensor.name: tuple(tensor.dims) for tensor in model.graph.initializer}
    products = [node for node in model.graph.node if node.op_type == "MatMul" and node.input[1] in shapes]
    exact = []
    for node in products:
        inputs, outputs = shapes[node.input[1]]
        if outputs < inputs or (which == "square" and outputs > inputs):
            exact.append(node.name)
    level = logging.root.level
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.onnx"
        try:
            logging.root.setLevel(logging.ERROR)  # it advises a step that only convolutions gain from
            quantize_dynamic(
                model,
                path,
                op_types_to_quantize=["MatMul"],
                nodes_to_exclude=exact,
                per_channel=True,
                # Seven bits for weights: processors without a product of four pairs add up two in 16 bits.
                reduce_range=True,
                weight_type=QuantType.QInt8,
                extra_options={"MatMulConstBOnly": True},
            )
        finally:
            logging.root.setLevel(level)
        return onnx.load(path)
