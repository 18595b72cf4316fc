"""The three doors: tokens, sentences, a whole document."""

from __future__ import annotations

from itertools import pairwise

from biaffinity.annotation import Document, Sentence
from biaffinity.errors import UsageError
from biaffinity.text.sentences import last_stop, sentence_edges
from biaffinity.text.tokens import Scan, Span, scan


def tokenise(text: str) -> list[Span]:
    """The character spans of the tokens, in order.

    No two overlap, none is empty, and every character that is not white space is in one.

    >>> text = "Ms. Ilka Roe's $9.7 bid failed."
    >>> [text[start:end] for start, end in tokenise(text)]
    ['Ms.', 'Ilka', 'Roe', "'s", '$9.7', 'bid', 'failed', '.']
    """
    return [span for _, spans in _sentences(text) for span in spans]


def split_sentences(text: str) -> list[Span]:
    """The character spans of the sentences; they cover the text from end to end.

    White space belongs to the sentence before it, at the very start to the first. A blank line ends
    a sentence whatever stands before it; a single line end is white space like any other.

    >>> text = "Sen. Roe left at 3 p.m. Monday. She was late."
    >>> [text[start:end] for start, end in split_sentences(text)]
    ['Sen. Roe left at 3 p.m. Monday. ', 'She was late.']
    """
    return [span for span, _ in _sentences(text)]


def read_document(text: str, id: str = "") -> Document:
    """A document of tokenised sentences; its text is ``text``, to the character.

    >>> [sentence.tokens for sentence in read_document("Anna left. Bo stayed.").sentences]
    [('Anna', 'left', '.'), ('Bo', 'stayed', '.')]
    """
    prefix = f"{id}:" if id else ""
    return Document(
        [
            Sentence.sound(
                tuple([text[a:b] for a, b in spans]),
                text=text[start:end],
                token_spans=tuple([(a - start, b - start) for a, b in spans] if start else spans),
                id=f"{prefix}{number}",
                document=id or None,
            )
            for number, ((start, end), spans) in enumerate(_sentences(text))
        ],
        id=id,
    )


def _sentences(text: str) -> list[tuple[Span, list[Span]]]:
    """Every sentence's span with the spans of its tokens, all in characters of the text."""
    if not isinstance(text, str):
        remedy = "decode it first, as with text.decode('utf-8')" if isinstance(text, bytes) else None
        raise UsageError(f"the text must be a string, not {type(text).__name__}", remedy=remedy)
    if not text:
        return []
    tokens = scan(text)
    if not tokens.spans:
        return [((0, len(text)), [])]
    edges = sentence_edges(tokens)
    borders = [0, *(tokens.spans[index][0] for index in edges[1:-1]), len(text)]
    return [
        (span, _own_tokens(tokens, first, end))
        for span, (first, end) in zip(pairwise(borders), pairwise(edges), strict=True)
    ]


def _own_tokens(tokens: Scan, first: int, end: int) -> list[Span]:
    """The tokens of one sentence; if an abbreviation ends it, the period is a token: it ends both."""
    spans = tokens.spans[first:end]
    stop = last_stop(tokens, first, end)
    if stop in tokens.abbreviations:
        start, end = tokens.spans[stop]
        spans[stop - first : stop - first + 1] = [(start, end - 1), (end - 1, end)]
    return spans
