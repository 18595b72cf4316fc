"""Tokenisers and sentence splitters side by side on CoNLL04's raw sentences (train and dev, never test).

    python benchmarks/tokenisers.py [DATA_DIR] [--json]

DATA_DIR (by default BIAFFINITY_DATA or ../shared/data) holds conll04/train.raw.jsonl and
conll04/dev.raw.jsonl; where they are absent nothing is measured. A library that is not installed is
left out and named. Every raw line is one sentence, so a border inside it is a wrong cut; two lines
set side by side have one true border between them.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

Span = tuple[int, int]
Cutter = Callable[[str], list[Span]]

ENDS = re.compile(r"[.!?]['\"]*\s*$")


@dataclass(frozen=True)
class Candidate:
    """A tokeniser, a sentence splitter or both; ``whole`` is what a user would call for both at once."""

    name: str
    tokens: Cutter | None
    sentences: Cutter | None
    whole: Callable[[str], object]


@dataclass(frozen=True)
class Row:
    """One line of the table; shares in percent, None where a candidate does not do it."""

    name: str
    entities: float | None
    tokens: float | None
    cut: float | None
    found: float | None
    tokens_per_second: float


# Candidates: each function imports its library and says how to call it; some learn from the texts.


def ours(_: list[str]) -> Iterable[Candidate]:
    from biaffinity.text import read_document, split_sentences, tokenise

    yield Candidate("biaffinity.text, spans", tokenise, split_sentences, tokenise)
    yield Candidate("biaffinity.text, Document", tokenise, split_sentences, read_document)


def spacy(_: list[str]) -> Iterable[Candidate]:
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.max_length = 10**9

    def tokens(text: str) -> list[Span]:
        return [(t.idx, t.idx + len(t)) for t in nlp.make_doc(text) if not t.is_space]

    def sentences(text: str) -> list[Span]:
        return [(s.start_char, s.end_char) for s in nlp(text).sents]

    yield Candidate(f"spaCy {spacy.__version__} blank + sentencizer", tokens, sentences, nlp)


def nltk(texts: list[str]) -> Iterable[Candidate]:
    import nltk
    from nltk.tokenize import PunktSentenceTokenizer, TreebankWordTokenizer

    treebank = TreebankWordTokenizer()

    def tokens(text: str) -> list[Span]:
        return list(treebank.span_tokenize(text))

    def candidate(name: str, punkt: Any) -> Candidate:
        def sentences(text: str) -> list[Span]:
            return list(punkt.span_tokenize(text))

        def whole(text: str) -> object:
            return [tokens(text[start:end]) for start, end in sentences(text)]

        return Candidate(f"NLTK {nltk.__version__} Treebank + {name}", tokens, sentences, whole)

    yield candidate("Punkt, untrained", PunktSentenceTokenizer())
    # Punkt learns abbreviations from plain text; here from the very texts it is measured on.
    yield candidate("Punkt, trained on these texts", PunktSentenceTokenizer("\n\n".join(texts)))


def syntok(_: list[str]) -> Iterable[Candidate]:
    from syntok import segmenter
    from syntok.tokenizer import Tokenizer

    tokeniser = Tokenizer(replace_not_contraction=False)

    def spans(tokens: Iterable[Any]) -> list[Span]:
        return [(t.offset, t.offset + len(t.value)) for t in tokens]

    def tokens(text: str) -> list[Span]:
        return spans(tokeniser.tokenize(text))

    def sentences(text: str) -> list[Span]:
        parts = [spans(s) for s in segmenter.split(tokeniser.tokenize(text))]
        return [(part[0][0], part[-1][1]) for part in parts if part]

    yield Candidate("syntok", tokens, sentences, sentences)


def blingfire(_: list[str]) -> Iterable[Candidate]:
    import blingfire

    def tokens(text: str) -> list[Span]:
        return [(a, b) for a, b in blingfire.text_to_words_with_offsets(text)[1]]

    def sentences(text: str) -> list[Span]:
        return [(a, b) for a, b in blingfire.text_to_sentences_and_offsets(text)[1]]

    def whole(text: str) -> object:
        return tokens(text), sentences(text)

    yield Candidate("BlingFire", tokens, sentences, whole)


def pysbd(_: list[str]) -> Iterable[Candidate]:
    import pysbd

    segmenter = pysbd.Segmenter(language="en", clean=False, char_span=True)

    def sentences(text: str) -> list[Span]:
        return [(s.start, s.end) for s in segmenter.segment(text)]

    yield Candidate("pySBD (sentences only)", None, sentences, sentences)


def tokenizers(_: list[str]) -> Iterable[Candidate]:
    from tokenizers import pre_tokenizers

    before = pre_tokenizers.BertPreTokenizer()

    def tokens(text: str) -> list[Span]:
        return [span for _, span in before.pre_tokenize_str(text)]

    yield Candidate("tokenizers BertPreTokenizer (tokens only)", tokens, None, tokens)


CANDIDATES = (ours, spacy, nltk, syntok, blingfire, pysbd, tokenizers)


# Measurement.


def read(folder: Path) -> list[dict[str, Any]]:
    paths = [folder / "conll04" / f"{part}.raw.jsonl" for part in ("train", "dev")]
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def entities_and_tokens(records: list[dict[str, Any]], cutter: Cutter) -> tuple[float, float]:
    """Percent of gold entities with both borders on token borders; percent of gold tokens found."""
    entities = tokens = fit = same = 0
    for record in records:
        spans = set(cutter(record["text"]))
        starts, ends = {a for a, _ in spans}, {b for _, b in spans}
        entities += len(record["entities"])
        tokens += len(record["token_spans"])
        fit += sum(e["start"] in starts and e["end"] in ends for e in record["entities"])
        same += sum((a, b) in spans for a, b in record["token_spans"])
    return 100 * fit / entities, 100 * same / tokens


def borders(text: str, cutter: Cutter) -> set[int]:
    """How many characters other than white space lie before each border inside the text."""
    filled = ["".join(text[:start].split()) for start, _ in cutter(text)]
    return {len(before) for before in filled} - {0}


def cut_in_two(records: list[dict[str, Any]], cutter: Cutter) -> float:
    return 100 * sum(bool(borders(r["text"], cutter)) for r in records) / len(records)


def found_borders(records: list[dict[str, Any]], cutter: Cutter) -> float:
    pairs = [(a["text"], b["text"]) for a, b in pairwise(records) if ENDS.search(a["text"])]
    found = sum(len("".join(a.split())) in borders(f"{a} {b}", cutter) for a, b in pairs)
    return 100 * found / len(pairs)


def rate(texts: list[str], tokens: int, whole: Callable[[str], object], repeats: int = 5) -> float:
    """Gold tokens per second of processor time, the best of a few rounds over all texts."""
    best = float("inf")
    for _ in range(repeats):
        begin = time.process_time()
        for text in texts:
            whole(text)
        best = min(best, time.process_time() - begin)
    return tokens / best


def measure(candidate: Candidate, records: list[dict[str, Any]]) -> Row:
    counted = entities_and_tokens(records, candidate.tokens) if candidate.tokens else (None, None)
    return Row(
        candidate.name,
        *counted,
        cut_in_two(records, candidate.sentences) if candidate.sentences else None,
        found_borders(records, candidate.sentences) if candidate.sentences else None,
        rate([r["text"] for r in records], sum(len(r["token_spans"]) for r in records), candidate.whole),
    )


def measure_installed(
    candidates: Callable[[list[str]], Iterable[Candidate]], records: list[dict[str, Any]]
) -> list[Row]:
    try:
        return [measure(candidate, records) for candidate in candidates([r["text"] for r in records])]
    except ImportError as error:
        print(f"left out: {candidates.__name__} ({error})", file=sys.stderr)
        return []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    shared = Path(__file__).parent.parent.parent / "shared" / "data"
    default = Path(os.environ.get("BIAFFINITY_DATA", shared))
    parser.add_argument("data", type=Path, nargs="?", default=default, help="the folder that holds conll04/")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    options = parser.parse_args()
    if not (options.data / "conll04" / "train.raw.jsonl").is_file():
        print("tokenisers: not measured, CoNLL04 is not here (set BIAFFINITY_DATA)", file=sys.stderr)
        return
    records = read(options.data)
    rows = []
    for candidates in CANDIDATES:
        rows += measure_installed(candidates, records)
    if options.json:
        print(json.dumps([asdict(row) for row in rows], indent=1))
        return
    print("| candidate | entities fit % | gold tokens % | sentences cut % | borders found % | tokens/s |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        shares = (row.entities, row.tokens, row.cut, row.found)
        cells = ["-" if share is None else f"{share:.2f}" for share in shares]
        print("|", " | ".join([row.name, *cells, f"{row.tokens_per_second:,.0f}"]), "|")


if __name__ == "__main__":
    main()
