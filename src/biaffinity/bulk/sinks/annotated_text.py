"""Formats of annotated text, brat's folder among them, signed by the model."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from biaffinity import formats
from biaffinity.annotation import Document, Sentence
from biaffinity.bulk.sinks.format import Format
from biaffinity.bulk.sinks.json_lines import json_line


def annotated_text(name: str, by: formats.Machine | None = None) -> Format:
    """A format of `biaffinity.formats`; what annotation tools are given is signed ``by`` the model."""
    report = formats.Report()
    finish = partial(_finish, name, by, report)
    render = partial(json_line, tokens=True)
    return Format(name, render, finish=finish, is_folder=name == formats.brat.NAME, report=report)


def _finish(
    name: str, by: formats.Machine | None, report: formats.Report, records: Path, out: Path, single: bool
) -> None:
    """The documents in a format of annotated text."""
    shared = ""
    if name == formats.brat.NAME:  # its folder takes the place of the one that the texts lie in
        with records.open(encoding="utf-8", newline="\n") as lines:
            shared = _shared_folder(json.loads(line)["id"] for line in lines)
    with records.open(encoding="utf-8", newline="\n") as lines:
        sentences = _sentences(map(Document.from_json, lines), shared, report)
        formats.write(out, sentences, name, report, by=by)


def _sentences(documents: Iterable[Document], shared: str, report: formats.Report) -> Iterator[Sentence]:
    """The sentences of documents, each named after its own, whose name is no other's."""
    taken: Counter[str] = Counter()
    for document in documents:
        own = name = document.id.removeprefix(shared)
        while name in taken:
            taken[own] += 1
            name = f"{own}-{taken[own]}"
        taken[name] += 1
        if not document.sentences:
            report.note("empty document left out", name)
        for number, sentence in enumerate(document.sentences):
            id_ = name if len(document.sentences) == 1 else f"{name}:{number}"
            yield replace(sentence, id=id_, document=name)


def _shared_folder(ids: Iterable[str]) -> str:
    """The folder that all files lie in, if documents are called by their files, with its last slash."""
    folders = {os.path.split(name)[0] if name.endswith(".txt") else "" for name in ids}
    if not folders or "" in folders or len(set(map(os.path.isabs, folders))) > 1:
        return ""
    common = os.path.commonpath(folders)
    return common.rstrip(os.sep) + os.sep if common else ""
