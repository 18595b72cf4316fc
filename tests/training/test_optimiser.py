from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch import nn

from biaffinity.config.settings import TrainingConfig
from biaffinity.training.optimiser import Optimiser


def network() -> nn.Linear:
    layer = nn.Linear(3, 2, bias=False)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[0.5, -1.0, 2.0], [1.0, 0.0, -0.5]]))
    return layer


def losses(layer: nn.Linear, steps: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(7)
    inputs = torch.randn(steps, 4, 3, generator=generator)
    return [layer(row).square().sum() for row in inputs]


def trained(config: TrainingConfig, steps: int) -> tuple[nn.Linear, Optimiser, list[torch.Tensor]]:
    """A network after some updates, its optimiser, and the weights after each update."""
    layer = network()
    optimiser = Optimiser(layer, config, total_steps=steps)
    path = []
    for number in range(steps):
        optimiser.step([losses(layer, steps)[number]])
        path.append(layer.weight.detach().clone())
    return layer, optimiser, path


def test_a_linear_schedule_falls_from_the_recipes_rate_to_zero() -> None:
    layer = network()
    optimiser = Optimiser(layer, TrainingConfig(learning_rate=0.1, schedule="linear"), total_steps=4)
    rates = []
    for loss_number in range(4):
        rates.append(optimiser.learning_rate)
        optimiser.step([losses(layer, 4)[loss_number]])
        assert optimiser.adam.param_groups[0]["lr"] == rates[-1]
    assert rates == pytest.approx([0.1, 0.075, 0.05, 0.025])
    assert optimiser.learning_rate == 0


def test_a_constant_schedule_stays() -> None:
    _, optimiser, _ = trained(TrainingConfig(learning_rate=0.1), 3)
    assert optimiser.learning_rate == 0.1


def test_an_update_is_adams() -> None:
    _, _, path = trained(TrainingConfig(learning_rate=0.1), 5)
    layer = network()
    mean, square = torch.zeros(2, 3), torch.zeros(2, 3)
    for number in range(1, 6):
        (gradient,) = torch.autograd.grad(losses(layer, 5)[number - 1], layer.weight)
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        step = (mean / (1 - 0.9**number)) / ((square / (1 - 0.999**number)).sqrt() + 1e-8)
        with torch.no_grad():
            layer.weight -= 0.1 * step
        torch.testing.assert_close(layer.weight.detach(), path[number - 1])


def test_clipping_scales_the_gradient_to_the_largest_norm() -> None:
    layer = network()
    optimiser = Optimiser(layer, TrainingConfig(clip=0.5), total_steps=1)
    loss = losses(layer, 1)[0]
    (whole,) = torch.autograd.grad(loss, [layer.weight], retain_graph=True)
    assert whole.norm() > 0.5
    optimiser.step([loss])
    torch.testing.assert_close(layer.weight.grad, whole * 0.5 / whole.norm(), atol=1e-5, rtol=1e-4)


def test_without_clipping_the_gradient_is_left_as_it_is() -> None:
    layer = network()
    optimiser = Optimiser(layer, TrainingConfig(clip=0.0), total_steps=1)
    loss = losses(layer, 1)[0]
    (whole,) = torch.autograd.grad(loss, [layer.weight], retain_graph=True)
    optimiser.step([loss])
    assert torch.equal(layer.weight.grad, whole)


def test_a_state_put_into_a_new_optimiser_goes_on_exactly() -> None:
    config = TrainingConfig(learning_rate=0.1, schedule="linear")
    layer, whole, _ = trained(config, 6)
    other = network()
    first = Optimiser(other, config, total_steps=6)
    for number in range(3):
        first.step([losses(other, 6)[number]])
    saved = {name: tensor.clone() for name, tensor in first.state().items()}
    second = Optimiser(other, config, total_steps=6)
    second.load_state(saved)
    for number in range(3, 6):
        second.step([losses(other, 6)[number]])
    assert torch.equal(layer.weight, other.weight)
    assert second.learning_rate == whole.learning_rate


class Branches(nn.Module):
    """Two parts, each with a loss of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.left = network()
        self.right = network()


@pytest.mark.parametrize("touched_before", [True, False])
def test_a_part_that_the_loss_does_not_touch_goes_on_exactly_too(touched_before: bool) -> None:
    config = TrainingConfig(learning_rate=0.1)

    def first_update(model: Branches, optimiser: Optimiser) -> None:
        loss = losses(model.left, 2)[0]
        optimiser.step([loss + losses(model.right, 2)[0] if touched_before else loss])

    whole, model = Branches(), Branches()
    optimiser = Optimiser(whole, config, total_steps=2)
    first_update(whole, optimiser)
    optimiser.step([losses(whole.left, 2)[1]])
    optimiser = Optimiser(model, config, total_steps=2)
    first_update(model, optimiser)
    saved = {name: tensor.clone() for name, tensor in optimiser.state().items()}
    weights = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    model = Branches()
    model.load_state_dict(weights)
    optimiser = Optimiser(model, config, total_steps=2)
    optimiser.load_state(saved)
    optimiser.step([losses(model.left, 2)[1]])
    assert torch.equal(model.left.weight, whole.left.weight)
    assert torch.equal(model.right.weight, whole.right.weight)


# Two learning rates, their rise and fall, and weight decay


def test_the_rates_rise_from_zero_and_fall_to_it() -> None:
    config = TrainingConfig(learning_rate=0.1, schedule="linear", warmup=0.3)
    layer = network()
    optimiser = Optimiser(layer, config, total_steps=10)
    rates = []
    for number in range(10):
        rates.append(optimiser.learning_rate)
        optimiser.step([losses(layer, 10)[number]])
    rising = [0.1 * step / 4 for step in (1, 2, 3)]
    falling = [0.1 * step / 7 for step in (7, 6, 5, 4, 3, 2, 1)]
    assert rates == pytest.approx(rising + falling)
    assert optimiser.learning_rate == pytest.approx(0)


def test_a_constant_rate_stays_once_it_has_risen() -> None:
    config = TrainingConfig(learning_rate=0.1, warmup=0.5)
    layer = network()
    optimiser = Optimiser(layer, config, total_steps=4)
    rates = []
    for number in range(4):
        rates.append(optimiser.learning_rate)
        optimiser.step([losses(layer, 4)[number]])
    assert rates == pytest.approx([0.1 / 3, 0.2 / 3, 0.1, 0.1])


def test_weights_learnt_elsewhere_have_a_rate_of_their_own_and_the_same_pace() -> None:
    config = TrainingConfig(learning_rate=0.1, pretrained_learning_rate=0.001, schedule="linear", warmup=0.25)
    model = Branches()
    optimiser = Optimiser(model, config, total_steps=8, pretrained=model.right.parameters())
    for number in range(8):
        pace = optimiser.learning_rate / 0.1
        optimiser.step([losses(model.left, 8)[number] + losses(model.right, 8)[number]])
        rates = {
            name: group["lr"]
            for name in ("left", "right")
            for group in optimiser.adam.param_groups
            if getattr(model, name).weight in set(group["params"])
        }
        assert rates == pytest.approx({"left": 0.1 * pace, "right": 0.001 * pace})


def test_a_first_update_goes_as_far_as_the_rate_of_each_weight() -> None:
    config = TrainingConfig(learning_rate=0.1, pretrained_learning_rate=0.001)
    model, before = Branches(), Branches()
    optimiser = Optimiser(model, config, total_steps=8, pretrained=model.right.parameters())
    optimiser.step([losses(model.left, 8)[0] + losses(model.right, 8)[0]])
    for name, rate in (("left", 0.1), ("right", 0.001)):
        moved = (getattr(model, name).weight - getattr(before, name).weight).abs()
        torch.testing.assert_close(moved, torch.full_like(moved, rate), rtol=1e-3, atol=0)


def test_weight_decay_shrinks_weights_by_their_rate_and_spares_biases() -> None:
    config = TrainingConfig(learning_rate=0.1, pretrained_learning_rate=0.01, weight_decay=0.5)
    model = nn.ModuleList([nn.Linear(3, 2), nn.LayerNorm(2), nn.Linear(2, 2)])
    before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    optimiser = Optimiser(model, config, total_steps=2, pretrained=model[2].parameters())
    optimiser.step([sum(parameter.sum() * 0 for parameter in model.parameters())])
    factors = {"0.weight": 1 - 0.1 * 0.5, "2.weight": 1 - 0.01 * 0.5}
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(parameter.detach(), before[name] * factors.get(name, 1))


def test_a_state_of_several_groups_goes_on_exactly() -> None:
    config = TrainingConfig(
        learning_rate=0.1, pretrained_learning_rate=0.01, weight_decay=0.1, schedule="linear", warmup=0.2
    )

    def updates(model: Branches, optimiser: Optimiser, numbers: range) -> None:
        for number in numbers:
            optimiser.step([losses(model.left, 6)[number] + losses(model.right, 6)[number]])

    whole, model = Branches(), Branches()
    updates(whole, Optimiser(whole, config, 6, whole.right.parameters()), range(6))
    first = Optimiser(model, config, 6, model.right.parameters())
    updates(model, first, range(3))
    saved = {name: tensor.clone() for name, tensor in first.state().items()}
    second = Optimiser(model, config, 6, model.right.parameters())
    second.load_state(saved)
    updates(model, second, range(3, 6))
    assert torch.equal(model.left.weight, whole.left.weight)
    assert torch.equal(model.right.weight, whole.right.weight)


def test_the_losses_of_an_update_are_summed_and_each_is_learnt_from_before_the_next_is_asked_for() -> None:
    layer, other = network(), network()
    order: list[str] = []

    def one_by_one() -> Iterator[torch.Tensor]:
        for number in range(3):
            order.append(f"asked {number}, gradient {layer.weight.grad is not None}")
            yield losses(layer, 3)[number]

    config = TrainingConfig(learning_rate=0.1)
    Optimiser(layer, config, total_steps=1).step(one_by_one())
    Optimiser(other, config, total_steps=1).step([torch.stack(losses(other, 3)).sum()])
    assert order == ["asked 0, gradient False", "asked 1, gradient True", "asked 2, gradient True"]
    torch.testing.assert_close(layer.weight.grad, other.weight.grad)
    torch.testing.assert_close(layer.weight, other.weight)
