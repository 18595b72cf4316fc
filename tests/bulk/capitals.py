"""A stand-in for a model: capitalised words are names, and each name is next to the one after it."""

from __future__ import annotations

import os
import signal
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from biaffinity.annotation import Document, Entity, Relation, Sentence
from biaffinity.errors import BiaffinityWarning, DataError
from biaffinity.text import read_document


class Capitals:
    """Some words do more: Boom fails, Die kills the process, Slow takes time, Warn and Deprecated warn."""

    def __init__(self, least: float = 0.0) -> None:
        self.least = least

    def stream(self, texts: Iterable[tuple[str, str]]) -> Iterator[tuple[Document, str]]:
        for text, name in texts:
            yield self._read(text, name), name

    def _read(self, text: str, name: str) -> Document:
        if "Boom" in text:
            raise ZeroDivisionError("boom")
        if "Die" in text:
            os.kill(os.getpid(), signal.SIGKILL)
        if "Slow" in text:
            time.sleep(0.01)
        if "Deprecated" in text:
            warnings.warn("old", DeprecationWarning, stacklevel=2)
        if "Warn" in text:
            warnings.warn(f"document {name}: beware", BiaffinityWarning, stacklevel=2)
        document = read_document(text, id=name)
        return replace(document, sentences=[self._annotated(s) for s in document.sentences])

    def _annotated(self, sentence: Sentence) -> Sentence:
        entities = [
            Entity(index, index + 1, "Name", score=1 / len(token))
            for index, token in enumerate(sentence.tokens)
            if token[0].isupper() and 1 / len(token) >= self.least
        ]
        relations = [Relation("Next", index, index + 1, score=0.5) for index in range(len(entities) - 1)]
        return sentence.annotated(entities, relations)


class Hardy(Capitals):
    """Has memory enough for Boom, as for any other name; here, where worker processes find it too."""

    def _read(self, text: str, name: str) -> Document:
        return super()._read(text.replace("Boom", "Boon"), name)


def load(
    model: str | None = None,
    *,
    device: str = "cpu",
    threads: int = 1,
    min_score: Mapping[str, float] | None = None,
) -> Capitals:
    """What stands in for ``biaffinity.load``."""
    if str(model) == "none":
        raise DataError("no such model folder", where="none", remedy="check the path")
    return Capitals((min_score or {}).get("entities", 0.0))
