"""The terms that the score of a pair of entities is the sum of: a file each, named as its switch.

A new term is a new file here with a class ``Term``, and a switch of its name in ``[model]``.
"""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass
from importlib import import_module

from torch import Tensor, nn

from biaffinity.config.settings import ModelConfig


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs of entities, and what is known of them.

    ``states`` [batch, size, width] of all tokens; ``heads``, ``tails`` [entities, projection] the entities
    projected as the one and the other argument; ``sentence``, ``start``, ``end`` [entities] where they
    stand; ``head``, ``tail`` [pairs] the entities of each pair.
    """

    states: Tensor
    heads: Tensor
    tails: Tensor
    sentence: Tensor
    start: Tensor
    end: Tensor
    head: Tensor
    tail: Tensor


def chosen_terms(config: ModelConfig, width: int, classes: int) -> nn.ModuleDict:
    """The terms that a config switches on; ``width`` is that of the states.

    Each is made as ``Term(config, width, classes)`` and gives for `Candidates` a score [pairs, classes].
    """
    names = [module.name for module in pkgutil.iter_modules(__path__) if getattr(config, module.name)]
    return nn.ModuleDict(
        {name: import_module(f"{__name__}.{name}").Term(config, width, classes) for name in names}
    )
