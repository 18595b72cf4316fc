"""What a sentence holds that a format has no place for."""

from __future__ import annotations

from collections.abc import Collection

from biaffinity.annotation import Sentence
from biaffinity.formats.report import Report


def note_losses(sentence: Sentence, report: Report, where: str, *, kept: Collection[str] = ()) -> None:
    """Report the id, document, text, scores and judgement of a sentence, except for those ``kept``.

    >>> report = Report()
    >>> note_losses(Sentence(["a"], id="7", document="x"), report, "sentence 7", kept={"id"})
    >>> print(report)
    1 x document not carried over (e.g. sentence 7)
    """
    held = {
        "id": bool(sentence.id),
        "document": sentence.document is not None,
        "text": sentence.text is not None,
        "scores": any(e.score is not None for e in sentence.entities)
        or any(r.score is not None for r in sentence.relations),
        "what was judged": sentence.judged is not None,
    }
    for part, is_held in held.items():
        if is_held and part not in kept:
            report.note(f"{part} not carried over", where)
