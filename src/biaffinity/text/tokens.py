"""Where the tokens of a text are, and which of them could end a sentence.

The conventions are those of the news corpus that the embedded model is trained on, counted on its gold
tokens: hyphenated words stay whole (but for a name before "based" and its like: `PARTED`), an apostrophe
opens a new token ("Anna" "'s", "don" "'t"), a currency sign stays with its number, a comma always stands
alone, and a period stays with an abbreviation except at the end of a sentence.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from biaffinity.text.abbreviations import ABBREVIATIONS, COUNTERS
from biaffinity.text.shape import JOINER, LETTER, MARK, STOP, SYMBOL, shape_of

Span = tuple[int, int]

_WORD = f"[A-Za-z0-9_{LETTER}{MARK}{JOINER}]"
_OTHER = f"[^A-Za-z0-9_{LETTER}{MARK}{JOINER}\\s]"
_URL = f'[^<>"{SYMBOL}{STOP}\\s]'

# Matched against the shape. In a repetition only one branch can match at a place, and every look
# around is of bounded length, so the time is linear in the length of the text; the bounds on
# repeated groups do the same for the memory.
_TOKEN = re.compile(
    rf"""
    (?: https?:// | ftp:// | www\. ) {_URL}* [A-Za-z0-9/]    # addresses, without the punctuation after
    |
    (?: \$ (?=\.?[0-9]) | [#@] (?={_WORD}) )? (?: \.(?=[0-9]) )?  # $9.7, .38, #5, @anna
    {_WORD}+
    (?:
        (?: \.?[-&@]                                             # 30-ton, U.S.-led, AT&T, a.b@c.org
          | \.(?! (?<=[a-z]\.)[A-Z][a-z] )                       # 3.14, U.S, b.org; not "end.Next"
          | \+(?= [\w.+-]{{1,64}}@ )                             # anna+news@b.org
        )
        {_WORD}+
    ){{0,100}}
    ( \.(?!\.) )?                                                # 1: a period that may be the word's own
    |
    (?<={_WORD}) ' {_WORD}+ (?: -{_WORD}+ ){{0,100}}              # 's, 't, 'll, O 'Mara
    |
    ' [0-9]0s                                                    # the '50s
    |
    ( [!?]+ | \.+ | {STOP}+ )                                    # 2: ends a sentence, or may
    |
    --+
    |
    {_OTHER} {MARK}* (?: {JOINER}+ (?: {_OTHER} {MARK}* )? ){{0,100}}  # one character, or one emoji sequence
    """,
    re.VERBOSE,
)


#: A name joined to one of these is a token of its own, and so is the hyphen: "Oslo" "-" "based". The corpus
#: has too few of them to count; news of today is full of them, and what stands before is who or where.
PARTED = tuple(
    f"-{word}"
    for word in ("based", "born", "headquartered", "area", "owned", "led", "backed", "listed", "raised")
)


class Scan(NamedTuple):
    """A text with its shape and tokens."""

    text: str
    shape: str
    spans: list[Span]
    stops: list[int]  # the tokens that may end a sentence
    abbreviations: set[int]  # those of them that hold a word and its period


def scan(text: str) -> Scan:
    """The tokens of a text; the last period of a sentence is not yet parted from an abbreviation."""
    shape = shape_of(text)
    spans: list[Span] = []
    stops: list[int] = []
    abbreviations: set[int] = set()
    for match in _TOKEN.finditer(shape):
        span = match.span()
        if match.lastindex is None:
            spans += _parted(shape, span)
            continue
        if match.lastindex == 1:
            start, end = span
            if is_abbreviation(text[start : end - 1], shape[end : end + 2]):
                abbreviations.add(len(spans))
            else:
                spans += _parted(shape, (start, end - 1))
                span = (end - 1, end)
        stops.append(len(spans))
        spans.append(span)
    return Scan(text, shape, spans, stops, abbreviations)


def _parted(shape: str, span: Span) -> tuple[Span, ...]:
    """A word, in three where a name stands before one of `PARTED`."""
    start, end = span
    if not (shape.endswith(PARTED, start, end) and shape[start].isupper()):
        return (span,)
    hyphen = shape.rindex("-", start, end)
    return (start, hyphen), (hyphen, hyphen + 1), (hyphen + 1, end)


def is_abbreviation(word: str, following: str = "") -> bool:
    """Whether a period after a word belongs to it; ``following`` are the characters after that."""
    if word[-1].isalpha() and (len(word) == 1 or word[-2] in ".-"):
        return True  # an initial, or U.S., a.m., Ph.D., D-N.C.
    last = word[word.rfind("-") + 1 :]
    return last in ABBREVIATIONS or (last in COUNTERS and following.strip()[:1].isdigit())
