"""A corpus report as tables to read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from itertools import chain, zip_longest

from rich.table import Table
from rich.text import Text

from biaffinity.corpus.problem import Problem
from biaffinity.corpus.profile import SplitProfile
from biaffinity.corpus.report import CorpusReport
from biaffinity.corpus.splits import role

PAIRS_SHOWN = 6
EXAMPLES_SHOWN = 3
COLOURS = {"error": "bold red", "warning": "yellow", "note": "cyan"}

Lines = Mapping[str, Callable[[SplitProfile], int]]


def tables(report: CorpusReport) -> list[Table]:
    """Counts per split, its longest sentences, what relations join, the findings, the verdict."""
    shown = [_counts(report), _longest(report), _joined_types(report), _findings(report), _verdict(report)]
    return [table for table in shown if table.row_count]


def visible(text: str) -> str:
    """The text with all that cannot be seen written as escapes, which no terminal obeys.

    >>> print(visible("New\\xa0York\\x1b[2J"))
    New\\xa0York\\x1b[2J
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def _counts(report: CorpusReport) -> Table:
    """One column per split, and one for all of them where there are several."""
    columns = list(report.splits)
    if len(columns) > 1:
        columns.append(SplitProfile.merged("all", columns))
    table = _table()
    table.add_column("", overflow="fold", min_width=22)
    for profile in columns:
        told = profile.name in report.training and role(profile.name) != "train"
        title = f"{profile.name} (training)" if told else profile.name
        table.add_column(Text(visible(title)), justify="right", overflow="fold")
    for title, lines in _sections(SplitProfile.merged("all", report.splits)).items():
        if not lines:
            continue
        if table.row_count:
            table.add_row("")
        table.add_row(Text(title), style="bold")
        for label, count in lines.items():
            table.add_row(Text(f"  {visible(label)}"), *(f"{count(profile):,}" for profile in columns))
    return table


def _sections(everything: SplitProfile) -> dict[str, Lines]:
    """The titles of the counts, and under each its lines."""
    return {
        "Size": {
            "sentences": lambda p: p.sentences,
            "tokens": lambda p: p.tokens,
            "entities": lambda p: p.entities,
            "relations": lambda p: p.relations,
        },
        "Sentences": {
            "without an entity": lambda p: p.without_entity,
            "with one entity": lambda p: p.single_entity,
            "without a relation": lambda p: p.without_relation,
        },
        "Tokens per sentence": {
            "shortest": lambda p: min(p.lengths, default=0),
            "median": lambda p: p.length_at(0.5),
            "95% are no longer than": lambda p: p.length_at(0.95),
            "longest": lambda p: max(p.lengths, default=0),
        },
        "Entity types": _per_type(everything, lambda p: p.entity_types),
        "Relation types": _per_type(everything, lambda p: p.relation_types),
    }


def _per_type(everything: SplitProfile, counts: Callable[[SplitProfile], Counter[str]]) -> Lines:
    """A line for each type that occurs anywhere, the most frequent first."""

    def line(type_: str) -> Callable[[SplitProfile], int]:
        return lambda profile: counts(profile)[type_]

    return {type_: line(type_) for type_, _ in counts(everything).most_common()}


def _longest(report: CorpusReport) -> Table:
    table = _table()
    table.add_column(Text("Longest sentences"), overflow="fold", min_width=22)
    table.add_column(Text("id (tokens)"), overflow="fold")
    for profile in report.splits:
        longest = sorted(profile.longest, reverse=True)[:EXAMPLES_SHOWN]
        if longest:
            shown = ", ".join(f"{visible(id)} ({length:,})" for length, _, id in longest)
            table.add_row(Text(f"  {visible(profile.name)}"), Text(shown))
    return table


def _joined_types(report: CorpusReport) -> Table:
    """For every relation of the training data the types it joins, the most frequent first."""
    training = SplitProfile.merged("training", [p for p in report.splits if p.name in report.training])
    joined: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (head, relation, tail), count in training.pairs.items():
        joined[relation][f"{head}→{tail}"] += count
    table = _table()
    table.add_column(Text("Relations join"), overflow="fold", min_width=22)
    table.add_column(Text("head → tail, in the training data"), overflow="fold")
    for relation, pairs in sorted(joined.items(), key=lambda item: -item[1].total()):
        shown = [f"{visible(pair)} {count:,}" for pair, count in pairs.most_common(PAIRS_SHOWN)]
        rest = pairs.total() - sum(count for _, count in pairs.most_common(PAIRS_SHOWN))
        if rest:
            shown.append(f"{len(pairs) - PAIRS_SHOWN} other pairs {rest:,}")
        table.add_row(Text(f"  {visible(relation)}"), Text(", ".join(shown)))
    return table


def _findings(report: CorpusReport) -> Table:
    table = _table()
    table.add_column(Text("Findings"))
    table.add_column("", justify="right")
    table.add_column("", overflow="fold")
    for problem in report.problems:
        colour = COLOURS[problem.severity]
        text = Text(visible(problem.message))
        if len(report.splits) > 1:
            text.append(f" ({', '.join(_per_split(problem))})")
        if problem.advice:
            text.append(f": {visible(problem.advice)}")
        for line in _examples(problem):
            text.append(f"\n{visible(line)}", style="dim")
        table.add_row(Text(f"  {problem.severity}", style=colour), f"{problem.count:,}", text)
    return table


def _per_split(problem: Problem) -> list[str]:
    return [
        visible(f"{split} {finding.count:,}" if finding.count else split)
        for split, finding in problem.splits.items()
    ]


def _examples(problem: Problem) -> list[str]:
    """The errors one by one; of anything else a line of examples, from every split in turn."""
    if problem.severity == "error":
        errors = [example for finding in problem.splits.values() for example in finding.examples]
        further = problem.count - len(errors)
        return [*errors, f"and {further:,} more"] if further else errors
    columns = [
        # A reader's places name the file already.
        [place if problem.code == "changed-in-reading" else f"{split} {place}" for place in finding.examples]
        for split, finding in problem.splits.items()
    ]
    turns = [example for example in chain.from_iterable(zip_longest(*columns)) if example]
    return [f"e.g. {'; '.join(turns[:EXAMPLES_SHOWN])}"] if turns else []


def _verdict(report: CorpusReport) -> Table:
    table = Table.grid()
    counts = [f"{n} {severity}{'s' * (n != 1)}" for severity, n in report.findings().items()]
    verdict, colour = ("can be", "bold green") if report.trainable else ("cannot be", COLOURS["error"])
    text = Text(f"The data {verdict} trained on: ", style=colour)
    table.add_row(text.append(", ".join(counts), style="not bold default"))
    return table


def _table() -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
