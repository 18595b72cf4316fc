"""Recorded passes of a transformer read and learn as it does itself."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from biaffinity.encoders.transformer import replay
from biaffinity.encoders.transformer.replay import MEETINGS, Reading, Replay, additive

transformers = pytest.importorskip("transformers", reason="needs the extra transformers")
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


@pytest.fixture
def reading(transformer: Path) -> Reading:
    return Reading(transformers.AutoModel.from_pretrained(transformer), bfloat16=False).train()


def batch(device: str = "cpu") -> tuple[Tensor, Tensor]:
    pieces = torch.arange(4, 44, device=device).view(4, 10) % 30
    lengths = torch.tensor([10, 7, 3, 1], device=device)
    return pieces, (torch.arange(10, device=device) < lengths.unsqueeze(1)).long()


def test_a_mask_to_add_hides_what_a_mask_of_zeros_hides(reading: Reading) -> None:
    pieces, mask = batch()
    reading.eval()
    torch.testing.assert_close(
        reading(pieces, mask)[mask.bool()], reading(pieces, additive(mask))[mask.bool()]
    )


def test_the_other_self_has_the_same_weights_and_adds_to_the_same_gradients(reading: Reading) -> None:
    for weight in reading.parameters():
        weight.grad = torch.zeros_like(weight)
    other = Replay(reading, 512)._alias()
    assert all(a is not b for a, b in zip(reading.parameters(), other.parameters(), strict=True))
    other(*batch()).sum().backward()
    assert any(weight.grad.abs().sum() > 0 for weight in reading.parameters())
    with torch.no_grad():
        next(reading.parameters()).fill_(7)
    assert (next(other.parameters()) == 7).all()


def test_half_precision_is_near_single_precision_and_learns_in_it(
    reading: Reading, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "computes_bfloat16", lambda device: True)
    reading.eval()
    single = reading(*batch())
    reading.reduced = True
    half = reading(*batch())
    assert half.dtype == torch.float32
    assert not torch.equal(half, single)
    torch.testing.assert_close(half, single, rtol=0.1, atol=0.1)
    half.sum().backward()
    assert all(weight.grad is None or weight.grad.dtype == torch.float32 for weight in reading.parameters())


def test_where_half_precision_is_no_faster_all_is_computed_in_single_precision(
    reading: Reading, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "computes_bfloat16", lambda device: False)
    reading.eval()
    single = reading(*batch())
    reading.reduced = True
    assert torch.equal(reading(*batch()), single)


@needs_gpu
def test_recorded_passes_give_the_same_vectors_and_gradients(reading: Reading) -> None:
    reading.cuda()
    pieces, mask = batch("cuda")
    replay, plain = Replay(reading, 512), Replay(reading, 512)
    plain._possible = False

    def learnt(read: Replay) -> list[Tensor]:
        torch.manual_seed(1)
        for weight in reading.parameters():
            weight.grad = torch.zeros_like(weight)
        outcomes = []
        for _ in range(MEETINGS + 3):
            states = read(pieces, mask)
            (states * mask.unsqueeze(2)).square().sum().backward()
            outcomes.append(states.detach().clone())
        return [*outcomes, *(weight.grad.clone() for weight in reading.parameters())]

    expected, found = learnt(plain), learnt(replay)
    assert replay._recorded
    for a, b in zip(expected, found, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-3)


class Looking(nn.Module):
    """It looks at what it has computed."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(50, 4)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> object:
        states = self.table(input_ids)
        if float(states.sum()) < float("inf"):
            return transformers.modeling_outputs.BaseModelOutput(last_hidden_state=states)
        raise AssertionError


@needs_gpu
def test_what_cannot_be_recorded_is_read_as_ever() -> None:
    replay = Replay(Reading(Looking().cuda(), bfloat16=False), 512)
    pieces, mask = batch("cuda")
    for _ in range(MEETINGS + 2):
        replay(pieces, mask).sum().backward()
    assert not replay._recorded
    assert torch.rand(3, device="cuda").isfinite().all()
