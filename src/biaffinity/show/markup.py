"""Text made safe for XML and HTML: what must not stand there is shown by another character."""

from __future__ import annotations

import re
from html import escape

# Forbidden in XML, without a glyph, or (the bidirectional controls) able to rearrange what stands around.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069"
    "\ufdd0-\ufdef\ud800-\udfff\ufffe\uffff]"
)
SPACE = "\t\n\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_SPACES = re.compile(f"[{SPACE}]+")


def visible(text: str) -> str:
    """The text with a picture in the place of every character that has none, one for one.

    >>> visible("a\\x00b\\ud800")
    'a␀b�'
    """
    return _HIDDEN.sub(_picture, text)


def on_one_line(text: str) -> str:
    """The text as it is told in a label: visible, white space as single spaces."""
    return _SPACES.sub(" ", visible(text)).strip()


def escaped(text: str) -> str:
    """Visible text as it may stand in an element or in quotes as the value of an attribute."""
    return escape(visible(text))


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"
