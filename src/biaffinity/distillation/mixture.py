"""The training data of a student: gold sentences several times over, and those that teachers labelled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from biaffinity.annotation import Sentence
from biaffinity.corpus.repeats import text_fingerprint
from biaffinity.distillation.events import Mixed
from biaffinity.files import writing
from biaffinity.formats.jsonl import as_line


def write_mixture(
    path: Path,
    gold: Sequence[Sentence],
    labelled: Iterable[Sentence],
    *,
    times: int,
    held_out: Iterable[Sentence],
) -> Mixed:
    """Write all of it; labelled sentences that stand in gold or are ``held_out`` (dev, test) are left out.

    For gold has better labels, and scores on sentences that were learnt from say nothing. Labels are plain:
    scores stay in the folder of labels.
    """
    known = {text_fingerprint(sentence) for part in (gold, held_out) for sentence in part}
    used = left_out = 0
    with writing(path) as file:
        lines = [as_line(plain(sentence)) for sentence in gold]
        for _ in range(times):
            file.writelines(lines)
        for sentence in labelled:
            if text_fingerprint(sentence) in known:
                left_out += 1
            else:
                used += 1
                file.write(as_line(plain(sentence)))
    return Mixed(len(gold), times, used, left_out)


def plain(sentence: Sentence) -> Sentence:
    """Tokens and labels: all that training reads, and half the memory."""
    return replace(
        sentence,
        text=None,
        token_spans=None,
        entities=[replace(entity, score=None) for entity in sentence.entities],
        relations=[replace(relation, score=None) for relation in sentence.relations],
    )
