"""Adam with the recipe's schedule and clipping; all of it can be saved."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from biaffinity.config.settings import TrainingConfig


class Optimiser:
    """One update at a time (Adam, Kingma & Ba 2015)."""

    def __init__(self, model: nn.Module, config: TrainingConfig, total_steps: int) -> None:
        self.config = config
        self.total_steps = total_steps
        self.steps = 0
        self.parameters = {name: p for name, p in model.named_parameters() if p.requires_grad}
        for parameter in self.parameters.values():
            # Adam passes over a parameter that has no gradient yet. Then a resumed run, where none has
            # come yet, would part from one that was never stopped.
            parameter.grad = torch.zeros_like(parameter)
        self.adam = torch.optim.Adam(self.parameters.values(), lr=config.learning_rate, fused=True)

    @property
    def learning_rate(self) -> float:
        """The rate of the next update."""
        if self.config.schedule == "constant":
            return self.config.learning_rate
        return self.config.learning_rate * (1 - self.steps / self.total_steps)

    def step(self, loss: Tensor) -> None:
        """One update down the gradient of ``loss``."""
        self.adam.zero_grad(set_to_none=False)
        loss.backward()  # type: ignore[no-untyped-call]
        if self.config.clip:
            nn.utils.clip_grad_norm_(self.parameters.values(), self.config.clip)
        self.adam.param_groups[0]["lr"] = self.learning_rate
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
