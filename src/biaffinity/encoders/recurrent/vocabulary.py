"""What the recurrent encoder knows by name: words with counts, and characters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import chain
from typing import Any

from biaffinity.annotation import Sentence
from biaffinity.encoders.normalisation import Normalisation, character_form, word_form
from biaffinity.encoders.spelling import Alphabet
from biaffinity.errors import DataError

#: Numbers of what is no word: padding, and the unknown one.
PADDING, UNKNOWN = range(2)


@dataclass(frozen=True)
class Vocabulary:
    """The names behind a model's numbers; all lists are in the order of the numbers.

    Word number 2 + i is ``words[i]``; numbers from 2 + len(words) on belong to ``unseen``: words that
    training never met, or too rarely, but whose pretrained vectors the model carries. ``characters`` are
    the `Alphabet`.
    """

    words: Sequence[str]
    counts: Sequence[int]
    characters: Sequence[str]
    #: The width of the vectors of words.
    word_size: int
    unseen: Sequence[str] = ()
    _numbers: dict[str, int] = field(init=False, repr=False, compare=False)
    alphabet: Alphabet = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # By functions of C alone: of 40,000 words a start from the shell would feel a loop.
        known = [*self.words, *self.unseen]
        numbers = dict(zip(known, range(2, 2 + len(known)), strict=True))
        object.__setattr__(self, "_numbers", numbers)
        object.__setattr__(self, "alphabet", Alphabet(self.characters))

    @property
    def trained(self) -> int:
        """How many word numbers have a trained vector: padding, unknown, and ``words``."""
        return 2 + len(self.words)

    def with_unseen(self, unseen: Sequence[str]) -> Vocabulary:
        """The same with words that training never met."""
        return replace(self, unseen=unseen)

    def word(self, form: str) -> int:
        """The number of a normalised word; `UNKNOWN` where there is none."""
        return self._numbers.get(form, UNKNOWN)

    @classmethod
    def build(
        cls,
        sentences: Iterable[Sentence],
        normalisation: Normalisation,
        more_words: Iterable[Sentence] = (),
        *,
        word_size: int,
        min_count: int = 1,
    ) -> Vocabulary:
        """The words and characters of the training sentences, and the words of ``more_words``.

        Those met less often than ``min_count`` are left out.
        """
        tokens = _counted(sentences)
        characters: Counter[str] = Counter()
        for token, count in tokens.items():
            for character in character_form(token, normalisation):
                characters[character] += count
        words: Counter[str] = Counter()
        for token, count in chain(tokens.items(), _counted(more_words).items()):
            words[word_form(token, normalisation)] += count
        frequent = (word for word, count in words.items() if count >= min_count)
        ranked = sorted(frequent, key=lambda word: (-words[word], word))
        return cls(
            words=ranked,
            counts=[words[word] for word in ranked],
            characters=sorted(c for c, count in characters.items() if count >= min_count),
            word_size=word_size,
        )

    def to_dict(self) -> dict[str, Any]:
        """A JSON object."""
        return {
            "words": list(self.words),
            "counts": list(self.counts),
            "characters": list(self.characters),
            "word_size": self.word_size,
            "unseen": list(self.unseen),
        }

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Vocabulary:
        """The inverse of `to_dict`; anything that cannot number a model's words is an error that names it."""
        wanted = {part.name for part in fields(cls) if part.init}
        for key in sorted(record.keys() ^ wanted):
            raise DataError(f"is not a vocabulary: {key} is {'missing' if key in wanted else 'unknown'}")
        for key in ("words", "characters", "unseen"):
            if not _is_list_of(record[key], str) or len(set(record[key])) < len(record[key]):
                raise DataError("must be a list of distinct strings", where=key)
        counts, size = record["counts"], record["word_size"]
        if not _is_list_of(counts, int) or len(counts) != len(record["words"]) or min(counts, default=0) < 0:
            raise DataError("must be a list of whole numbers, one for each of words", where="counts")
        if type(size) is not int or size < 1:
            raise DataError("must be a whole number from 1 on", where="word_size")
        return cls(**record)


def _counted(sentences: Iterable[Sentence]) -> Counter[str]:
    """The distinct tokens: each is looked at once, though a large text repeats it thousands of times."""
    return Counter(chain.from_iterable(sentence.tokens for sentence in sentences))


def _is_list_of(value: object, kind: type) -> bool:
    return isinstance(value, list) and set(map(type, value)) <= {kind}
