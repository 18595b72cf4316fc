"""AdamW with the recipe's schedule and clipping; all of it can be saved."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from biaffinity.config.settings import TrainingConfig


class Optimiser:
    """One update at a time (Adam, Kingma & Ba 2015; weight decay apart from it, Loshchilov & Hutter 2019).

    Weights that were learnt elsewhere (``pretrained``) have a learning rate of their own.
    """

    def __init__(
        self,
        model: nn.Module,
        config: TrainingConfig,
        total_steps: int,
        pretrained: Iterable[nn.Parameter] = (),
    ) -> None:
        self.config = config
        self.total_steps = total_steps
        self.steps = 0
        self.parameters = {name: p for name, p in model.named_parameters() if p.requires_grad}
        self._on_gpu = any(parameter.is_cuda for parameter in self.parameters.values())
        elsewhere = {id(parameter) for parameter in pretrained}
        groups: dict[tuple[float, float], list[nn.Parameter]] = {}
        for parameter in self.parameters.values():
            rate = config.pretrained_learning_rate if id(parameter) in elsewhere else config.learning_rate
            decay = config.weight_decay if parameter.dim() > 1 else 0.0
            groups.setdefault((rate, decay), []).append(parameter)
        self.adam = torch.optim.AdamW(
            [
                {"params": members, "lr": rate, "weight_decay": decay, "peak": rate}
                for (rate, decay), members in groups.items()
            ],
            fused=True,
        )

    @property
    def learning_rate(self) -> float:
        """The rate of the next update, of weights that were learnt here."""
        return self.config.learning_rate * self._pace

    @property
    def _pace(self) -> float:
        """The share of its highest learning rate that the next update has."""
        warming = self.config.warmup * self.total_steps
        if self.steps < warming:
            return (self.steps + 1) / (warming + 1)
        if self.config.schedule == "constant":
            return 1.0
        return 1 - (self.steps - warming) / (self.total_steps - warming)

    def step(self, losses: Iterable[Tensor]) -> None:
        """One update down the gradient of all losses; each is let go before the next is asked for."""
        # On a GPU gradients stay where they are: recorded passes (`encoders.transformer.replay`) count on it.
        self.adam.zero_grad(set_to_none=not self._on_gpu)
        for loss in losses:
            loss.backward()  # type: ignore[no-untyped-call]
        for parameter in self.parameters.values():
            if parameter.grad is None:
                # Adam passes over a parameter that never had a gradient. Then a resumed run, where none has
                # come yet, would part from one that was never stopped.
                parameter.grad = torch.zeros_like(parameter)
        if self.config.clip:
            nn.utils.clip_grad_norm_(self.parameters.values(), self.config.clip)
        for group in self.adam.param_groups:
            group["lr"] = group["peak"] * self._pace
        self.adam.step()
        self.steps += 1

    def state(self) -> dict[str, Tensor]:
        """Everything needed to go on exactly, as tensors by name."""
        tensors = {"optimiser.steps": torch.tensor(self.steps)}
        for name, parameter in self.parameters.items():
            for key, value in self.adam.state[parameter].items():
                tensors[f"adam.{key}.{name}"] = value
        return tensors

    def load_state(self, tensors: dict[str, Tensor]) -> None:
        """The inverse of `state`."""
        self.steps = int(tensors["optimiser.steps"])
        for name, parameter in self.parameters.items():
            self.adam.state[parameter] = {
                key: tensors[f"adam.{key}.{name}"].to(parameter.device)
                for key in ("step", "exp_avg", "exp_avg_sq")
            }
