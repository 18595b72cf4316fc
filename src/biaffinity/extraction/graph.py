"""The ONNX graph of a network: its two recurrent parts, written from the weights alone.

The graph has the inputs ``stage`` (a bool), ``vectors`` [size, batch, width] of float32, ``labels``
[size, batch] of int64 and ``lengths`` [batch] of int32, and the output ``result``. Stage false runs the
tagger: token vectors -> emissions [size, batch, labels]. Stage true runs the relation classifier's LSTM:
labels and token vectors -> states [size, batch, 2 * hidden]. All else is small and done in numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import GraphProto, NodeProto, TensorProto, checker, helper, numpy_helper

from biaffinity.encoding.decoded import Floats
from biaffinity.extraction.onnx_network import WEIGHTS_KEY
from biaffinity.extraction.token_vectors import TokenVectors
from biaffinity.extraction.weights import Weights
from biaffinity.model.description import Description

#: Read by onnxruntime from 1.17 on.
OPSET, IR_VERSION = 17, 8


def build_graph(description: Description, weights: Weights) -> bytes:
    """The graph as the bytes of an ONNX file, with a note of the weights it was made from."""
    width = TokenVectors(weights, "tokens", description).width
    labels = len(description.new_encoder().labels)
    branches = {
        "then_branch": _relation_states(description, weights, width, labels),
        "else_branch": _emissions(description, weights, width, labels),
    }
    graph = helper.make_graph(
        [helper.make_node("If", ["stage"], ["result"], **branches)],
        "biaffinity",
        [
            helper.make_tensor_value_info("stage", TensorProto.BOOL, []),
            helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["size", "batch", width]),
            helper.make_tensor_value_info("labels", TensorProto.INT64, ["size", "batch"]),
            helper.make_tensor_value_info("lengths", TensorProto.INT32, ["batch"]),
        ],
        [helper.make_tensor_value_info("result", TensorProto.FLOAT, ["size", "batch", None])],
    )
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="biaffinity",
    )
    helper.set_model_props(model, {WEIGHTS_KEY: weights.fingerprint()})
    checker.check_model(model, full_check=True)
    content: bytes = model.SerializeToString()
    return content


def _emissions(description: Description, weights: Weights, width: int, labels: int) -> GraphProto:
    """Token vectors -> BiLSTM -> tanh layer -> linear layer."""
    options = description.config.model
    branch = _Branch(weights, "tagger")
    states = branch.bilstm("vectors", width, options.lstm_hidden, options.lstm_layers)
    hidden = branch.add(
        "Tanh", branch.linear("hidden", states, 2 * options.lstm_hidden, options.tagger_hidden)
    )
    return branch.graph(branch.linear("output", hidden, options.tagger_hidden, labels))


def _relation_states(description: Description, weights: Weights, width: int, labels: int) -> GraphProto:
    """Label embedding ∘ token vectors -> BiLSTM."""
    options = description.config.model
    branch = _Branch(weights, "relations")
    inputs = "vectors"
    if options.label_embeddings:
        table = weights.tensor("relations.label_embedding.weight", labels, options.label_size)
        embedded = branch.add("Gather", branch.constant(table), "labels")
        inputs = branch.add("Concat", embedded, "vectors", axis=2)
        width += options.label_size
    return branch.graph(branch.bilstm(inputs, width, options.lstm_hidden, options.lstm_layers))


class _Branch:
    """One of the two graphs, grown node by node; ``part`` names its tensors."""

    def __init__(self, weights: Weights, part: str) -> None:
        self._weights = weights
        self._part = part
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []

    def graph(self, output: str) -> GraphProto:
        """The finished graph; what it reads besides its constants is the whole model's input."""
        result = helper.make_tensor_value_info(output, TensorProto.FLOAT, None)
        return helper.make_graph(self._nodes, self._part, [], [result], self._constants)

    def constant(self, values: npt.NDArray[Any]) -> str:
        """The name of an array; one that half precision holds exactly is kept in half precision."""
        name = f"{self._part}_constant_{len(self._constants)}"
        with np.errstate(over="ignore"):
            half = values.astype(np.float16) if values.dtype == np.float32 else values
        kept = half if np.array_equal(half, values) else values
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(kept), name))
        if kept.dtype != np.float16:
            return name
        return self.add("Cast", name, to=TensorProto.FLOAT)

    def add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """The name of what a new node gives."""
        name = f"{self._part}_{kind.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def linear(self, layer: str, values: str, width: int, size: int) -> str:
        """A fully connected layer of the last axis."""
        weight = self._weights.tensor(f"{self._part}.{layer}.weight", size, width)
        bias = self._weights.tensor(f"{self._part}.{layer}.bias", size)
        return self.add("Add", self.add("MatMul", values, self.constant(weight.T)), self.constant(bias))

    def bilstm(self, values: str, width: int, hidden: int, layers: int) -> str:
        """Stacked bidirectional LSTMs, [size, batch, width] -> [size, batch, 2 * hidden]."""
        for layer in range(layers):
            inputs, recurrent, bias = (
                self.constant(np.stack(both))
                for both in zip(
                    *(
                        self._lstm(f"{self._part}.lstm.{direction}.{layer}", width, hidden)
                        for direction in ("forwards", "backwards")
                    ),
                    strict=True,
                )
            )
            both = self.add(
                "LSTM",
                values,
                inputs,
                recurrent,
                bias,
                "lengths",
                direction="bidirectional",
                hidden_size=hidden,
            )  # [size, 2, batch, hidden]
            turned = self.add("Transpose", both, perm=[0, 2, 1, 3])
            values = self.add("Reshape", turned, self.constant(np.array([0, 0, 2 * hidden])))
            width = 2 * hidden
        return values

    def _lstm(self, name: str, width: int, hidden: int) -> tuple[Floats, Floats, Floats]:
        """Weights of one direction. PyTorch orders the gates i, f, c, o; ONNX i, o, f, c."""
        rows = 4 * hidden
        order = np.arange(rows).reshape(4, hidden)[[0, 3, 1, 2]].reshape(-1)
        inputs = self._weights.tensor(f"{name}.weight_ih_l0", rows, width)[order]
        recurrent = self._weights.tensor(f"{name}.weight_hh_l0", rows, hidden)[order]
        biases = [self._weights.tensor(f"{name}.bias_{side}_l0", rows)[order] for side in ("ih", "hh")]
        return inputs, recurrent, np.concatenate(biases)
