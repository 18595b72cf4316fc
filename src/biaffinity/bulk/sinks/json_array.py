"""JSON: one object, easy to read, or an array of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from biaffinity.bulk.sinks.format import Format
from biaffinity.bulk.sinks.json_lines import json_line


def json_array(*, tokens: bool = False) -> Format:
    """An object per document."""
    return Format("json", partial(json_line, tokens=tokens), pieces=_pieces, finish=_finish)


def _pieces(lines: Iterable[str], single: bool) -> Iterator[str]:
    """One object, easy to read, or an array with an object per line."""
    if single:
        for line in lines:
            yield json.dumps(json.loads(line), ensure_ascii=False, indent=2) + "\n"
        return
    separator = "[\n"
    for line in lines:
        yield separator + line.removesuffix("\n")
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


def _finish(records: Path, out: Path, single: bool) -> None:
    with (
        records.open(encoding="utf-8", newline="\n") as lines,
        out.open("w", encoding="utf-8", newline="\n") as file,
    ):
        file.writelines(_pieces(lines, single))
