"""A transformer's passes over a batch as CUDA graphs: recorded once for a shape, asked for as a whole.

A GPU computes a batch of sentences several times faster than Python names the thousands of operations in it.
"""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import torch
from torch import Tensor, nn

from biaffinity.layers.precision import computes_bfloat16

#: Batches are padded to a multiple of so many pieces, so that there are few shapes.
PADDING = 32
#: A recording takes as long as five passes, and keeps gradients of its own: a shape must have come so often.
MEETINGS = 4
#: And so many shapes at most are recorded, as long as this share of the GPU's memory is free.
RECORDINGS, FREE = 8, 0.25


class Reading(nn.Module):
    """Pieces to their vectors, in half precision if so asked and where that is faster."""

    def __init__(self, transformer: nn.Module, *, bfloat16: bool) -> None:
        super().__init__()
        self.transformer = transformer
        self.reduced = bfloat16

    def forward(self, pieces: Tensor, mask: Tensor) -> Tensor:
        """[windows, longest], the same with 1 where there is a piece -> [windows, longest, width]."""
        # A graph is for any machine.
        reduced = self.reduced and not torch.compiler.is_exporting() and computes_bfloat16(pieces.device)
        with torch.autocast(pieces.device.type, torch.bfloat16, enabled=reduced):
            states: Tensor = self.transformer(input_ids=pieces, attention_mask=mask).last_hidden_state
        return states.float()


class Replay:
    """Reads batches of training on a GPU: the first of a shape as any, later ones by its recording.

    Gradients are to be set to zero between updates, not taken away: a parameter without one would be given
    the recording's own, which the next replay overwrites.
    """

    def __init__(self, reading: Reading, limit: int) -> None:
        self._reading = reading
        self._limit = limit
        self._met: Counter[tuple[int, ...]] = Counter()
        self._recorded: dict[tuple[int, ...], Any] = {}
        self._pool: Any = None
        self._possible = True

    def __call__(self, pieces: Tensor, mask: Tensor) -> Tensor:
        """As `Reading.forward`; what comes back is overwritten by the next batch of its shape."""
        size = pieces.size(1)
        missing = min(-size % PADDING, self._limit - size)
        pieces, mask = (nn.functional.pad(part, (0, missing)) for part in (pieces, mask))
        shape = tuple(pieces.shape)
        self._met[shape] += 1
        due = self._met[shape] >= MEETINGS and shape not in self._recorded
        if due and self._possible and len(self._recorded) < RECORDINGS and _has_room(pieces.device):
            self._record(shape, pieces, mask)
        recorded = self._recorded.get(shape)
        states: Tensor = self._reading(pieces, mask) if recorded is None else recorded(pieces, additive(mask))
        return states[:, :size]

    def _record(self, shape: tuple[int, ...], pieces: Tensor, mask: Tensor) -> None:
        """Record both ways; random numbers stay where they are, so that a resumed run meets the same ones."""
        random = torch.cuda.get_rng_state(pieces.device)
        try:
            if self._pool is None:
                self._pool = torch.cuda.graph_pool_handle()
                self._possible = self._reads_additive(pieces, mask)
            if self._possible:
                examples = pieces.clone(), additive(mask)
                with torch.device(pieces.device):  # what a transformer makes on the CPU cannot be recorded
                    self._recorded[shape] = torch.cuda.make_graphed_callables(
                        self._alias(), examples, allow_unused_input=True, pool=self._pool
                    )
        except RuntimeError:  # a transformer that looks at what it has computed cannot be recorded
            self._possible = False
            # What was broken off has left the generator in the state of a recording.
            fresh = torch.Generator(pieces.device)
            own = torch.cuda.default_generators[pieces.device.index or 0]
            own.graphsafe_set_state(fresh.graphsafe_get_state())
        torch.cuda.set_rng_state(random, pieces.device)

    def _reads_additive(self, pieces: Tensor, mask: Tensor) -> bool:
        """Whether the transformer takes a mask to add to its scores, made without leaving the GPU."""
        self._reading.eval()
        try:
            with torch.no_grad():
                usual, other = self._reading(pieces, mask), self._reading(pieces, additive(mask))
        except Exception:
            return False
        finally:
            self._reading.train()
        inside = mask.bool()
        return torch.allclose(usual[inside], other[inside], rtol=0.02, atol=0.02)

    def _alias(self) -> Reading:
        """The same transformer with the same weights and gradients, in parameters of its own.

        What a batch before has left of those of the transformer would hinder a recording.
        """
        aliases: dict[int, Any] = {}
        for weight in self._reading.parameters():
            alias = nn.Parameter(weight.detach(), requires_grad=weight.requires_grad)
            alias.grad = weight.grad
            aliases[id(weight)] = alias
        return copy.deepcopy(self._reading, aliases)


def _has_room(device: torch.device) -> bool:
    """Whether a recording leaves enough memory for batches that come later."""
    free, total = torch.cuda.mem_get_info(device)
    return free >= FREE * total


def additive(mask: Tensor) -> Tensor:
    """[windows, longest] of 0 and 1 -> [windows, 1, longest, longest], nothing or the lowest number."""
    lowest = torch.finfo(torch.bfloat16).min  # which single precision has, too
    rows = (1 - mask.float()) * lowest
    return rows[:, None, None, :].expand(-1, 1, mask.size(1), -1).contiguous()
