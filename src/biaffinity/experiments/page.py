"""The report as one HTML file: nothing is fetched, and light or dark is the reader's setting."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Sequence

from biaffinity.experiments.pictures import Picture
from biaffinity.experiments.render import anchor, column_groups
from biaffinity.experiments.tables import Table

_STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --ground: #ffffff; --faint: #59636e; --rule: #d1d9e0; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --ground: #0d1117; --faint: #9198a1; --rule: #3d444d; }
}
body { margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: var(--ink); background: var(--ground);
  font: 16px/1.5 system-ui, sans-serif; }
h2 { margin-top: 2.5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.75rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; white-space: normal; }
thead tr:first-child th { border-top: 2px solid var(--ink); }
thead tr:last-child th { border-bottom: 1px solid var(--ink); }
thead th[colspan] { text-align: center; border-bottom: 1px solid var(--rule); }
tbody tr:last-child td { border-bottom: 2px solid var(--ink); }
tbody tr:hover { background: color-mix(in srgb, var(--rule) 40%, transparent); }
ul { color: var(--faint); padding-left: 1.25rem; }
img { max-width: 100%; height: auto; }
figure { margin: 1.5rem 0; }
"""


def html_page(tables: Sequence[Table], pictures: Sequence[Picture], facts: Sequence[str]) -> str:
    """The whole page."""
    body = [f"<h1>Report</h1>\n{_list(facts)}"]
    body += [_table(table) for table in tables]
    body += [_figure(picture) for picture in pictures]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Report</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{_text(name)}</th>' for _, name in table.columns)
    groups = ""
    if any(group for group, _ in table.columns):
        cells = "".join(
            f'<th colspan="{width}" scope="colgroup">{_text(group)}</th>' if group else "<td></td>" * width
            for group, width in column_groups(table)
        )
        groups = f"<tr>{cells}</tr>\n"
    rows = "\n".join(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    return (
        f'<h2 id="{anchor(table)}">{_text(table.title)}</h2>\n<div class="wide"><table>\n'
        f"<thead>\n{groups}<tr>{head}</tr>\n</thead>\n<tbody>\n{rows}\n</tbody>\n</table></div>\n"
        f"{_list(table.notes)}"
    )


def _figure(picture: Picture) -> str:
    title = _text(picture.title)
    return (
        f'<h2 id="{html.escape(picture.name)}">{title}</h2>\n<figure><picture>\n'
        f'<source media="(prefers-color-scheme: dark)" srcset="{_inline(picture.dark_svg)}">\n'
        f'<img alt="{title}" src="{_inline(picture.svg)}">\n</picture></figure>'
    )


def _inline(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def _list(lines: Sequence[str]) -> str:
    return "<ul>\n" + "\n".join(f"<li>{_text(line)}</li>" for line in lines) + "\n</ul>"


def _text(text: str) -> str:
    return re.sub(r"(\*+)", r"<sup>\1</sup>", html.escape(text))
