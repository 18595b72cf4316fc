"""Recipes: TOML files of settings; those that come with the package go by their names.

``--set model.dropout=0.5`` overrides one value.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from copy import deepcopy
from itertools import takewhile
from pathlib import Path
from typing import Any

from biaffinity.config.settings import Config, validate
from biaffinity.errors import UsageError
from biaffinity.files import read_text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def recipes() -> dict[str, Path]:
    """The recipes that come with the package, by name."""
    return {path.stem: path for path in sorted((Path(__file__).parent.parent / "recipes").glob("*.toml"))}


def recipe_path(recipe: Path | str) -> Path:
    """The file of a recipe, given by its path or by the name it has in the package.

    >>> recipe_path("paper").name
    'paper.toml'
    """
    path, known = Path(recipe), recipes()
    if str(recipe) in known:
        return known[str(recipe)]
    if not path.suffix and len(path.parts) == 1 and not path.exists():
        raise UsageError(f"no recipe has the name {recipe}", remedy=f"known: {', '.join(known)}; or a path")
    return path


def about(path: Path) -> str:
    """What a recipe says of itself: the comment at its beginning."""
    lines = takewhile(lambda line: line.startswith("#"), read_text(path).removeprefix("\ufeff").splitlines())
    return " ".join(line.lstrip("# ") for line in lines)


def read_recipe(recipe: Path | str, overrides: Iterable[str] = ()) -> Config:
    """A recipe, by path or name, with overrides of the form ``section.key=value`` laid over it."""
    path = recipe_path(recipe)
    try:
        values = tomllib.loads(read_text(path).removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"is not TOML: {error}", where=str(path), remedy="correct that line") from error
    written, given = deepcopy(values), list(overrides)
    for override in given:
        _lay_over(values, override)
    try:
        return validate(values, where=str(path))
    except UsageError:
        validate(written, where=str(path))  # the file is to blame only if it is wrong by itself
        return validate(values, where=" ".join(f"--set {override}" for override in given))


def _lay_over(values: dict[str, Any], override: str) -> None:
    name, equals, text = override.partition("=")
    section, dot, key = name.strip().partition(".")
    if not equals or not dot:
        raise UsageError(
            f"--set {override} is not of the form section.key=value",
            remedy="for example --set training.epochs=50",
        )
    try:
        value = tomllib.loads(f"value = {text.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        value = text.strip()  # a bare word is a string
    part = values.setdefault(section, {})
    if not isinstance(part, dict):
        raise UsageError(f"{section} is not a section", where=f"--set {override}")
    part[key] = value
