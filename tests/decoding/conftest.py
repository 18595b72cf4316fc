"""Tiny trained networks, run by PyTorch; each is made once per session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from biaffinity.annotation import Sentence
    from biaffinity.model.joint import JointModel
    from biaffinity.model.network import TorchNetwork


@pytest.fixture(scope="session")
def network(trained: JointModel) -> TorchNetwork:
    """A network that knows the sample by heart."""
    from biaffinity.model.network import TorchNetwork

    return TorchNetwork(trained)


@pytest.fixture(scope="session")
def network_within(news: list[Sentence]) -> TorchNetwork:
    """A network that knows the sample by heart, entity boundaries given (setup 2)."""
    from biaffinity.model.network import TorchNetwork
    from model.tiny import fit, tiny_model

    model = tiny_model(news, boundaries="given", constrained=True, dropout=0.1)
    fit(model, news, 80)
    return TorchNetwork(model)
