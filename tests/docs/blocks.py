"""The code blocks of a page of Markdown, and whether what was printed is what the page shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^```([a-z]*)(?: title=\"(.*)\")?$")
_NOT_RUN = re.compile(r"^<!-- not run: (.+) -->$")
#: A line, or one with the lines of a file that it writes: cat > x.txt <<'END' ... END
_COMMAND = re.compile(r"^[^\n]+<<'(\w+)'\n.*?^\1$|^[^\n]+$", re.MULTILINE | re.DOTALL)
_DECIMAL = re.compile(r"\d+\.\d+")


@dataclass(frozen=True)
class Block:
    """One block; ``reason`` says why it is not run, if the line above it says so."""

    page: str
    line: int
    language: str
    title: str | None
    text: str
    reason: str | None

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def commands(self) -> Iterator[tuple[str, str]]:
        """The commands of a shell block, each with the output that the page shows below it."""
        if self.language == "sh":
            yield from ((found[0], "") for found in _COMMAND.finditer(self.text))
            return
        for part in re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def blocks(path: Path, page: str) -> list[Block]:
    """All fenced blocks of a page, from top to bottom."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found, start = [], None
    for number, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if start is not None:
            above = _NOT_RUN.match(lines[start - 1]) if start else None
            fence = _FENCE.match(lines[start])
            assert fence, f"{page}:{start + 1}: {lines[start]!r} is no fence that the tests can read"
            text = "\n".join(lines[start + 1 : number]) + "\n"
            found.append(Block(page, start + 1, fence[1], fence[2], text, above[1] if above else None))
            start = None
        else:
            start = number
    assert start is None, f"{page}: a block has no end"
    return found


def missing(shown: str, printed: str) -> str | None:
    """The first line of ``shown`` that was not printed, below those before it; None where all were.

    Spaces do not count, and ``...`` stands for anything. A score between 0 and 1 may differ by a tenth;
    other decimals, which tell of a machine or a chance, are not compared.
    """
    lines = iter([" ".join(line.split()) for line in printed.splitlines()])
    for wanted in shown.splitlines():
        if wanted.strip() not in ("", "...") and not any(
            _alike(" ".join(wanted.split()), line) for line in lines
        ):
            return wanted
    return None


def _alike(wanted: str, line: str) -> bool:
    pattern = "".join(
        r"(\d+\.\d+)"
        if _DECIMAL.fullmatch(part)
        else ".*".join(re.escape(text) for text in re.split(r" ?\.\.\. ?", part))
        for part in re.split(r"(\d+\.\d+)", wanted)
    )
    match = re.fullmatch(pattern, line)
    if match is None:
        return False
    pairs = zip(map(float, _DECIMAL.findall(wanted)), map(float, match.groups()), strict=True)
    return all(abs(ours - theirs) <= 0.1 for ours, theirs in pairs if ours <= 1 or theirs <= 1)
