"""``biaffinity recipes``: what there is to train by, and every setting of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from biaffinity.cli.app import app
from biaffinity.cli.console import print_tables

if TYPE_CHECKING:
    from biaffinity.config.catalogue import Setting

recipes_app = typer.Typer(help="The recipes to train by, and all their settings.", rich_markup_mode="rich")
app.add_typer(recipes_app, name="recipes")


@recipes_app.callback(invoke_without_command=True)
def recipes(context: typer.Context) -> None:
    """List the recipes that come with the package.

    Example: [bold]biaffinity recipes[/bold]
    """
    if context.invoked_subcommand is not None:
        return
    from biaffinity.config.recipes import about
    from biaffinity.config.recipes import recipes as known

    table = _table("recipe", "")
    for name, path in known().items():
        table.add_row(name, Text(about(path).partition(". ")[0].rstrip(".")))
    print_tables([table], sys.stdout)


@recipes_app.command()
def show(
    recipe: Annotated[str, typer.Argument(help="A recipe by name, or a TOML file.", metavar="NAME")],
) -> None:
    """Show every setting of a recipe: its value, the default where it differs, and what it means.

    The keys are those of --set and of a recipe's file.

    Example: [bold]biaffinity recipes show default[/bold]
    """
    from biaffinity.config.catalogue import settings
    from biaffinity.config.recipes import about, read_recipe, recipe_path

    config = read_recipe(recipe)
    heading = Table.grid()
    heading.add_row(Text(about(recipe_path(recipe))))
    table = _table("setting", "value", "default", "meaning")
    for setting in settings(config):
        table.add_row(*_row(setting), style="bold" if setting.changed else None)
    print_tables([heading, table], sys.stdout)


def _row(setting: Setting) -> tuple[Text, ...]:
    choices = f" One of {', '.join(setting.choices)}." if setting.choices else ""
    default = setting.default if setting.changed else ""
    return Text(setting.key), Text(setting.value), Text(default), Text(setting.meaning + choices, "not bold")


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table
