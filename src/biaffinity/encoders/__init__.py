"""Encoders: sentences to arrays to token vectors. Each owns its whole life, in a folder of its own.

An encoder's package has ``settings`` (its section of a config), ``featuriser`` (tokens to arrays, numpy),
``encoder`` (arrays to token vectors, PyTorch; what it saves; how it is exported), and ``runtime`` (the same
without PyTorch). Nobody else knows what its arrays are.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator, Tag

from biaffinity.encoders.recurrent.settings import RecurrentSettings
from biaffinity.encoders.transformer.settings import TransformerSettings


def _type(section: Any) -> Any:
    """The type that a section names; the recurrent encoder where it names none."""
    return section.get("type", "recurrent") if isinstance(section, dict) else getattr(section, "type", None)


#: The settings of every encoder, by type.
ENCODERS = {"recurrent": RecurrentSettings, "transformer": TransformerSettings}
#: The section ``[encoder]`` of a config: one of these, by its ``type``.
EncoderSettings = Annotated[
    Annotated[RecurrentSettings, Tag("recurrent")] | Annotated[TransformerSettings, Tag("transformer")],
    Discriminator(_type),
]
