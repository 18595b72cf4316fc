"""``biaffinity push``: a model to the Hugging Face Hub."""

from __future__ import annotations

from typing import Annotated

import typer

from biaffinity.cli.app import app
from biaffinity.cli.console import tell
from biaffinity.cli.options import ModelFolder


@app.command()
def push(
    name: Annotated[str, typer.Argument(help="Its name on the hub, owner/name.", metavar="NAME")],
    model: ModelFolder,
    private: Annotated[bool, typer.Option("--private", help="For you alone to see.")] = False,
) -> None:
    """Send a model to the Hugging Face Hub, where --model finds it by name.

    Weights, vocabulary, config and card go in one commit; nothing else in the folder does. Log in
    to the hub first, or set HF_TOKEN.

    Example: [bold]biaffinity push mara/harbour --model model/[/bold]
    """
    from biaffinity.hub import push_to_hub

    tell(f"{model} is now at {push_to_hub(model, name, private=private)}")
