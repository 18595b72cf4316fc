from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biaffinity import formats
from biaffinity.annotation import Relation, Sentence, documents
from biaffinity.errors import BiaffinityError, DataError, UsageError
from biaffinity.formats import FORMATS, Report, records
from biaffinity.formats.piecewise import with_errors
from formats.roundtrip import bare, read_text

SAMPLES = {
    "news.jsonl": "jsonl",
    "news.multihead.txt": "multihead",
    "news.corp": "corp",
    "news.spert.json": "spert",
    "news.dygie.jsonl": "dygie",
    "news.conll": "conll",
    "news.iob1.conll": "conll",
    "news.bilou.conll": "conll",
    "news.brat": "brat",
    "news.doccano.jsonl": "doccano",
    "news.labelstudio.json": "labelstudio",
}
FILES = {name: kind for name, kind in SAMPLES.items() if kind != "brat"}
ODD = st.sampled_from([None, True, -1, 0, 10**30, 0.5, "", "x", "O", [], [[]], [1], {}, {"start": 1}])


def by_text(sentences: list[Sentence]) -> list[Sentence]:
    """Sentences in one order: a folder of files has its own."""
    return sorted((bare(s) for s in sentences), key=lambda s: s.tokens)


def test_every_sample_is_known(samples):
    assert {path.name for path in samples.glob("news.*")} == set(SAMPLES)


def test_every_format_has_a_sample():
    assert set(SAMPLES.values()) == set(formats.names())


@pytest.mark.parametrize(("name", "kind"), SAMPLES.items())
def test_a_sample_is_detected_by_its_content(samples, tmp_path, name, kind):
    nameless = tmp_path / "x"
    nameless.symlink_to(samples / name)
    assert formats.detect(nameless) == kind


@pytest.mark.parametrize(("name", "kind"), SAMPLES.items())
def test_every_sample_says_the_same(samples, name, kind):
    report = Report()
    expected = by_text(list(formats.read(samples / "news.jsonl")))
    if kind == "conll":
        expected = [s.annotated(s.entities) for s in expected]
    assert by_text(list(formats.read(samples / name, report=report))) == expected
    assert not report


@pytest.mark.parametrize("corpus", ["conll04", "ade", "scierc"])
def test_the_corpora_are_our_json_lines(corpora, corpus):
    for path in (corpora / corpus).glob("*.jsonl"):
        assert formats.detect(path) == "jsonl"


@pytest.mark.parametrize("name", FILES)
def test_writing_a_sample_as_its_own_format_again_gives_the_same_sentences(samples, tmp_path, name):
    sentences = list(formats.read(samples / name))
    path = tmp_path / name
    formats.write(path, sentences)
    assert by_text(list(formats.read(path))) == by_text(sentences)


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=40)
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused_in_one_line(samples, name, data):
    text = (samples / name).read_text(encoding="utf-8")
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start, min(start + 40, len(text))))
    put = data.draw(
        st.sampled_from(["", "\n", "\n\n", "\t", "[", '"', "-7", "99", "0", "B-X", "\\ud800", text[:30]])
    )
    assert _is_read_or_refused(FILES[name], text[:start] + put + text[end:])


@pytest.mark.parametrize("name", [name for name in FILES if "json" in name])
@settings(max_examples=60)
@given(data=st.data())
def test_an_odd_value_anywhere_in_json_is_read_or_refused_in_one_line(samples, name, data):
    text = (samples / name).read_text(encoding="utf-8")
    objects = json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]
    _spoil(objects, data)
    assert _is_read_or_refused(FILES[name], json.dumps(objects))


@pytest.mark.parametrize("tokens", [True, False])
@settings(max_examples=60)
@given(data=st.data())
def test_an_odd_value_anywhere_in_a_document_is_read_or_refused_in_one_line(samples, tokens, data):
    objects = [d.to_dict(tokens=tokens) for d in documents(formats.read(samples / "news.jsonl"))]
    _spoil(objects, data)
    assert _is_read_or_refused("jsonl", json.dumps(objects))


def _spoil(objects: list[Any], data: st.DataObject) -> None:
    """Replace or remove one value, at any depth."""
    place: Any = objects
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if isinstance(place[key], dict | list) and place[key] and data.draw(st.integers(0, 4)):
            place = place[key]
            continue
        if data.draw(st.booleans()):
            place[key] = data.draw(ODD)
        else:
            del place[key]
        return


def _is_read_or_refused(kind: str, text: str) -> bool:
    """Whether it is read, or refused in one line that names the file."""
    try:
        read_text(kind, text)
    except BiaffinityError as error:
        return "\n" not in str(error) and "/x" in str(error.where)
    return True


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.jsonl", "jsonl"),
        ("a.JSONL", "jsonl"),
        ("a.v1.jsonl", "jsonl"),
        ("a.corp", "corp"),
        ("a.conll", "conll"),
        ("a.spert.json", "spert"),
        ("a.dygie.jsonl", "dygie"),
        ("a.doccano.jsonl", "doccano"),
        ("a.labelstudio.json", "labelstudio"),
        ("a.multihead.txt", "multihead"),
        ("a.brat", "brat"),
    ],
)
def test_a_name_tells_the_format_to_write(name, kind):
    assert formats.format_for(name) == kind


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.json", "may be spert or labelstudio"),
        ("a.txt", "may be multihead or conll"),
        ("a", "does not tell its format"),
    ],
)
def test_a_name_that_leaves_the_format_open_is_an_error_that_asks(name, words):
    with pytest.raises(UsageError, match=words) as error:
        formats.format_for(name)
    assert "--to" in str(error.value)


def test_an_unknown_format_is_an_error_that_names_the_nearest():
    with pytest.raises(UsageError, match=r"unknown format 'sperts'.*did you mean spert"):
        formats.format_for("a.json", "sperts")


def test_an_unknown_format_to_read_is_an_error_before_anything_is_read(tmp_path):
    with pytest.raises(UsageError, match=r"unknown format 'xml'.*jsonl, multihead, corp"):
        formats.read(tmp_path / "missing", "xml")


@pytest.mark.parametrize(
    ("name", "text"),
    [("x.txt", "Ana Ruiz left.\n"), ("x.jsonl", '{"text": "Ana left.", "label": ["good"]}\n')],
)
def test_what_fits_no_format_is_an_error_that_lists_them(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DataError, match=rf"{name}: is in no known format \(known are: jsonl, "):
        formats.detect(path)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("x.conll", "a O\nb\n", "x.conll:2: one column where two are due"),
        ("x.jsonl", "Ana Ruiz left.\n", "x.jsonl:1: broken JSON"),
    ],
)
def test_the_name_of_a_damaged_file_tells_whose_rules_it_breaks(tmp_path, name, text, words):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(BiaffinityError) as error:
        list(formats.read(path))
    assert words in str(error.value)


def test_a_folder_of_something_else_is_an_error(tmp_path):
    (tmp_path / "x").write_text("")
    with pytest.raises(DataError, match="is a folder of no known format"):
        formats.detect(tmp_path)


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(DataError, match=r"missing: no such file \(check the path\)"):
        formats.detect(tmp_path / "missing")


@pytest.mark.parametrize("kind", [None, "jsonl"])
def test_a_pipe_is_refused_as_looking_ahead_would_lose_its_start(tmp_path, kind):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="is a pipe or a device, a file is needed here"):
        formats.read(tmp_path / "pipe", kind)


@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind != "brat"])
def test_a_folder_where_a_file_belongs_is_an_error_for_every_format(tmp_path, kind):
    with pytest.raises(DataError, match="is a folder, a file is needed here"):
        list(formats.read(tmp_path, kind))


@pytest.mark.parametrize("name", FILES)
def test_bytes_that_are_not_utf8_have_their_line_in_every_format(samples, tmp_path, name):
    lines = (samples / name).read_bytes().split(b"\n")
    lines[1] += b"\xe9"
    path = tmp_path / "x"
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(DataError, match=r"x:2: byte 0xe9 is not UTF-8 \(convert the file first"):
        list(formats.read(path, FILES[name]))


@pytest.mark.parametrize("name", FILES)
def test_writing_leaves_the_old_file_if_the_sentences_break_off(samples, tmp_path, name):
    def breaking_off():
        yield from formats.read(samples / "news.jsonl")
        raise DataError("broken")

    path = tmp_path / name
    path.write_text("old")
    with pytest.raises(DataError, match="broken"):
        formats.write(path, breaking_off())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", [name for name, kind in FILES.items() if kind != "conll"])
def test_the_first_sentence_is_read_before_the_end_of_the_file(samples, tmp_path, monkeypatch, name):
    monkeypatch.setattr(records, "CHUNK", 100)
    path = tmp_path / "x"
    path.write_bytes((samples / name).read_bytes() + b"\xff")
    stream = formats.read(path, FILES[name])
    assert next(stream).tokens[0] == "Ana"
    with pytest.raises(DataError, match="is not UTF-8"):
        list(stream)


def test_an_empty_file_is_what_its_name_says(tmp_path):
    path = tmp_path / "x.corp"
    path.write_text("")
    assert formats.detect(path) == "corp"
    assert list(formats.read(path)) == []


def test_an_empty_file_whose_name_does_not_tell_is_an_error(tmp_path):
    path = tmp_path / "x.json"
    path.write_text("[]")
    with pytest.raises(UsageError, match=r"may be spert or labelstudio.*--from"):
        formats.detect(path)


def test_an_empty_file_without_a_telling_name_is_called_empty(tmp_path):
    path = tmp_path / "x"
    path.touch()
    with pytest.raises(UsageError, match=r"x: is empty \(say which format it is: --from"):
        formats.detect(path)


@pytest.mark.parametrize("kind", FORMATS)
def test_no_sentences_make_a_file_without_sentences(tmp_path: Path, kind):
    path = tmp_path / f"x.{kind}"
    formats.write(path, [], kind)
    if kind == "brat":
        assert [file.name for file in path.iterdir()] == ["annotation.conf"]
    else:
        assert list(formats.read(path, kind)) == []


# In every format: three sentences or documents, the second of which is wrong.
BAD_IN_THE_MIDDLE = {
    "jsonl": '{"tokens": ["a"]}\n{"tokens": ["b"], "entities": [{"start": 0}]}\n{"tokens": ["c"]}\n',
    "multihead": "#doc 1\n0\ta\tO\t['N']\t[0]\n#doc 2\n0\tb\tX\t['N']\t[0]\n#doc 3\n0\tc\tO\t['N']\t[0]\n",
    "corp": "".join(
        f"{n}\tO\t{index}\tO\tX\t{word}\tO\tO\tO\n\n\n" for n, index, word in ("10a", "2xb", "30c")
    ),
    "spert": json.dumps([{"tokens": [t], "entities": [], "relations": []} for t in ("a", "", "c")]),
    "dygie": '{"sentences": [["a"]]}\n{"sentences": [["b"]], "ner": []}\n{"sentences": [["c"]]}\n',
    "conll": "a O\n\nb X\n\nc O\n",
    "doccano": '{"text": "a"}\n{"text": "b", "label": [[0, 9, "X"]]}\n{"text": "c"}\n',
    "labelstudio": json.dumps(
        [
            {"data": {"text": text}, "annotations": [{"result": result}]}
            for text, result in zip("abc", ([], 7, []), strict=True)
        ]
    ),
}


@pytest.mark.parametrize("kind", BAD_IN_THE_MIDDLE)
def test_what_follows_a_wrong_record_can_be_read(tmp_path, kind):
    path = tmp_path / "x"
    path.write_text(BAD_IN_THE_MIDDLE[kind])
    first, error, last = with_errors(formats.read(path, kind))
    assert (first.tokens, last.tokens) == (("a",), ("c",))
    assert str(error).startswith(f"{path}:")


def test_what_follows_a_wrong_text_of_a_brat_folder_can_be_read(tmp_path):
    for name, annotation in (("a", ""), ("b", "T1\tPeop 0 9\tb\n"), ("c", "")):
        (tmp_path / f"{name}.txt").write_text(name)
        (tmp_path / f"{name}.ann").write_text(annotation)
    (tmp_path / "b2.ann").touch()
    first, outside, without_text, last = with_errors(formats.read(tmp_path))
    assert (first.tokens, last.tokens) == (("a",), ("c",))
    assert str(outside).startswith(f"{tmp_path / 'b.ann'}:1: entity span 0..9 leaves the text")
    assert str(without_text).startswith(f"{tmp_path / 'b2.ann'}: its text is missing")


def test_every_format_is_tried_with_a_wrong_record():
    assert {*BAD_IN_THE_MIDDLE, "brat"} == set(formats.names())


RAW = {
    "text": "Ana left. Tove stayed.",
    "entities": [{"start": 0, "end": 3, "type": "Peop"}, {"start": 10, "end": 14, "type": "Peop"}],
    "relations": [{"type": "Knows", "head": 0, "tail": 1}],
}


@pytest.mark.parametrize("kind", ["jsonl", "brat", "doccano", "labelstudio"])
def test_a_document_of_raw_text_can_be_kept_whole(tmp_path, kind):
    (tmp_path / "x.jsonl").write_text(json.dumps(RAW))
    path = tmp_path / f"x.{kind}"
    [whole] = formats.read(tmp_path / "x.jsonl", "jsonl", split=False)
    if kind != "jsonl":
        formats.write(path, [whole], kind)
    assert len(list(formats.read(path))) == 2
    [again] = formats.read(path, split=False)
    assert (again.tokens, again.relations) == (whole.tokens, (Relation("Knows", 0, 1),))


@pytest.mark.parametrize("kind", ["multihead", "corp", "spert", "dygie", "conll"])
def test_sentences_of_tokens_are_no_documents_to_keep_whole(samples, kind):
    name = next(name for name, own in SAMPLES.items() if own == kind)
    with pytest.raises(UsageError, match=rf"{kind} holds sentences.*for jsonl, brat, doccano, labelstudio"):
        formats.read(samples / name, split=False)
