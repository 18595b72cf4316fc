"""What holds for every text: nothing lost, nothing twice, in order; and the bars on the news corpus."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from biaffinity.errors import UsageError
from biaffinity.text import read_document, split_sentences, tokenise

TELLING = st.sampled_from(
    [
        *"aZé5.!?…,;:'’\"“”()[]-–_$@#+&/字。שः👩🏽",
        *" \t\n\r\u00a0\u2028\u2029\x00\x1c\x85\u200b\u200c\u200d\u0301\ufeff\ud800",
        *("\r\n", "\n\n", "U.S. ", "Mr. ", "No. 5", "The ", ", Va. ", "https://", "www.", "1. "),
    ]
)
TEXTS = st.text(st.characters(exclude_categories=())) | st.lists(TELLING, max_size=40).map("".join)


@given(TEXTS)
def test_tokens_are_ordered_and_hold_every_character_but_white_space(text: str) -> None:
    position = 0
    for start, end in tokenise(text):
        assert position <= start < end
        assert not text[position:start].strip()
        assert not any(character.isspace() for character in text[start:end])
        position = end
    assert not text[position:].strip()


@given(TEXTS)
def test_sentences_partition_the_text(text: str) -> None:
    position = 0
    for start, end in split_sentences(text):
        assert start == position < end
        position = end
    assert position == len(text)


@given(TEXTS)
def test_every_sentence_after_the_first_starts_with_a_token(text: str) -> None:
    assert not any(text[start].isspace() for start, _ in split_sentences(text)[1:])


@given(TEXTS)
def test_a_document_gives_its_text_back(text: str) -> None:
    assert read_document(text).text == text


@given(TEXTS)
@example("In the U.S. The end, etc.")
def test_a_documents_tokens_are_the_slices_that_tokenise_finds(text: str) -> None:
    document = read_document(text)
    spans = [
        (offset + start, offset + end)
        for offset, sentence in zip(document.offsets, document.sentences, strict=True)
        for start, end in sentence.token_spans or ()
    ]
    assert spans == tokenise(text)
    assert [token for s in document.sentences for token in s.tokens] == [text[a:b] for a, b in spans]


@given(
    st.text(st.sampled_from("aé字ש"), min_size=1), st.sampled_from("\u0301\u0903\u200d\ufe0f\u20e3\U0001f3fb")
)
def test_a_mark_never_parts_from_the_character_before_it(word: str, mark: str) -> None:
    text = word + mark
    assert tokenise(text)[-1][0] < len(word)


@given(TEXTS, TEXTS)
def test_a_blank_line_always_parts_two_sentences(before: str, after: str) -> None:
    before, after = f"a{before.rstrip()}", f"{after.lstrip()}b"
    assert len(before) + 2 in {start for start, _ in split_sentences(f"{before}\n\n{after}")}


def test_an_empty_text_has_no_sentence() -> None:
    assert (tokenise(""), split_sentences(""), read_document("").sentences) == ([], [], ())


def test_white_space_alone_is_one_sentence_without_tokens() -> None:
    (sentence,) = read_document(" \n\n\t ").sentences
    assert (sentence.text, sentence.tokens) == (" \n\n\t ", ())


def test_sentences_are_numbered_and_named_after_their_document() -> None:
    document = read_document("Ann left. Bo stayed.", id="news")
    assert document.id == "news"
    assert [(s.id, s.document) for s in document.sentences] == [("news:0", "news"), ("news:1", "news")]


def test_without_a_name_sentences_are_only_numbered() -> None:
    assert [(s.id, s.document) for s in read_document("Ann left. Bo stayed.").sentences] == [
        ("0", None),
        ("1", None),
    ]


@pytest.mark.parametrize("door", [tokenise, split_sentences, read_document])
@pytest.mark.parametrize("text", [None, b"Ann", 5, ["Ann"]])
def test_what_is_not_a_string_is_refused_in_words(door: Any, text: object) -> None:
    with pytest.raises(UsageError, match=f"the text must be a string, not {type(text).__name__}"):
        door(text)


@pytest.mark.parametrize(
    "piece",
    [
        *"a.(' \n-\r字\u0301\u200d",
        "a.",
        "a-",
        "a'",
        "a. ",
        "a. (",
        '. "',
        "http://!",
        "a+",
        "1. ",
        "U.S. ",
        "\r\n",
    ],
)
def test_a_million_characters_of_one_kind_are_read(piece: str) -> None:
    text = piece * (10**6 // len(piece))
    assert split_sentences(text)[-1][1] == len(text)


@pytest.fixture(scope="module")
def news(corpora: Path) -> list[dict[str, Any]]:
    paths = [corpora / "conll04" / f"{part}.raw.jsonl" for part in ("train", "dev")]
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def test_at_least_99_percent_of_the_gold_entities_lie_on_token_borders(news: list[dict[str, Any]]) -> None:
    fits = []
    for record in news:
        spans = tokenise(record["text"])
        starts, ends = {start for start, _ in spans}, {end for _, end in spans}
        fits += [entity["start"] in starts and entity["end"] in ends for entity in record["entities"]]
    assert sum(fits) >= 0.99 * len(fits)


def test_at_least_99_percent_of_the_gold_tokens_are_tokens(news: list[dict[str, Any]]) -> None:
    same = [
        tuple(span) in spans
        for record in news
        for spans in [set(tokenise(record["text"]))]
        for span in record["token_spans"]
    ]
    assert sum(same) >= 0.99 * len(same)


def test_at_most_1_percent_of_the_gold_sentences_are_cut(news: list[dict[str, Any]]) -> None:
    assert sum(len(split_sentences(record["text"])) > 1 for record in news) <= 0.01 * len(news)


def test_at_least_95_percent_of_the_borders_between_gold_sentences_are_found(
    news: list[dict[str, Any]],
) -> None:
    texts = [record["text"] for record in news]
    pairs = [(a, b) for a, b in pairwise(texts) if a.rstrip("\"'").endswith((".", "!", "?"))]
    found = [len(a) + 1 in {start for start, _ in split_sentences(f"{a} {b}")} for a, b in pairs]
    assert sum(found) >= 0.95 * len(found)
