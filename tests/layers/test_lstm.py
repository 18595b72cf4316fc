"""The BiLSTM against PyTorch's packed one, and its independence of padding."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from biaffinity.layers.lstm import BiLSTM, reversal
from layers.exported import WIDTH


def packed_reference(layer: BiLSTM, inputs, lengths):
    """The same weights in a library BiLSTM over a packed batch."""
    reference = nn.LSTM(
        inputs.size(2), layer.output_size // 2, len(layer.forwards), bidirectional=True, batch_first=True
    )
    with torch.no_grad():
        for number, (ahead, back) in enumerate(zip(layer.forwards, layer.backwards, strict=True)):
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                getattr(reference, f"{name}_l{number}").copy_(getattr(ahead, f"{name}_l0"))
                getattr(reference, f"{name}_l{number}_reverse").copy_(getattr(back, f"{name}_l0"))
    packed = pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
    return pad_packed_sequence(reference(packed)[0], batch_first=True)[0]


def test_it_equals_a_packed_library_lstm():
    torch.manual_seed(0)
    layer = BiLSTM(6, 5, 2)
    inputs, lengths = torch.randn(3, 7, 6), torch.tensor([7, 2, 4])
    ours, reference = layer(inputs, lengths), packed_reference(layer, inputs, lengths)
    for row, length in enumerate(lengths.tolist()):
        torch.testing.assert_close(ours[row, :length], reference[row, :length], atol=1e-5, rtol=1e-5)


def test_padding_does_not_change_real_tokens():
    torch.manual_seed(1)
    layer = BiLSTM(4, 3, 2)
    inputs = torch.randn(1, 3, 4)
    padded = torch.cat([inputs, torch.full((1, 5, 4), 100.0)], dim=1)
    length = torch.tensor([3])
    torch.testing.assert_close(layer(padded, length)[:, :3], layer(inputs, length))


def test_reversal_turns_each_row_within_its_length_and_back():
    positions = reversal(torch.tensor([3, 1]), 4)
    assert positions.tolist() == [[2, 1, 0, 3], [0, 1, 2, 3]]
    assert positions.gather(1, positions).tolist() == [[0, 1, 2, 3]] * 2


def test_the_forget_gate_starts_open():
    layer = BiLSTM(4, 3, 1)
    bias = layer.forwards[0].bias_ih_l0.chunk(4)
    assert bias[1].tolist() == [1.0] * 3
    assert not bias[0].any()
    assert not bias[2].any()


@pytest.mark.parametrize("seed", range(6))
def test_the_exported_graph_gives_the_same_states(layers, graphs, seed):
    random = torch.Generator().manual_seed(seed)
    batch, size = (int(torch.randint(1, high, (), generator=random)) for high in (7, 40))
    lengths = torch.randint(1, size + 1, (batch,), generator=random)
    inputs = torch.randn(batch, size, WIDTH, generator=random)
    with torch.no_grad():
        ours = layers["lstm"](inputs, lengths)
    found = torch.from_numpy(graphs["lstm"](inputs=inputs, lengths=lengths))
    assert found.shape == ours.shape
    for row, length in enumerate(lengths.tolist()):
        torch.testing.assert_close(found[row, :length], ours[row, :length], atol=1e-5, rtol=0)


def test_padding_does_not_change_real_tokens_of_the_exported_graph(graphs):
    inputs = torch.randn(1, 3, WIDTH)
    padded = torch.cat([inputs, torch.full((1, 5, WIDTH), 100.0)], dim=1)
    short, long = (graphs["lstm"](inputs=values, lengths=torch.tensor([3])) for values in (inputs, padded))
    torch.testing.assert_close(torch.from_numpy(long[:, :3]), torch.from_numpy(short), atol=1e-6, rtol=0)
