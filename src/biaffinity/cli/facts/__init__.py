"""``biaffinity facts``: what a store knows, one file per kind of command; each registers itself."""

from biaffinity.cli.facts import asking, changing, exporting

__all__ = ["asking", "changing", "exporting"]
