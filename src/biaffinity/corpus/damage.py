"""Signs that a text was decoded, unescaped or cut wrongly, looked for token by token."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.entities import html5

# What the bytes 0x80 to 0xBF look like to one who takes UTF-8 for Latin-1 or Windows-1252.
_FOLLOWING = "[\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"
# A lone accented capital before a closing quote is honest text, so leading letters other than
# Â and Ã count only where two such pairs stand in a row (Greek, Cyrillic) or more bytes follow.
_MOJIBAKE = re.compile(
    f"[ÂÃ]{_FOLLOWING}|[à-ï]{_FOLLOWING}{{2}}|[ð-ô]{_FOLLOWING}{{3}}|(?:[Ä-ß]{_FOLLOWING}){{2}}"
)
_REFERENCE = re.compile(r"&(?:#\d+;?|#[xX][0-9a-fA-F]+;?|(\w+;?))")


def _holds_reference(token: str) -> bool:
    """Whether an ampersand and what follows name a character: ``&eacute;`` does, ``&T`` does not."""
    names = (match.group(1) for match in _REFERENCE.finditer(token))
    return any(name is None or name in html5 for name in names)


DAMAGE: dict[str, tuple[Callable[[str], object], str, str]] = {
    "replacement-character": (
        re.compile("\ufffd").search,
        "hold U+FFFD, the mark of a byte that was lost",
        "convert the file again from its source",
    ),
    "mojibake": (
        _MOJIBAKE.search,
        "look like UTF-8 read as Latin-1",
        "read the source as UTF-8",
    ),
    "html-entity": (
        _holds_reference,
        "hold an HTML character reference",
        "unescape the text before cutting it into tokens",
    ),
    "control-character": (
        re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]").search,
        "hold a control character",
        "remove it",
    ),
    "invisible-character": (
        re.compile("[\xad\u200b\u2060\ufeff]").search,
        "hold a soft hyphen, a zero-width space or a byte order mark",
        "remove it: the word is unknown with it",
    ),
    "lone-surrogate": (
        re.compile("[\ud800-\udfff]").search,
        "hold half a character, a lone surrogate",
        "it cannot be written as UTF-8",
    ),
    "loose-accent": (
        re.compile("[¨´¸ˆ˜]").search,
        "hold an accent without its letter",
        "a sign of text taken from a PDF",
    ),
    "white-space": (
        re.compile(r"\s").search,
        "have white space inside",
        "cut them there: column formats and word vectors cannot hold them",
    ),
}
"""Every kind of damage: the test for it, what is then said of the tokens, and the advice."""


def may_be_damaged(text: str) -> bool:
    """Whether a token, or several at one look, have anything that shows damage, or may.

    >>> may_be_damaged("Vltava"), may_be_damaged("AT&T")
    (False, True)
    """
    return not (text.isascii() and text.isprintable()) or "&" in text or " " in text


def damage(token: str) -> list[str]:
    """The kinds of damage that a token shows.

    >>> damage("CafÃ©"), damage("Caf&eacute;"), damage("AT&T")
    (['mojibake'], ['html-entity'], [])
    """
    if not may_be_damaged(token):
        return []
    # The letters of garbled UTF-8 would pass for control characters and loose accents.
    rest = _MOJIBAKE.sub("", token)
    return [kind for kind, (shows, *_) in DAMAGE.items() if shows(token if kind == "mojibake" else rest)]
