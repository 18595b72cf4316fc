"""The reference of recipes and settings, from the recipes and the settings' own comments."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from biaffinity.config.catalogue import Setting, settings
from biaffinity.config.recipes import about, read_recipe, recipes
from biaffinity.config.settings import Config

_HEAD = """# Recipes and settings

A recipe is a TOML file of the settings below; what it does not name has its default. `biaffinity recipes` \
lists those of the package, `biaffinity recipes show NAME` shows all settings of one, \
`biaffinity train NAME --set training.epochs=50` changes one value, and `biaffinity train mine.toml` takes \
a file of your own.
"""


def recipes_page() -> str:
    """The page, as Markdown."""
    return "\n".join((_HEAD, "## Recipes", *_recipes(), "## Settings", *_settings()))


def _recipes() -> Iterator[str]:
    for name, path in recipes().items():
        yield f"\n### {name}\n\n{_escaped(about(path))}\n"
        yield "| setting | value | default |\n|---|---|---|"
        for setting in settings(read_recipe(name)):
            if setting.changed:
                yield f"| {_whole(setting.key)} | `{setting.value}` | `{setting.default}` |"
    yield ""


def _settings() -> Iterator[str]:
    """A table per section, and per encoder that a recipe has."""
    sections: dict[str, dict[str, Setting]] = {}
    for config in (Config(), *map(read_recipe, recipes())):
        for setting in settings(config):
            section = setting.key.partition(".")[0]
            title = f"[{section}]" + (f" of type {config.encoder.type}" if section == "encoder" else "")
            sections.setdefault(title, {})[setting.key] = setting
    for title, own in sections.items():
        yield f"\n### {title}\n\n| setting | default | meaning |\n|---|---|---|"
        for setting in own.values():
            choices = ", ".join(f"`{choice}`" for choice in setting.choices)
            meaning = _escaped(setting.meaning) + (f" One of {choices}." if choices else "")
            yield f"| {_whole(setting.key)} | {_whole(setting.default)} | {meaning} |"


def _whole(code: str) -> str:
    """Code that does not break, as the theme would let it in a narrow column."""
    return f'<code style="white-space:nowrap">{escape(code)}</code>'


def _escaped(words: str) -> str:
    return words.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")
