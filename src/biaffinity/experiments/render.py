"""Tables as Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from biaffinity.experiments.tables import WITHIN, Table


def markdown(tables: Iterable[Table], facts: Sequence[str]) -> str:
    """A page of tables; ``facts`` go first, a line each."""
    parts = ["# Report", "\n".join(f"- {_markdown_text(fact)}" for fact in facts)]
    for table in tables:
        parts.append(f"## {_markdown_text(table.title)}")
        parts.append(markdown_rows(table))
        parts.append("\n".join(f"- {_markdown_text(note)}" for note in table.notes))
    return "\n\n".join(parts) + "\n"


def markdown_rows(table: Table) -> str:
    """A table without its title and notes."""
    names = [f"{group} {name}".strip() for group, name in table.columns]
    lines = [_markdown_row(names), "|" + "---|" + "---:|" * (len(names) - 1)]
    return "\n".join([*lines, *(_markdown_row(row) for row in table.rows)])


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(_markdown_text(cell) for cell in cells)} |"


def _markdown_text(text: str) -> str:
    return re.sub(r"([\\*_|<>`])", r"\\\1", text)


def latex(tables: Iterable[Table]) -> str:
    """A whole document; each table can be copied out of it (it needs booktabs and amssymb)."""
    body = "\n\n".join(_latex_table(table) for table in tables)
    return (
        "\\documentclass{article}\n"
        "\\usepackage[utf8]{inputenc}\n"
        "\\usepackage[T1]{fontenc}\n"
        "\\usepackage[a4paper,landscape,margin=15mm]{geometry}\n"
        "\\usepackage{amssymb}\n"
        "\\usepackage{booktabs}\n"
        "\\begin{document}\n\n"
        f"{body}\n\n"
        "\\end{document}\n"
    )


def _latex_table(table: Table) -> str:
    lines = [
        "\\begin{table}[p]",
        "\\centering\\small",
        f"\\caption{{{_latex_text(table.title)}}}",
        f"\\label{{tab:{anchor(table)}}}",
        f"\\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}",
        "\\toprule",
        *_latex_groups(table),
        _latex_row(name for _, name in table.columns),
        "\\midrule",
        *(_latex_row(row) for row in table.rows),
        "\\bottomrule",
        "\\end{tabular}",
        *(f"\\par {_latex_text(note)}" for note in table.notes),
        "\\end{table}",
    ]
    return "\n".join(lines)


def _latex_groups(table: Table) -> list[str]:
    """A line of names over groups of columns, with rules under them; nothing where there are none."""
    if not any(group for group, _ in table.columns):
        return []
    names, rules, column = [], [], 1
    for group, width in column_groups(table):
        names.append(f"\\multicolumn{{{width}}}{{c}}{{{_latex_text(group)}}}")
        if group:
            rules.append(f"\\cmidrule(lr){{{column}-{column + width - 1}}}")
        column += width
    return [f"{' & '.join(names)} \\\\", "".join(rules)]


def _latex_row(cells: Iterable[str]) -> str:
    return f"{' & '.join(_latex_text(cell) for cell in cells)} \\\\"


def _latex_text(text: str) -> str:
    text = re.sub(r"([\\{}])", lambda m: {"\\": r"\textbackslash{}"}.get(m[1], f"\\{m[1]}"), text)
    text = re.sub(r"([&%$#_])", r"\\\1", text).replace("~", r"\textasciitilde{}").replace("^", r"\^{}")
    text = re.sub(r"([<>])", r"$\1$", text)
    text = re.sub(r"(?<![\w*])([+-])(?=\d)", r"$\1$", text)  # a sign, not a hyphen
    text = re.sub(r"(\*+)", r"\\textsuperscript{\1}", text)
    return text.replace(WITHIN, r"$\checkmark$").replace("–", "--")


def anchor(table: Table) -> str:
    """A name for links to the table."""
    return re.sub(r"[^a-z0-9]+", "-", table.title.lower()).strip("-")


def column_groups(table: Table) -> list[tuple[str, int]]:
    """The groups of neighbouring columns and their widths."""
    return [(group, len(list(columns))) for group, columns in groupby(table.columns, key=lambda c: c[0])]
