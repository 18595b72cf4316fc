"""Wikidata's ids of relations, where the model that found them says what they are."""

from __future__ import annotations

from biaffinity.config.about import read_about
from biaffinity.extraction.loading import embedded_models
from biaffinity.store import Database


def property_ids(database: Database) -> dict[str, str]:
    """By the relation's name, such as P108; of the models of this package that filled a store.

    A model signs with its name, and what tells it from others, behind it.
    """
    ids: dict[str, str] = {}
    models = embedded_models()
    for (signature,) in database.select("SELECT name FROM models ORDER BY id"):
        folder = models.get(signature.split(" ")[0])
        if folder is not None:
            relations = read_about(folder).relation_types
            ids |= {name: meaning.id for name, meaning in relations.items() if meaning.id}
    return ids
