"""A corpus looked at before training: what each split holds, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from biaffinity.annotation import Sentence
from biaffinity.corpus.problem import SEVERITIES, Problem, Severity
from biaffinity.corpus.profile import SplitProfile
from biaffinity.corpus.repeats import Repeats
from biaffinity.corpus.rules import problems
from biaffinity.corpus.splits import in_order, training_data
from biaffinity.errors import BiaffinityError
from biaffinity.formats.piecewise import Piecewise, with_errors
from biaffinity.formats.report import Report


@dataclass(frozen=True, slots=True)
class CorpusReport:
    """The profile of every split, the sentences that repeat, and the findings, errors first."""

    splits: Sequence[SplitProfile]
    training: Sequence[str]
    repeats: Repeats
    problems: Sequence[Problem]

    @property
    def trainable(self) -> bool:
        """Whether a model can be trained on the data: nothing found is an error."""
        return not any(problem.severity == "error" for problem in self.problems)

    def findings(self) -> dict[Severity, int]:
        """How many kinds of finding there are of every severity."""
        return {s: sum(problem.severity == s for problem in self.problems) for s in SEVERITIES}

    def to_dict(self) -> dict[str, Any]:
        """A JSON object whose keys stay as they are.

        ``trainable``; ``training``: names of splits; ``splits``: each split's counts by name;
        ``repeats``: ``texts``, ``texts_annotated_differently`` and ``splits``, where ``across`` are
        the sentences that repeat one of an earlier split and ``within`` those of the same;
        ``problems``: the findings with ``severity``, ``code``, ``message``, ``advice``, ``count``
        and ``splits``, a ``count`` and ``examples`` for each split concerned.
        """
        return {
            "trainable": self.trainable,
            "training": list(self.training),
            "splits": {profile.name: profile.to_dict() for profile in self.splits},
            "repeats": self.repeats.to_dict(),
            "problems": [problem.to_dict() for problem in self.problems],
        }


def check(
    splits: Mapping[str, Iterable[Sentence]], changes: Mapping[str, Report] | None = None
) -> CorpusReport:
    """Look at a corpus, given as its splits by name, one pass over each.

    Training data is what a name says is (train, training), else the first split. The order is
    training, dev, test, then the rest; a sentence repeats one that came before it. ``changes`` are
    the reports that the readers of the splits fill, by name. A split that cannot be read is a
    finding, and if its iterator can go on after the error, the rest of it is read.

    >>> from biaffinity import Entity
    >>> report = check({"train": [Sentence(["Anna", "left"], [Entity(0, 1, "Peop")], id="1")]})
    >>> report.trainable, [problem.code for problem in report.problems]
    (True, ['no-relations', 'single-entity-type'])
    """
    training = training_data(list(splits))
    repeats = Repeats()
    profiles = {}
    for name in in_order(list(splits)):
        profile = SplitProfile(name, changed=(changes or {}).get(name, Report()))
        for sentence in _readable(splits[name], profile):
            repeats.add(sentence, name, profile.add(sentence))
        profiles[name] = profile
    learned = [profiles[name] for name in training]
    others = [profile for profile in profiles.values() if profile.name not in training]
    found = problems(learned, others, repeats)
    return CorpusReport([*learned, *others], training, repeats, found)


def _readable(sentences: Iterable[Sentence], profile: SplitProfile) -> Iterator[Sentence]:
    """The sentences that can be read; what stands in the way is noted in the profile."""
    # The split itself is a piece: a file that cannot be opened is an error like any other in it.
    for found in with_errors(Piecewise([sentences], iter)):
        if isinstance(found, BiaffinityError):
            profile.note_unreadable(found)
        else:
            profile.complete = True
            yield found
