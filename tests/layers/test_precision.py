"""Where half precision pays."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="needs the extra train")

import torch

from biaffinity.layers.precision import INSTRUCTIONS, computes_bfloat16


@pytest.mark.parametrize("instructions", INSTRUCTIONS)
def test_a_cpu_computes_in_bfloat16_that_has_instructions_for_it(
    instructions: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cpu = torch.device("cpu")
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {instructions: True}, raising=False)
    assert computes_bfloat16(cpu)
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {instructions: False}, raising=False)
    assert not computes_bfloat16(cpu)
    monkeypatch.delattr(torch.cpu, "get_capabilities")
    assert not computes_bfloat16(cpu)


def test_a_gpu_does_and_what_is_neither_does_not() -> None:
    assert computes_bfloat16(torch.device("cuda"))
    assert not computes_bfloat16(torch.device("mps"))
