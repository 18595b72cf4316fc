"""A linear-chain conditional random field over padded batches.

Source: Lafferty, McCallum & Pereira (2001); forward-backward and Viterbi as in Rabiner (1989).
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

    def transition_scores(self) -> Tensor:
        """[labels, labels], what is forbidden included."""
        return self.transitions + self._forbidden_pairs

    def _scores(self) -> tuple[Tensor, Tensor, Tensor]:
        return (
            self.transition_scores(),
            self.start + self._forbidden_start,
            self.end + self._forbidden_end,
        )

    def log_likelihood(self, emissions: Tensor, labels: Tensor, lengths: Tensor) -> Tensor:
        """Log probability of each labelling.

        Args:
            emissions: [batch, size, labels].
            labels: [batch, size]; padding may hold any label.
            lengths: [batch], each at least 1.

        Returns:
            [batch].
        """
        partition = self.log_partition(emissions, lengths)
        return self.path_score(emissions, labels, lengths) - partition

    def path_score(self, emissions: Tensor, labels: Tensor, lengths: Tensor) -> Tensor:
        """The unnormalised score of each labelling; shapes as in `log_likelihood`."""
        transitions, start, end = self._scores()
        mask = _mask(lengths, emissions.size(1))
        score = (emissions.gather(2, labels.unsqueeze(2)).squeeze(2) * mask).sum(1)
        steps = transitions[labels[:, :-1], labels[:, 1:]]
        last = labels.gather(1, lengths.unsqueeze(1) - 1).squeeze(1)
        return score + (steps * mask[:, 1:]).sum(1) + start[labels[:, 0]] + end[last]

    def log_partition(self, emissions: Tensor, lengths: Tensor) -> Tensor:
        """Log of the summed scores of all labellings, [batch]."""
        result: Tensor = _LogPartition.apply(emissions, *self._scores(), lengths)  # type: ignore[no-untyped-call]
        return result

    @torch.no_grad()
    def viterbi(self, emissions: Tensor, lengths: Tensor) -> Tensor:
        """The best labelling of each sequence, [batch, size]; padding holds label 0."""
        transitions, start, end = self._scores()
        steps = emissions.unbind(1)
        score = start + steps[0]
        pointers = []
        for position, emission in enumerate(steps[1:], start=1):
            best, pointer = (score.unsqueeze(2) + transitions).max(1)
            inside = (lengths > position).unsqueeze(1)
            score = torch.where(inside, best + emission, score)
            pointers.append(pointer)
        label = (score + end).argmax(1)
        path = [label]
        for position in range(len(pointers), 0, -1):
            # Until the walk back enters a sequence, its label is the one at its end.
            before = pointers[position - 1].gather(1, label.unsqueeze(1)).squeeze(1)
            label = torch.where(lengths > position, before, label)
            path.append(label)
        labels = torch.stack(path[::-1], dim=1)
        return labels * _mask(lengths, labels.size(1)).to(labels.dtype)

    @torch.no_grad()
    def forward_backward(self, emissions: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Forward scores and backward scores, [batch, size, labels] each, and log Z, [batch].

        ``forward[b, t, y]`` sums all prefixes that end with y at t, emission included;
        ``backward[b, t, y]`` all suffixes after it. Values at padding mean nothing.
        """
        transitions, start, end = self._scores()
        forward = _forward(emissions, transitions, start)
        backward = _backward(emissions, transitions, end, lengths)
        rows = torch.arange(len(lengths), device=lengths.device)
        return forward, backward, (forward[rows, lengths - 1] + end).logsumexp(1)

    def marginals(self, emissions: Tensor, lengths: Tensor) -> Tensor:
        """The probability of each label at each position, [batch, size, labels]; zero at padding."""
        forward, backward, partition = self.forward_backward(emissions, lengths)
        outside = ~_mask(lengths, emissions.size(1)).unsqueeze(2)
        return (forward + backward - partition[:, None, None]).masked_fill(outside, -torch.inf).exp()


class _LogPartition(torch.autograd.Function):
    """Log Z with its gradient in closed form (label and pair marginals).

    Autograd would tape every step of the recursion; the marginals cost one more recursion and
    two vectorised sums, about half the time.
    """

    @staticmethod
    def forward(
        ctx: Any, emissions: Tensor, transitions: Tensor, start: Tensor, end: Tensor, lengths: Tensor
    ) -> Tensor:
        forward = _forward(emissions, transitions, start)
        rows = torch.arange(len(lengths), device=lengths.device)
        partition = (forward[rows, lengths - 1] + end).logsumexp(1)
        ctx.save_for_backward(emissions, transitions, start, end, lengths, forward, partition)
        return partition

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, None]:
        emissions, transitions, _, end, lengths, forward, partition = ctx.saved_tensors
        backward = _backward(emissions, transitions, end, lengths)
        outside = ~_mask(lengths, emissions.size(1)).unsqueeze(2)
        level = partition[:, None, None]
        # Padding is masked before the exponential: a value there may be too large for it.
        marginals = (forward + backward - level).masked_fill(outside, -torch.inf).exp()
        marginals = marginals * gradient[:, None, None]
        right = (emissions + backward - level).masked_fill(outside, -torch.inf)[:, 1:]
        pairs = (forward[:, :-1].unsqueeze(3) + (right.unsqueeze(2) + transitions)).exp()
        pairs = (pairs.sum(1) * gradient[:, None, None]).sum(0)
        rows = torch.arange(len(lengths), device=lengths.device)
        return marginals, pairs, marginals[:, 0].sum(0), marginals[rows, lengths - 1].sum(0), None


def _forward(emissions: Tensor, transitions: Tensor, start: Tensor) -> Tensor:
    """[batch, size, labels] forward scores; those at padding mean nothing."""
    steps = emissions.unbind(1)
    score = start + steps[0]
    scores = [score]
    for emission in steps[1:]:
        score = torch.logsumexp(score.unsqueeze(2) + transitions, 1) + emission
        scores.append(score)
    return torch.stack(scores, dim=1)


def _backward(emissions: Tensor, transitions: Tensor, end: Tensor, lengths: Tensor) -> Tensor:
    """[batch, size, labels] backward scores; beyond the end of a sequence they are those at its end."""
    steps = emissions.unbind(1)
    final = end.expand(len(lengths), -1)
    score = final
    scores = [score]
    for position in range(len(steps) - 1, 0, -1):
        score = torch.logsumexp(transitions + (steps[position] + score).unsqueeze(1), 2)
        score = torch.where((lengths > position).unsqueeze(1), score, final)
        scores.append(score)
    return torch.stack(scores[::-1], dim=1)


def _mask(lengths: Tensor, size: int) -> Tensor:
    return torch.arange(size, device=lengths.device) < lengths.unsqueeze(1)


def _penalty(allowed: Tensor | None, shape: tuple[int, ...]) -> Tensor:
    if allowed is None:
        return torch.zeros(shape)
    return torch.where(allowed, 0.0, FORBIDDEN)
