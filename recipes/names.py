"""Names that nobody has heard of: people of many languages, firms of one word, bodies, teams, towns, works.

A model that has learnt names by heart takes an unknown firm of one word for a person. These are for sentences
in which only the words around a name can tell what it is.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

import tomllib

_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
LISTS = {
    key: [name.strip() for name in text.split("|")] if "|" in text else text.split()
    for key, text in _TABLE.items()
}


@dataclass(frozen=True, slots=True)
class Names:
    """Draws names of every kind; ``known`` are real ones by type, drawn now and then among the invented."""

    numbers: random.Random
    known: dict[str, Sequence[str]]

    def draw(self, kind: str) -> str:
        """A name of a kind (see recipes/phrases.txt); one that begins with "the" takes the article."""
        makers: dict[str, Callable[[], str]] = {
            "P": self._person,
            "O": self._firm,
            "U": self._university,
            "B": self._body,
            "T": self._team,
            "L": self._town,
            "C": lambda: self._one(LISTS["countries"]),
            "R": self._water,
            "W": self._work,
            "D": self._day,
            "Y": lambda: str(self.numbers.randrange(1890, 2027)),
            "K": lambda: self._one(LISTS["weekdays"]),
        }
        return makers[kind]()

    def _one(self, choices: Sequence[str]) -> str:
        return self.numbers.choice(choices)

    def _chance(self, share: float) -> bool:
        return self.numbers.random() < share

    def _person(self) -> str:
        if self._chance(0.25) and self.known.get("person"):
            return self._one(self.known["person"])
        surname = self._one(LISTS["surnames"]) if self._chance(0.8) else self._invented()
        if self._chance(0.05):
            return surname
        first = self._one(LISTS["first_names"]) if self._chance(0.9) else self._invented()
        middle = f"{self._one('ABCDEFGHJKLMNPRSTW')}. " if self._chance(0.05) else ""
        if self._chance(0.04):
            surname = self._one(("van der ", "de ", "al-", "von ", "da ")) + surname
        if self._chance(0.04):
            surname += "-" + self._one(LISTS["surnames"])
        return f"{first} {middle}{surname}"

    def _invented(self) -> str:
        """A word that is in no dictionary, or hardly."""
        parts = [self._one(LISTS["syllables"]) for _ in range(self.numbers.choice((2, 2, 3, 3, 4)))]
        return "".join(parts).capitalize()

    def _letters(self) -> str:
        return "".join(self.numbers.choices("ABCDEFGHIKLMNOPRSTUVW", k=self.numbers.choice((3, 3, 4))))

    def _firm(self) -> str:
        if self._chance(0.25) and self.known.get("organisation"):
            return self._one(self.known["organisation"])
        if self._chance(0.5):
            word = self._invented()
            if self._chance(0.15):
                word += self._one(("AI", "Pay", "Soft", "Tech", "Bank", "Air", "X", "Lab"))
            return word
        if self._chance(0.15):
            return self._letters()
        base = self._one(LISTS["surnames"]) if self._chance(0.3) else self._invented()
        if self._chance(0.08):
            return f"{base} & {self._one((*LISTS['surnames'], 'Sons', 'Co.'))}"
        return f"{base} {self._one(LISTS['firm_endings'])}"

    def _university(self) -> str:
        form = self._one(LISTS["universities"])
        return form.format(self._town())

    def _body(self) -> str:
        if self._chance(0.2) and self.known.get("organisation"):
            return self._one(self.known["organisation"])
        if self._chance(0.2):
            return self._letters()
        if self._chance(0.08):
            return f"St. {self._one(LISTS['first_names'])}'s Hospital"
        if self._chance(0.4):
            return self._one(LISTS["public_names"]).format(self._town())
        if self._chance(0.6):
            return "the " + self._one(LISTS["public_bodies"]).format(self._one(LISTS["fields"]))
        return f"the {self._one((self._invented(), self._one(LISTS['towns'])))} {self._one(LISTS['causes'])}"

    def _team(self) -> str:
        form = self._one(LISTS["teams"])
        return form.format(self._town())

    def _town(self) -> str:
        if self._chance(0.35) and self.known.get("place"):
            return self._one(self.known["place"])
        if self._chance(0.25):
            ending = self._one(("", "ville", "stad", "pur", "abad", "wick", "mouth", "ton", "burg", "holm"))
            return self._invented() + ending
        return self._one(LISTS["towns"])

    def _water(self) -> str:
        return self._one(("Lake {}", "the {} River", "Mount {}", "the {}")).format(self._invented())

    def _work(self) -> str:
        title = " ".join(self.numbers.sample(LISTS["words"], self.numbers.choice((2, 2, 3))))
        return f"The {title}" if self._chance(0.3) else title

    def _day(self) -> str:
        month, day = self._one(LISTS["months"]), self.numbers.randrange(1, 29)
        year = self.numbers.randrange(1890, 2027)
        return f"{month} {day}, {year}" if self._chance(0.5) else f"{day} {month} {year}"
