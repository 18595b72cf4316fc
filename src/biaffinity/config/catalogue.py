"""Every setting with its default and its meaning, which is the comment ``#:`` above it in the source."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args, get_origin

from biaffinity.config.settings import Config
from biaffinity.encoders.section import Section

_FIELD = re.compile(r"    (\w+)\s*:")
_COMMENT = re.compile(r"    #: (.*)")


@dataclass(frozen=True, slots=True)
class Setting:
    """A key of ``--set``: its values are written as in a recipe."""

    key: str
    value: str
    default: str
    meaning: str
    choices: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether the config differs from the default."""
        return self.value != self.default


def settings(config: Config) -> Iterator[Setting]:
    """All settings of a config, section by section."""
    for name in Config.model_fields:
        section: Section = getattr(config, name)
        told = meanings(type(section))
        for key, field in type(section).model_fields.items():
            choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
            yield Setting(
                key=f"{name}.{key}",
                value=_written(getattr(section, key)),
                default=_written(field.default) if not field.is_required() else "",
                meaning=told.get(key, ""),
                choices=tuple(map(_written, choices)) if len(choices) > 1 else (),
            )


@cache
def meanings(section: type[Section]) -> dict[str, str]:
    """What is said of each setting of a section.

    >>> from biaffinity.config.settings import TrainingConfig
    >>> meanings(TrainingConfig)["clip"]
    'Largest gradient norm; 0 leaves gradients as they are.'
    """
    found: dict[str, str] = {}
    for part in reversed(section.__mro__):
        if not (issubclass(part, Section) and part is not Section):
            continue
        comment: list[str] = []
        for line in inspect.getsource(part).splitlines():
            if said := _COMMENT.fullmatch(line):
                comment.append(said[1])
                continue
            if comment and (field := _FIELD.match(line)):
                found[field[1]] = " ".join(comment)
            comment = []
    return found


def _written(value: Any) -> str:
    """A value as TOML has it.

    >>> _written("lower"), _written(True), _written(2e-3)
    ('"lower"', 'true', '0.002')
    """
    return json.dumps(value, ensure_ascii=False)
