"""The error page: one HTML file with the scores, the confusions, and every sentence's mistakes.

It needs nothing but a browser: style and script are inside it, and its content policy lets nothing else
in. Sentences are plain HTML, so that they can be read even without the script, which only filters.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

from biaffinity.annotation import Sentence
from biaffinity.files import writing
from biaffinity.scoring import ScoreSheet
from biaffinity.scoring.mistakes import ENTITY_KINDS, RELATION_KINDS, Kind, Verdict, Verdicts, judge
from biaffinity.scoring.pairing import paired
from biaffinity.show.error_sentence import MEANINGS, SYMBOLS, family, sentence_article
from biaffinity.show.error_tables import confusion_table, percent, sheet_table, type_names
from biaffinity.show.markup import escaped
from biaffinity.show.palette import Palette
from biaffinity.show.style import STYLE
from biaffinity.version import __version__

_TASKS = (("entity", "Entities", ENTITY_KINDS), ("relation", "Relations", RELATION_KINDS))


def write_error_page(
    path: Path, gold: Sequence[Sentence], predicted: Sequence[Sentence], *, sheet: ScoreSheet, title: str
) -> None:
    """Write the error page of a prediction; ``sheet`` holds its scores, ``title`` says whose they are."""
    with writing(path) as file:
        for part in error_page(gold, predicted, sheet=sheet, title=title):
            file.write(part)


def error_page(
    gold: Sequence[Sentence], predicted: Sequence[Sentence], *, sheet: ScoreSheet, title: str
) -> Iterator[str]:
    """The page piece by piece."""
    verdicts = [judge(wanted, given) for wanted, given in paired(gold, predicted)]
    entities = [verdict for each in verdicts for verdict in each.entities]
    relations = [verdict for each in verdicts for verdict in each.relations]
    palette = Palette.of(type_names(entities), type_names(relations))
    script = _asset("error_page.js")
    yield _head(title, script)
    yield f"<header><h1>{escaped(title)}</h1>"
    yield from _summary(sheet, verdicts)
    yield "</header>\n"
    yield '<section class="tables" aria-label="Confusion of types">'
    for (task, name, _), judged in zip(_TASKS, (entities, relations), strict=True):
        yield f"<figure><figcaption>{name}: which type was taken for which</figcaption>"
        yield from confusion_table(task, judged)
        yield "</figure>\n"
    yield '</section><details class="scores"><summary>Score sheet: every average, every type</summary>'
    yield from sheet_table(sheet)
    yield '</details>\n<div class="columns"><aside aria-label="Filters">'
    yield from _filters(entities, relations)
    yield "</aside>\n<main>"
    yield '<p id="status" role="status"></p>\n'
    for number, (wanted, given, each) in enumerate(zip(gold, predicted, verdicts, strict=True), start=1):
        yield from sentence_article(number, wanted, given, each, palette)
    yield f"</main></div>\n<footer>Made by biaffinity {__version__}.</footer>\n"
    yield f"<script>{script}</script></body></html>\n"


def _head(title: str, script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escaped(title)}</title>\n<style>{STYLE}\n{_asset('error_page.css')}</style></head><body>\n"
    )


def _asset(name: str) -> str:
    return files("biaffinity.show").joinpath(name).read_text(encoding="utf-8")


def _summary(sheet: ScoreSheet, verdicts: Sequence[Verdicts]) -> Iterator[str]:
    clean = sum(each.correct for each in verdicts)
    yield '<dl class="summary">'
    for name, path in (("Entities", ("ner", "micro")), ("Relations", ("re", "strict", "micro"))):
        cell = sheet[path]
        yield (
            f"<div><dt>{name}, strict micro F1</dt><dd>{percent(cell.f1)}"
            f"<small>{cell.correct:,} of {cell.gold:,} found, {cell.predicted:,} predicted</small></dd></div>"
        )
    share = percent(clean / len(verdicts)) if verdicts else "0.0"
    yield (
        f"<div><dt>Sentences without a mistake</dt><dd>{share} %"
        f"<small>{clean:,} of {len(verdicts):,}</small></dd></div></dl>"
    )


def _filters(entities: Sequence[Verdict], relations: Sequence[Verdict]) -> Iterator[str]:
    yield (
        '<details open id="filters"><summary>Filters</summary><form>'
        '<label class="search">Search <input type="search" id="search" placeholder="a word or an id"'
        ' autocomplete="off"></label>'
        '<label class="only"><input type="checkbox" id="only" checked> only sentences with mistakes</label>'
    )
    for (task, name, kinds), judged in zip(_TASKS, (entities, relations), strict=True):
        counts = Counter(verdict.kind for verdict in judged)
        yield f"<fieldset><legend>{name}</legend><ul>"
        for kind in (*(kind for kind in kinds if kind is not Kind.CORRECT), Kind.CORRECT):
            yield (
                f'<li><button type="button" data-task="{task}" data-kind="{kind.value}" aria-pressed="false"'
                f' class="{family(kind)}" title="{MEANINGS[kind]}"><b aria-hidden="true">{SYMBOLS[kind]}</b>'
                f"<span>{kind.value}</span><output>{counts[kind]}</output></button></li>"
            )
        yield '</ul><ul class="labels">'
        mistakes = [verdict for verdict in judged if verdict.kind is not Kind.CORRECT]
        for label in type_names(judged):
            count = sum(label in verdict.types for verdict in mistakes)
            yield (
                f'<li><button type="button" data-task="{task}" data-label="{escaped(label)}"'
                f' aria-pressed="false"><span>{escaped(label)}</span><output>{count}</output></button></li>'
            )
        yield "</ul></fieldset>"
    yield (
        '<button type="reset" id="reset">Clear the filters</button>'
        '<p class="keys"><kbd>/</kbd> search <kbd>j</kbd> <kbd>k</kbd> next and last sentence'
        " <kbd>Esc</kbd> clear</p></form></details>"
        '<details class="meanings"><summary>What the kinds mean</summary><dl>'
    )
    for kind, meaning in MEANINGS.items():
        yield f"<dt>{SYMBOLS[kind]} {kind.value}</dt><dd>{meaning}</dd>"
    yield ("</dl></details><noscript><p>Filters need JavaScript; every sentence stands below.</p></noscript>")
