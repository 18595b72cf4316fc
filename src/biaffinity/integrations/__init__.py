"""Biaffinity inside other programs."""
