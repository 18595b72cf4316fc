"""The forms of a token that the model sees: one to look up as a word, one to read by character.

Two normalisations are known. ``"lower"`` is ours: lower case, brackets and quotes unescaped, numbers
kept, so that "1994" finds its own vector. ``"paper"`` is that of Nguyen & Verspoor's released program:
besides, a token that starts with a digit becomes ``NUM``, an e-mail address ``EMAIL``, a web address
``URL``, and each of these is a single symbol to the character encoder.

Both functions are cheap but not free; the caller asks once per distinct token.
"""

from __future__ import annotations

from typing import Literal

Normalisation = Literal["paper", "lower"]

#: The Penn Treebank's names of brackets, and the comma of the CoNLL04 distribution.
_ESCAPED = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    "COMMA": ",",
}
#: One character each, from Unicode's private use area: no text spells them.
_SYMBOL_CHARACTER = {"NUM": "\ue000", "EMAIL": "\ue001", "URL": "\ue002"}


def word_form(token: str, normalisation: Normalisation) -> str:
    """The form that is counted and looked up in the vocabulary and the word vectors.

    >>> [word_form(token, "lower") for token in ("Ostrava", "-LRB-", "``", "1994")]
    ['ostrava', '(', '"', '1994']
    >>> [word_form(token, "paper") for token in ("Ostrava", "1994", "ann@b.org", "www.b.org")]
    ['ostrava', 'NUM', 'EMAIL', 'URL']
    """
    if normalisation == "paper" and (symbol := _symbol(token)):
        return symbol
    return _unescaped(token).lower()


def character_form(token: str, normalisation: Normalisation) -> str:
    """The string whose characters the character encoder reads; its case is kept.

    The released program unescapes words only, so ``"paper"`` spells an escaped bracket as it stands.

    >>> character_form("Ostrava", "lower"), character_form("-LRB-", "lower")
    ('Ostrava', '(')
    >>> character_form("-LRB-", "paper"), len(character_form("1994", "paper"))
    ('-LRB-', 1)
    """
    if normalisation == "lower":
        return _unescaped(token)
    symbol = _symbol(token)
    return _SYMBOL_CHARACTER[symbol] if symbol else token


def _unescaped(token: str) -> str:
    return _ESCAPED.get(token, token).replace("``", '"').replace("''", '"')


def _symbol(token: str) -> str | None:
    """What stands for a number or an address; None for any other token."""
    if "0" <= token[:1] <= "9":
        return "NUM"
    if "@" in token[1:-1]:
        return "EMAIL"
    if token.lower().startswith(("http://", "https://", "www.")):
        return "URL"
    return None
