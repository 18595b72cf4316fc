"""A sentence on the error page: gold above prediction, and its mistakes in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from biaffinity.annotation import Sentence
from biaffinity.scoring.mistakes import Kind, Verdict, Verdicts
from biaffinity.show.drawing import svg
from biaffinity.show.marks import Mark, Marks
from biaffinity.show.markup import escaped, on_one_line
from biaffinity.show.palette import Palette

Side = Literal["gold", "predicted"]

#: Pixels a sentence is drawn across: leaves room for the mistakes beside it, and is not too small on a phone.
WIDTH = 600

#: What marks a kind, along with its colour.
SYMBOLS = {
    Kind.CORRECT: "✓",
    Kind.MISSING: "−",
    Kind.SPURIOUS: "+",
    Kind.WRONG_TYPE: "≠",
    Kind.WRONG_BOUNDARY: "⇥",
    Kind.WRONG_BOUNDARY_AND_TYPE: "⇥≠",
    Kind.WRONG_ARGUMENT: "◐",
    Kind.WRONG_DIRECTION: "⇄",
    Kind.WRONG_DIRECTION_AND_TYPE: "⇄≠",
    Kind.OTHER_ARGUMENT: "↷",
}
#: What the kinds mean, in a few words.
MEANINGS = {
    Kind.CORRECT: "boundaries, types and direction are right",
    Kind.MISSING: "in gold, not predicted",
    Kind.SPURIOUS: "predicted, not in gold",
    Kind.WRONG_TYPE: "the right place, another type",
    Kind.WRONG_BOUNDARY: "the right type, too long or too short",
    Kind.WRONG_BOUNDARY_AND_TYPE: "another type, too long or too short",
    Kind.WRONG_ARGUMENT: "an argument has a wrong boundary or type",
    Kind.WRONG_DIRECTION: "head and tail changed places",
    Kind.WRONG_DIRECTION_AND_TYPE: "another type, head and tail changed places",
    Kind.OTHER_ARGUMENT: "one argument is another entity",
}


def family(kind: Kind) -> str:
    """The kinds that share a colour: correct, missing, spurious, or wrong in some way."""
    return kind.value if kind in (Kind.CORRECT, Kind.MISSING, Kind.SPURIOUS) else "wrong"


def sentence_article(
    number: int, gold: Sentence, predicted: Sentence, verdicts: Verdicts, palette: Palette
) -> Iterator[str]:
    """A sentence as an article; where gold and prediction agree, one drawing stands for both."""
    text = " ".join(gold.tokens)
    name = f"<span>id {escaped(on_one_line(gold.id))}</span>" if gold.id else ""
    mistakes = sum(v.kind is not Kind.CORRECT for v in (*verdicts.entities, *verdicts.relations))
    told = "no mistake" if not mistakes else "1 mistake" if mistakes == 1 else f"{mistakes} mistakes"
    yield (
        f'<article id="s{number}" tabindex="-1" data-id="{escaped(gold.id)}"'
        f' data-text="{escaped(text.lower())}"'
        f"{'' if mistakes else ' data-clean'}>"
        f'<h2><a href="#s{number}">{number}</a>{name}<em>{told}</em></h2>'
        '<div class="sides"><div class="drawings">'
    )
    if verdicts.correct:
        yield _drawing("gold and predicted", predicted, verdicts, "predicted", palette)
    else:
        yield _drawing("gold", gold, verdicts, "gold", palette)
        yield _drawing("predicted", predicted, verdicts, "predicted", palette)
    yield '</div><ul class="verdicts">'
    for verdict in verdicts.entities:
        yield _line("entity", verdict, _entity(gold, verdict.gold), _entity(predicted, verdict.predicted))
    for verdict in verdicts.relations:
        yield _line(
            "relation", verdict, _relation(gold, verdict.gold), _relation(predicted, verdict.predicted)
        )
    yield "</ul></div></article>\n"


def _drawing(caption: str, sentence: Sentence, verdicts: Verdicts, side: Side, palette: Palette) -> str:
    marks = Marks(_marks(verdicts.entities, side), _marks(verdicts.relations, side))
    drawing = svg(sentence, width=WIDTH, style=False, marks=marks, palette=palette)
    return f'<figure data-side="{side}"><figcaption>{caption}</figcaption>{drawing}</figure>'


def _marks(verdicts: Sequence[Verdict], side: Side) -> dict[int, Mark]:
    """The mistakes among the items of one side, by their index there."""
    placed = ((verdict.gold if side == "gold" else verdict.predicted, verdict.kind) for verdict in verdicts)
    return {
        place: Mark(SYMBOLS[kind], family(kind))
        for place, kind in placed
        if place is not None and kind is not Kind.CORRECT
    }


def _line(task: str, verdict: Verdict, gold: str, predicted: str) -> str:
    """A verdict in words; the script reads the attributes."""
    wanted, given = verdict.types
    places = "".join(
        f' data-{name}="{place}"'
        for name, place in (("g", verdict.gold), ("p", verdict.predicted))
        if place is not None
    )
    kind = verdict.kind
    sides = [("predicted", predicted)] if kind is Kind.CORRECT else [("gold", gold), ("predicted", predicted)]
    told = "".join(f"<div><span>{side}</span> {item}</div>" for side, item in sides if item)
    return (
        f'<li class="{family(kind)}" data-task="{task}" data-kind="{kind.value}"'
        f' data-gold="{escaped(wanted or "")}" data-predicted="{escaped(given or "")}"{places}>'
        f'<b aria-hidden="true">{SYMBOLS[kind]}</b>'
        f"<strong>{kind.value}</strong>{told}</li>"
    )


def _entity(sentence: Sentence, index: int | None) -> str:
    if index is None:
        return ""
    entity = sentence.entities[index]
    return f"<q>{_text(sentence, index)}</q> {escaped(entity.type)}{_score(entity.score)}"


def _relation(sentence: Sentence, index: int | None) -> str:
    if index is None:
        return ""
    relation = sentence.relations[index]
    head, tail = _text(sentence, relation.head), _text(sentence, relation.tail)
    return f"<q>{head}</q> {escaped(relation.type)} <q>{tail}</q>{_score(relation.score)}"


def _text(sentence: Sentence, entity: int) -> str:
    return escaped(on_one_line(sentence.entity_text(entity)))


def _score(score: float | None) -> str:
    return "" if score is None else f" <small>{score:.2f}</small>"
