"""Encoders: sentences to arrays to token vectors. Each owns its whole life, in a folder of its own.

An encoder's package has ``settings`` (its section of a config), ``featuriser`` (tokens to arrays, numpy),
``encoder`` (arrays to token vectors, PyTorch; what it saves; how it is exported), and ``runtime`` (the same
without PyTorch) unless its exported graph does all of that. Nobody else knows what its arrays are.
"""

from __future__ import annotations

from biaffinity.encoders.recurrent.settings import RecurrentSettings

#: The section ``[encoder]`` of a config: one of these, by its ``type``.
EncoderSettings = RecurrentSettings
