"""Surnames and given names of a person whose full name stands in the same document: "Okafor", "Paul Okafor".

It is a rule for people alone. Firms and places share words without being the same (a bank and its news
service, a town and its airport): measured on Re-DocRED, half of such pairs would be wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

#: What models and corpora call people, in small letters.
PEOPLE = frozenset({"peop", "per", "pers", "person", "people", "human"})


def full_names(names: Sequence[str]) -> dict[str, str]:
    """For each normal form of one word: the full name that it is a part of.

    ``names`` are those of the people of a document, in the order of their first mentions. The full name must
    be the only one in the document that has the word, and have been mentioned before.

    >>> full_names(["paul okafor", "okafor", "tove lind", "ana lind", "lind"])
    {'okafor': 'paul okafor'}
    """
    having: dict[str, list[str]] = {}
    for name in names:
        for word in set(name.split()):
            having.setdefault(word, []).append(name)
    return {word: holders[0] for word, holders in having.items() if len(holders) == 2 and holders[1] == word}
