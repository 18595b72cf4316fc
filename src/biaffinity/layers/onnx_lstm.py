"""LSTMs as an exported graph runs them: by ONNX's own operator, with the weights in its order."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from biaffinity.graphs.onnx_file import OPSET
from biaffinity.layers.characters import CharacterEncoder
from biaffinity.layers.lstm import BiLSTM


def with_onnx_lstms(module: nn.Module) -> nn.Module:
    """The module with every LSTM in it replaced; it is changed, and only good to be exported."""
    if isinstance(module, BiLSTM):
        return OnnxBiLSTM(module)
    if isinstance(module, CharacterEncoder):
        return OnnxCharacterEncoder(module)
    for name, child in module.named_children():
        setattr(module, name, with_onnx_lstms(child))
    return module


class OnnxLSTM(nn.Module):
    """ONNX's LSTM of two PyTorch LSTMs of one layer, one for each direction."""

    def __init__(self, ahead: nn.Module, back: nn.Module) -> None:
        super().__init__()
        both = (cast(nn.LSTM, ahead), cast(nn.LSTM, back))
        self.hidden = both[0].hidden_size
        self.inputs = _weights(both, "weight_ih_l0")
        self.recurrent = _weights(both, "weight_hh_l0")
        self.bias = _weights(both, "bias_ih_l0", "bias_hh_l0")

    def forward(self, values: Tensor, lengths: Tensor) -> Tensor:
        """[size, batch, width] -> [size, 2, batch, hidden]."""
        result: Tensor = torch.onnx.ops.symbolic(
            "LSTM",
            (values, self.inputs, self.recurrent, self.bias, lengths.to(torch.int32)),
            {"direction": "bidirectional", "hidden_size": self.hidden},
            dtype=values.dtype,
            shape=(values.size(0), 2, values.size(1), self.hidden),
            version=OPSET,
        )
        return result


class OnnxBiLSTM(nn.Module):
    """A `BiLSTM`."""

    def __init__(self, lstm: BiLSTM) -> None:
        super().__init__()
        self.layers = nn.ModuleList(map(OnnxLSTM, lstm.forwards, lstm.backwards))
        self.output_size = lstm.output_size

    def forward(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        """[batch, size, input_size], [batch] -> [batch, size, output_size]."""
        if not self.layers:
            return inputs
        values = inputs.transpose(0, 1)
        for layer in self.layers:
            states = layer(values, lengths)
            values = states.transpose(1, 2).flatten(2)
        result: Tensor = states.permute(2, 0, 1, 3).flatten(2)
        return result


class OnnxCharacterEncoder(nn.Module):
    """A `CharacterEncoder`."""

    def __init__(self, encoder: CharacterEncoder) -> None:
        super().__init__()
        self.embedding = encoder.embedding
        self.lstm = OnnxLSTM(encoder.ahead, encoder.back)

    def forward(self, characters: Tensor, lengths: Tensor) -> Tensor:
        """[words, size] character ids, [words] -> [words, 2 * hidden_size]."""
        states = self.lstm(self.embedding(characters).transpose(0, 1), lengths)
        rows = torch.arange(characters.size(0))
        # The direction that reads backwards ends at the first character.
        return torch.cat([states[lengths - 1, 0, rows], states[0, 1]], dim=1)


def _weights(directions: tuple[nn.LSTM, nn.LSTM], *names: str) -> nn.Parameter:
    """[2, ...]: PyTorch orders the gates i, f, c, o; ONNX i, o, f, c."""

    def gates(weight: Tensor) -> Tensor:
        one, two, three, four = weight.detach().chunk(4)
        return torch.cat([one, four, two, three])

    return nn.Parameter(
        torch.stack([torch.cat([gates(getattr(one, name)) for name in names]) for one in directions])
    )
