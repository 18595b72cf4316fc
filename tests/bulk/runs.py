"""Runs of `extract_into` with the stand-in for a model, whole and left half way."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

from biaffinity.bulk.run import Advanced, Event, extract_into
from biaffinity.bulk.sinks import sink_named
from biaffinity.bulk.sources import Inputs
from bulk import capitals


def names(count: int) -> list[str]:
    return [f"Bo{n} met Al{n} twice." for n in range(count)]


def write(name: str, texts: list[str]) -> str:
    Path(name).write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    return name


def run(name: str = "in.jsonl", out: str = "out.jsonl", **options: Any) -> list[Event]:
    load = options.pop("load", capitals.load)
    settings = options.pop("settings", {})
    return list(extract_into(sink_named(None, out), Inputs([name]), load, settings, **options))


def content(out: str) -> bytes | dict[str, bytes]:
    """What is in a file, or in every file of a folder."""
    path = Path(out)
    if not path.is_dir():
        return path.read_bytes()
    return {each.relative_to(path).as_posix(): each.read_bytes() for each in path.rglob("*.*")}


def interrupt(after: int, name: str = "in.jsonl", out: str = "out.jsonl", **options: Any) -> None:
    """Start a run and leave it when it has advanced so often."""
    events = extract_into(sink_named(None, out), Inputs([name]), capitals.load, {}, **options)
    advances = (event for event in events if isinstance(event, Advanced))
    for _ in itertools.islice(advances, after + 1):
        pass
    events.close()
