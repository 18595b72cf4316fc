"""The likelihood of a linear-chain conditional random field over padded batches, for training.

Source: Lafferty, McCallum & Pereira (2001); forward-backward as in Rabiner (1989).
Scores of a label sequence y over emissions e: start[y_0] + Σ e_t[y_t] + Σ transitions[y_t-1, y_t] + end[y_n].
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

# Added to what is not allowed: large enough that its probability is exactly zero in single
# precision, small enough that sums of it stay finite.
FORBIDDEN = -1e4


class CRF(nn.Module):
    """Linear-chain CRF with start and end scores.

    Args:
        labels: the number of labels.
        transitions: False leaves all transition scores at zero for good, which makes every token's
            label independent of its neighbours: a softmax tagger.
        allowed: which label may follow which, [labels, labels] of bool, with the labels a sequence
            may start and end with, [labels] each; what is not allowed has probability zero in
            training and decoding alike.
    """

    transitions: Tensor
    start: Tensor
    end: Tensor
    _forbidden_pairs: Tensor
    _forbidden_start: Tensor
    _forbidden_end: Tensor

    def __init__(
        self,
        labels: int,
        *,
        transitions: bool = True,
        allowed: tuple[Tensor, Tensor, Tensor] | None = None,
    ) -> None:
        super().__init__()
        if transitions:
            self.transitions = nn.Parameter(torch.zeros(labels, labels))
            self.start = nn.Parameter(torch.zeros(labels))
            self.end = nn.Parameter(torch.zeros(labels))
        else:
            self.register_buffer("transitions", torch.zeros(labels, labels), persistent=False)
            self.register_buffer("start", torch.zeros(labels), persistent=False)
            self.register_buffer("end", torch.zeros(labels), persistent=False)
        pairs, first, last = allowed if allowed is not None else (None, None, None)
        self.register_buffer("_forbidden_pairs", _penalty(pairs, (labels, labels)), persistent=False)
        self.register_buffer("_forbidden_start", _penalty(first, (labels,)), persistent=False)
        self.register_buffer("_forbidden_end", _penalty(last, (labels,)), persistent=False)

    def _scores(self) -> tuple[Tensor, Tensor, Tensor]:
        return (
            self.transitions + self._forbidden_pairs,
            self.start + self._forbidden_start,
            self.end + self._forbidden_end,
        )

    def log_likelihood(
        self,
        emissions: Tensor,
        labels: Tensor,
        lengths: Tensor,
        certainty: Tensor | None = None,
        joined: Tensor | None = None,
    ) -> Tensor:
        """Log probability of each labelling; with certainties the mean of it over all that they tell of.

        Args:
            emissions: [batch, size, labels].
            labels: [batch, size]; padding may hold any label.
            lengths: [batch], each at least 1.
            certainty: [batch, size], how likely each token has its label; else it has label 0.
            joined: [batch, size - 1], whether a token and the next have their labels only together.

        Returns:
            [batch].
        """
        partition = self.log_partition(emissions, lengths)
        if certainty is None or joined is None:
            return self.path_score(emissions, labels, lengths) - partition
        return self.expected_score(emissions, labels, lengths, certainty, joined) - partition

    def path_score(self, emissions: Tensor, labels: Tensor, lengths: Tensor) -> Tensor:
        """The unnormalised score of each labelling; shapes as in `log_likelihood`."""
        transitions, start, end = self._scores()
        mask = _mask(lengths, emissions.size(1))
        score = (emissions.gather(2, labels.unsqueeze(2)).squeeze(2) * mask).sum(1)
        steps = transitions[labels[:, :-1], labels[:, 1:]]
        last = labels.gather(1, lengths.unsqueeze(1) - 1).squeeze(1)
        return score + (steps * mask[:, 1:]).sum(1) + start[labels[:, 0]] + end[last]

    def expected_score(
        self, emissions: Tensor, labels: Tensor, lengths: Tensor, certainty: Tensor, joined: Tensor
    ) -> Tensor:
        """The mean score of the labellings that certainties tell of; shapes as in `log_likelihood`.

        A score is a sum over tokens and neighbours, so the mean of each is all that is needed.
        """
        transitions, start, end = self._scores()
        mask = _mask(lengths, emissions.size(1))
        own = emissions.gather(2, labels.unsqueeze(2)).squeeze(2)
        score = ((certainty * own + (1 - certainty) * emissions[:, :, 0]) * mask).sum(1)
        left, right, sure, next_sure = labels[:, :-1], labels[:, 1:], certainty[:, :-1], certainty[:, 1:]
        both, neither = transitions[left, right], transitions[0, 0]
        together = sure * both + (1 - sure) * neither
        apart = sure * next_sure * both + (1 - sure) * (1 - next_sure) * neither
        apart = apart + sure * (1 - next_sure) * transitions[left, torch.zeros_like(left)]
        apart = apart + (1 - sure) * next_sure * transitions[torch.zeros_like(right), right]
        steps = torch.where(joined, together, apart)
        last = lengths.unsqueeze(1) - 1
        first_sure, last_sure = certainty[:, 0], certainty.gather(1, last).squeeze(1)
        ends = end[labels.gather(1, last).squeeze(1)]
        score = score + (steps * mask[:, 1:]).sum(1)
        score = score + first_sure * start[labels[:, 0]] + (1 - first_sure) * start[0]
        return score + last_sure * ends + (1 - last_sure) * end[0]

    def log_partition(self, emissions: Tensor, lengths: Tensor) -> Tensor:
        """Log of the summed scores of all labellings, [batch]."""
        result: Tensor = _LogPartition.apply(emissions, *self._scores(), lengths)  # type: ignore[no-untyped-call]
        return result


class _LogPartition(torch.autograd.Function):
    """Log Z with its gradient in closed form: the marginals of labels and of neighbouring pairs.

    Autograd would tape every step of the recursion; this costs one more recursion and two
    matrix products.
    """

    @staticmethod
    def forward(
        ctx: Any, emissions: Tensor, transitions: Tensor, start: Tensor, end: Tensor, lengths: Tensor
    ) -> Tensor:
        chain = _ScannedChain if emissions.is_cuda else _Chain
        ctx.chain = chain(emissions, transitions, start, end, lengths)
        partition: Tensor = ctx.chain.log_partition().to(emissions.dtype)
        return partition

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, None]:
        chain: _Chain = ctx.chain
        backward = chain.backward()
        weight = gradient.double()[:, None, None]
        labels = chain.marginals(backward) * weight
        pairs = chain.pair_marginals(backward, weight)
        ends = labels[chain.rows, chain.lengths - 1].sum(0)
        parts = (labels, pairs, labels[:, 0].sum(0), ends)
        emissions, transitions, start, end = (part.to(gradient.dtype) for part in parts)
        return emissions, transitions, start, end, None


class _Chain:
    """Forward and backward recursions in probabilities, scaled at each step (Rabiner 1989, V.A).

    A step is one small matrix product instead of a log-sum-exp over all pairs of labels. Double
    precision keeps labels apart whose scores differ by up to 700 at one token.
    """

    def __init__(
        self, emissions: Tensor, transitions: Tensor, start: Tensor, end: Tensor, lengths: Tensor
    ) -> None:
        shift = emissions.amax(2, keepdim=True)
        likelihood = (emissions - shift).double().exp()
        self.step = transitions.double().exp()
        self.end = end.double().exp()
        self.lengths = lengths
        self.rows = torch.arange(len(lengths), device=lengths.device)
        #: [batch, size, labels]: P(label at t | everything up to t); and its scale, [batch, size, 1].
        self.forward, scale = self._forward(likelihood, start.double().exp())
        self.scaled = likelihood / scale
        #: [batch, size]: log of the summed scores of all prefixes.
        self.level = (scale.log() + shift).squeeze(2).cumsum(1)
        self.last = self.forward[self.rows, lengths - 1] @ self.end

    def _forward(self, likelihood: Tensor, start: Tensor) -> tuple[Tensor, Tensor]:
        forward, scales = [], []
        state = start
        for position, observed in enumerate(likelihood.unbind(1)):
            state = (state @ self.step if position else state) * observed
            scale = state.sum(1, keepdim=True)
            state = state / scale
            forward.append(state)
            scales.append(scale)
        return torch.stack(forward, dim=1), torch.stack(scales, dim=1)

    def log_partition(self) -> Tensor:
        """Log Z, [batch]."""
        return self.level[self.rows, self.lengths - 1] + self.last.log()

    def backward(self) -> Tensor:
        """[batch, size, labels], scaled so that forward times backward sums to one at every token."""
        final = self.end / self.last.unsqueeze(1)
        back = self.step.T
        state = final
        states = [state]
        steps = self.scaled.unbind(1)
        for position in range(len(steps) - 1, 0, -1):
            before = (steps[position] * state) @ back
            state = torch.where((self.lengths > position).unsqueeze(1), before, final)
            states.append(state)
        return torch.stack(states[::-1], dim=1)

    def marginals(self, backward: Tensor) -> Tensor:
        """P(label at t), [batch, size, labels]; zero at padding."""
        outside = ~_mask(self.lengths, backward.size(1)).unsqueeze(2)
        return (self.forward * backward).masked_fill(outside, 0)

    def pair_marginals(self, backward: Tensor, weight: Tensor) -> Tensor:
        """Σ over the batch, weighted, and over t of P(label at t-1, label at t): [labels, labels]."""
        outside = ~_mask(self.lengths, backward.size(1)).unsqueeze(2)
        right = (self.scaled * backward * weight).masked_fill(outside, 0)[:, 1:]
        left = self.forward.masked_fill(outside, 0)[:, :-1]
        return self.step * (left.flatten(0, 1).T @ right.flatten(0, 1))


class _ScannedChain(_Chain):
    """The same for a GPU, which waits for each step of a loop: all prefixes in log(size) products.

    A token is a matrix, how label i before it goes with label j at it. The product of the matrices up to a
    token is found by doubling (Hillis & Steele 1986): those of 1, 2, 4, ... neighbours, kept within range by
    dividing each matrix by its largest value, which cancels out.
    """

    def _forward(self, likelihood: Tensor, start: Tensor) -> tuple[Tensor, Tensor]:
        first = start * likelihood[:, 0]
        # The first token is a matrix of equal rows, so any row of a prefix is the state after it.
        steps = self.step * likelihood.unsqueeze(2)
        steps = torch.cat([first[:, None, None, :].expand_as(steps[:, :1]), steps[:, 1:]], dim=1)
        forward = _prefixes(_normal(steps))[:, :, 0]
        forward = forward / forward.sum(2, keepdim=True)
        before = torch.cat([start.expand_as(first).unsqueeze(1), forward[:, :-1] @ self.step], dim=1)
        return forward, (before * likelihood).sum(2, keepdim=True)

    def backward(self) -> Tensor:
        """[batch, size, labels], scaled so that forward times backward sums to one at every token."""
        size = self.scaled.size(1)
        final = self.end / self.last.unsqueeze(1)
        # What a token's state is multiplied by to come to the next one's; past the end nothing changes.
        steps = self.step * self.scaled.unsqueeze(2)
        inside = _mask(self.lengths, size)[:, :, None, None]
        steps = torch.where(inside, steps, torch.eye(len(self.end), dtype=steps.dtype, device=steps.device))
        # From the end: a matrix of equal columns, then the transposed steps, last first.
        ends = final[:, None, None, :].expand_as(steps[:, :1])
        chain = torch.cat([ends, steps[:, 1:].flip(1).transpose(2, 3)], dim=1)
        states = _prefixes(_normal(chain))[:, :, 0].flip(1)
        return states / (self.forward * states).sum(2, keepdim=True)


def _prefixes(matrices: Tensor) -> Tensor:
    """The products of the first 1, 2, 3, ... matrices [batch, size, n, n], each up to a factor."""
    reach = 1
    while reach < matrices.size(1):
        joined = _normal(matrices[:, :-reach] @ matrices[:, reach:])
        matrices = torch.cat([matrices[:, :reach], joined], dim=1)
        reach *= 2
    return matrices


def _normal(matrices: Tensor) -> Tensor:
    return matrices / matrices.amax((2, 3), keepdim=True)


def _mask(lengths: Tensor, size: int) -> Tensor:
    return torch.arange(size, device=lengths.device) < lengths.unsqueeze(1)


def _penalty(allowed: Tensor | None, shape: tuple[int, ...]) -> Tensor:
    if allowed is None:
        return torch.zeros(shape)
    return torch.where(allowed, 0.0, FORBIDDEN)
