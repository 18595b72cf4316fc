"""``biaffinity serve``: the HTTP service and its page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biaffinity.cli.app import app
from biaffinity.cli.console import tell
from biaffinity.cli.options import Device
from biaffinity.errors import UsageError

_HELP = "\n\n".join(
    (
        "Serve models over HTTP, with a page to try them on.",
        "POST /v1/extract takes a text or a list of texts, POST /v1/extract/stream lines of JSON; "
        "/docs describes them all. Requests that arrive together are read together.",
        "A request may name its model (GET /v1/models lists them), the page has a selector; where none is "
        "named, the first one reads.",
        "Example: [bold]biaffinity serve --model general --model my-model/[/bold]",
        "It listens on this machine alone unless --host says otherwise; then name a key file too. "
        "A stopped service finishes what it has accepted. Logs go to stderr, without texts: plain on a "
        "terminal, JSON lines elsewhere.",
        "Example: [bold]biaffinity serve --port 8080 --workers 2[/bold]",
        "With --store it answers questions about facts too, at /v1/facts, with a page at /facts.",
        "Example: [bold]biaffinity serve --store facts.db[/bold]",
        "Example: [bold]biaffinity serve --host 0.0.0.0 --api-key-file keys.txt[/bold]",
    )
)


@app.command(help=_HELP)
def serve(
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="MODEL",
            help="A model folder, a model of the package, or owner/name on the hub; repeatable.",
            show_default="all of the package, news first",
        ),
    ] = None,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="PORT", help="The port.", min=0, max=65535)] = 8000,
    workers: Annotated[
        int, typer.Option(metavar="N", help="Processes side by side, one per core at most.", min=1)
    ] = 1,
    device: Device = "cpu",
    api_key_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keys, one per line, that open it.", show_default="open to all"),
    ] = None,
    sink: Annotated[
        str | None,
        typer.Option(
            metavar="STORE",
            help="Keep what is extracted: facts.db, or postgresql://...",
            show_default="nothing is kept",
        ),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            metavar="STORE",
            help="Answer questions about the facts of a store, with a page: facts.db, or postgresql://...",
            show_default="none",
        ),
    ] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Open its page in a browser.")] = False,
    max_chars: Annotated[
        int, typer.Option(metavar="N", help="Characters of a request's texts together.", min=1)
    ] = 100_000,
    max_requests: Annotated[
        int,
        typer.Option(metavar="N", help="Requests that a worker has in hand; others are told 429.", min=1),
    ] = 512,
    max_streams: Annotated[
        int, typer.Option(metavar="N", help="Of these, streams; half as many from one address.", min=1)
    ] = 128,
    max_connections: Annotated[
        int, typer.Option(metavar="N", help="Connections that a worker has open.", min=1)
    ] = 1024,
    max_connections_per_address: Annotated[
        int, typer.Option(metavar="N", help="Of these, from one address; behind a proxy all.", min=1)
    ] = 256,
    allowed_hosts: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Names that clients may call it by, with commas between; * for any.",
            show_default="this machine's own, and --host",
        ),
    ] = "",
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", help="Seconds that a request may take.", min=0.1)
    ] = 30.0,
    grace: Annotated[
        float, typer.Option(metavar="S", help="Seconds to finish in when it is told to stop.", min=0.1)
    ] = 30.0,
    max_entities: Annotated[
        int, typer.Option(metavar="N", help="Entities of one sentence, given or found.", min=1)
    ] = 150,
    max_relations: Annotated[int, typer.Option(metavar="N", help="Relations of one text.", min=1)] = 5_000,
    max_arcs: Annotated[
        int, typer.Option(metavar="N", help="Relations of a text that is drawn.", min=1)
    ] = 1_000,
) -> None:
    """Serve models over HTTP."""
    from biaffinity.serve import Settings, run
    from biaffinity.serve.opening import open_page
    from biaffinity.serve.server import is_loopback
    from biaffinity.store import is_store

    for name in (sink, store):
        if name is not None and not is_store(name):
            raise UsageError(
                "is no name of a store", where=name, remedy="such as facts.db, or postgresql://HOST/DATABASE"
            )
    settings = Settings(
        models=tuple(models or ()),
        host=host,
        port=port,
        workers=workers,
        device=device,
        api_key_file=api_key_file,
        sink=sink,
        store=store,
        max_chars=max_chars,
        max_requests=max_requests,
        max_streams=max_streams,
        max_connections=max_connections,
        max_connections_per_address=max_connections_per_address,
        allowed_hosts=tuple(name for name in allowed_hosts.replace(",", " ").split()),
        timeout=timeout,
        grace=grace,
        max_entities=max_entities,
        max_relations=max_relations,
        max_arcs=max_arcs,
    )
    if api_key_file is None and not is_loopback(host):
        tell(f"note: whoever can reach {host} can use this service (--api-key-file asks for a key)")
    if open_it:
        open_page(settings)
    run(settings)
