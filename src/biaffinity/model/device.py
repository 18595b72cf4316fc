"""The device a network runs on, by the name a user gives it."""

from __future__ import annotations

import torch

from biaffinity.errors import UsageError


def available_device(name: str) -> torch.device:
    """The device of this name; one that PyTorch does not know, or does not see here, is an error."""
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (AssertionError, ImportError, RuntimeError) as error:  # each backend fails in its own way
        seen = ["cpu", *(f"cuda:{number}" for number in range(torch.cuda.device_count()))]
        raise UsageError(
            f"PyTorch sees no device {name!r} here", remedy=f"it sees {', '.join(seen)}"
        ) from error
    return device
