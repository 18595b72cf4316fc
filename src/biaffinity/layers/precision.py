"""Where half precision pays."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch

#: Instructions of a CPU that multiply matrices of bfloat16, four times as fast as those of single precision.
INSTRUCTIONS = ("avx512_bf16", "amx_bf16")


def computes_bfloat16(device: torch.device) -> bool:
    """Whether a device multiplies matrices faster in bfloat16: a GPU, or a CPU with instructions for it."""
    if device.type != "cpu":
        return device.type == "cuda"
    capabilities: Callable[[], Mapping[str, object]] = getattr(torch.cpu, "get_capabilities", dict)
    known = capabilities()  # empty before PyTorch 2.10
    return any(bool(known.get(name)) for name in INSTRUCTIONS)
