"""Text in, entities and relations out: offsets, scores, thresholds, threads and processes."""

from __future__ import annotations

import multiprocessing
import pickle
import subprocess
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

import biaffinity
from biaffinity import Document, Extractor, Sentence, TextInput
from biaffinity.decoding.prediction import predict
from biaffinity.errors import BiaffinityError, DataError, MissingExtraError, UsageError
from biaffinity.extraction import BiaffinityWarning, loading, pieces
from biaffinity.model.joint import JointModel
from biaffinity.model.network import TorchNetwork
from extraction.texts import ANA, TOVE, texts
from model.tiny import assert_alike, bare

#: Names that the models know, and no word about what they have to do with each other.
CROWD = "Norvik Oil and Ana Ruiz left Bergen, Solund and Tove Lind."

CASES = {
    "empty": "",
    "spaces": " \t ",
    "emoji": f"👩‍👩‍👧 {ANA} 🇳🇴🏴󠁧󠁢󠁳󠁣󠁴󠁿",
    "right to left": f"שלום עולם. {ANA} مرحبا بالعالم؟",
    "combining characters": f"e\u0301 {ANA} \u0301\u0302",
    "NUL": f"\0{ANA}\0\0 {TOVE}\0",
    "mixed line ends": f"{ANA}\r\n\r{TOVE}\n\n\r\r{ANA}\u2028{TOVE}\u2029",
    "lone surrogate": f"\ud800 {ANA}",
    "one long word": "x" * 1_000_000,
    "white space": " " * 1_000_000,
}


def assert_sound(document: Document, text: str) -> None:
    assert document.text == text
    for mention in document.entities:
        assert text[mention.start_char : mention.end_char] == mention.text
        assert mention.score is not None
        assert 0 <= mention.score <= 1
    for relation in document.relations:
        assert text[relation.start_char : relation.end_char] == relation.text
        assert relation.score is not None
        assert 0 <= relation.score <= 1


def assert_same(ours: Document, theirs: Document) -> None:
    """The same but for the last digits of scores, which hang on what else was in a batch."""
    assert ours.text == theirs.text
    for one, other in zip(ours.sentences, theirs.sentences, strict=True):
        assert_alike(one, other)


def python(program: str, *arguments: object) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_entities_and_relations_have_text_characters_type_and_score(extractor: Extractor) -> None:
    document = extractor(f"\n {ANA}")
    found = [(e.text, e.start_char, e.end_char, e.type) for e in document.entities]
    assert found == [
        ("Ana Ruiz", 2, 10, "Peop"),
        ("Norvik Oil", 21, 31, "Org"),
        ("Bergen", 35, 41, "Loc"),
        ("Norway", 43, 49, "Loc"),
    ]
    assert ("Ana Ruiz", "Work_For", "Norvik Oil") in document.triples()
    assert_sound(document, f"\n {ANA}")


@pytest.mark.parametrize("runtime", ["onnx", "torch"])
def test_finds_what_the_network_finds_sentence_by_sentence(
    folder: Path, trained: JointModel, news: list[Sentence], runtime: Any
) -> None:
    text = "".join(sentence.text or "" for sentence in news)
    document = biaffinity.load(folder, runtime=runtime)(text)
    for ours, theirs in zip(document.sentences, predict(TorchNetwork(trained), news), strict=True):
        assert ours.tokens == theirs.tokens
        assert [(e.start, e.end, e.type) for e in ours.entities] == [
            (e.start, e.end, e.type) for e in theirs.entities
        ]
        for one, other in zip(ours.relations, theirs.relations, strict=True):
            assert (one.type, one.head, one.tail) == (other.type, other.head, other.tail)
            assert one.score == pytest.approx(other.score, abs=1e-4)


@pytest.mark.parametrize("name", CASES)
def test_no_text_is_too_strange(extractor: Extractor, name: str) -> None:
    assert_sound(extractor(CASES[name]), CASES[name])


@given(texts())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_offsets_are_right_in_any_text(extractor: Extractor, text: str) -> None:
    assert_sound(extractor(text), text)


@given(texts())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_runtimes_find_the_same_in_any_text(
    extractor: Extractor, trained: JointModel, text: str
) -> None:
    assert_same(extractor(text), Extractor(TorchNetwork(trained))(text))


@pytest.mark.parametrize("wrong", [None, 7, b"Ana", ["Ana", 7]])
def test_a_text_that_is_no_string_is_refused(extractor: Extractor, wrong: Any) -> None:
    with pytest.raises(UsageError, match="must be a string"):
        extractor(wrong)


def test_tokens_are_taken_as_they_are(extractor: Extractor) -> None:
    tokens = ["Ana", "Ruiz", "works", "for", "Norvik", "Oil", "in", "Bergen", ",", "Norway", "."]
    document = extractor.tokens(tokens)
    assert document.text == " ".join(tokens)
    assert [sentence.tokens for sentence in document.sentences] == [tuple(tokens)]
    assert [e.text for e in document.entities] == ["Ana Ruiz", "Norvik Oil", "Bergen", "Norway"]
    assert_sound(document, " ".join(tokens))


def test_no_tokens_are_an_empty_text(extractor: Extractor) -> None:
    assert extractor.tokens([]).text == ""


@pytest.mark.parametrize("wrong", ["Ana Ruiz", ["Ana", ""], ["Ana", 7], None, 7])
def test_tokens_that_are_no_strings_are_refused(extractor: Extractor, wrong: Any) -> None:
    with pytest.raises(UsageError, match="tokens"):
        extractor.tokens(wrong)


def test_min_score_leaves_out_what_scores_less(extractor: Extractor) -> None:
    everything = extractor(ANA)
    bar = sorted(e.score or 0 for e in everything.entities)[1]
    kept = extractor(ANA, min_score={"entities": bar})
    assert [e.text for e in kept.entities] == [
        e.text for e in everything.entities if e.score is not None and e.score >= bar
    ]
    assert len(kept.entities) == 3


def test_an_entity_takes_its_relations_with_it(extractor: Extractor) -> None:
    kept = extractor(ANA, min_score={"Org": 1.0})
    assert [e.text for e in kept.entities] == ["Ana Ruiz", "Bergen", "Norway"]
    assert kept.triples() == [("Bergen", "Located_In", "Norway")]


def test_min_score_of_a_relation_leaves_entities_alone(extractor: Extractor) -> None:
    kept = extractor(ANA, min_score={"Work_For": 1.0})
    assert len(kept.entities) == 4
    assert {type_ for _, type_, _ in kept.triples()} == {"OrgBased_In", "Located_In"}


def test_the_min_score_of_a_call_comes_before_that_of_the_extractor(folder: Path) -> None:
    strict = biaffinity.load(folder, min_score=1.0)
    assert strict(ANA).entities == strict.tokens(ANA.split()).entities == ()
    assert len(strict(ANA, min_score=0).entities) == 4
    assert_same(strict(ANA, min_score={}), biaffinity.load(folder)(ANA))


def links(document: Document) -> set[tuple[int, int, str]]:
    places = {entity: place for place, entity in enumerate(document.entities)}
    return {(places[r.head], places[r.tail], r.type) for r in document.relations}


@pytest.mark.parametrize("runtime", ["onnx", "torch"])
@pytest.mark.parametrize("model", ["folder", "transformer_folder"])
def test_a_low_min_score_finds_relations_that_the_model_does_not_decide_for(
    model: str, runtime: Any, request: pytest.FixtureRequest
) -> None:
    unsure = biaffinity.load(request.getfixturevalue(model), runtime=runtime)
    decided, everything, some = unsure(CROWD), unsure(CROWD, min_score=0), unsure(CROWD, min_score=0.05)
    assert decided.entities == everything.entities
    assert links(decided) < links(everything)
    assert min(r.score for r in everything.relations) < 0.05  # type: ignore[type-var]
    wanted = [r for r in everything.relations if r.score is not None and r.score >= 0.05]
    assert [(r.type, r.head, r.tail) for r in some.relations] == [(r.type, r.head, r.tail) for r in wanted]


def test_a_relation_scores_no_more_than_its_entities(extractor: Extractor) -> None:
    for relation in extractor(f"{ANA} {TOVE} Norvik Oil of Solund.", min_score=0).relations:
        assert relation.score <= min(relation.head.score, relation.tail.score)  # type: ignore[operator,type-var]


def test_each_text_of_a_stream_has_its_own_least_score(extractor: Extractor) -> None:
    """They share a batch, and what is unlikely is found for those that asked for it."""
    asked = [TextInput(CROWD, min_score=least) for least in (None, 0, {"Located_In": 0}, 1.0)]
    counts = [len(document.relations) for document in extractor.stream(asked)]
    alone = [len(extractor(CROWD, min_score=item.min_score).relations) for item in asked]
    assert counts == alone
    assert counts[3] == 0 < counts[0] < counts[2] < counts[1]


def test_unlikely_relations_are_found_between_given_entities(extractor: Extractor) -> None:
    given = [(15, 23, "Peop"), (29, 35, "Loc"), (37, 43, "Loc")]
    decided, everything = extractor(CROWD, entities=given), extractor(CROWD, entities=given, min_score=0)
    assert [e.text for e in everything.entities] == ["Ana Ruiz", "Bergen", "Solund"]
    assert links(decided) < links(everything)


@pytest.mark.parametrize("wrong", [-0.1, 1.1, "high", True, {"Pope": 0.5}, {"entities": 2}, {"Kill": None}])
def test_a_min_score_that_makes_no_sense_is_refused(extractor: Extractor, wrong: Any) -> None:
    with pytest.raises(UsageError, match="min_score"):
        extractor(ANA, min_score=wrong)


@pytest.fixture
def short_pieces(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Eight tokens are a monstrous sentence."""
    monkeypatch.setattr(pieces, "LONGEST", 8)
    return


@pytest.mark.usefixtures("short_pieces")
def test_a_monstrous_sentence_is_read_in_pieces_and_said_so(extractor: Extractor) -> None:
    text = f"{TOVE} One two three four five, six seven eight nine ten. {TOVE}"
    with pytest.warns(BiaffinityWarning, match=r"sentence at character 27 has 12 tokens.* 2 pieces"):
        document = extractor(text)
    assert document.text == text
    assert max(len(sentence) for sentence in document.sentences) <= 8
    assert [sentence.id for sentence in document.sentences] == [
        str(number) for number in range(len(document.sentences))
    ]


@pytest.mark.usefixtures("short_pieces")
@pytest.mark.parametrize(
    "call",
    [
        lambda extractor: extractor("a b c d e f g h i j"),
        lambda extractor: extractor("a b c d e f g h i j", entities=[(0, 1)]),
        lambda extractor: extractor.tokens(list("abcdefghij")),
    ],
    ids=["text", "entities", "tokens"],
)
def test_the_warning_is_for_the_line_that_called_the_extractor(extractor: Extractor, call: Any) -> None:
    with pytest.warns(BiaffinityWarning) as caught:
        call(extractor)
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.usefixtures("short_pieces")
@pytest.mark.parametrize(
    ("text", "pieces_of_text"),
    [
        ("a b, c d e; f g, h i j", ["a b, c d e; ", "f g, h i j"]),
        ("a b c d e f, g h i j", ["a b c d e f, ", "g h i j"]),
        ("a b c d e\nf; g h i j", ["a b c d e\n", "f; g h i j"]),
        ("a b c d e f g h i j", ["a b c d e f g h ", "i j"]),
        ("😀😀😀😀 😀😀😀😀😀😀", ["😀😀😀😀 ", "😀😀😀😀😀😀"]),
        ("😀😀😀😀😀😀😀😀😀😀", ["😀😀😀😀😀😀😀😀", "😀😀"]),
    ],
)
def test_a_sentence_is_cut_where_it_hurts_least(
    extractor: Extractor, text: str, pieces_of_text: list[str]
) -> None:
    with pytest.warns(BiaffinityWarning):
        document = extractor(text)
    assert [sentence.text for sentence in document.sentences] == pieces_of_text


@pytest.mark.usefixtures("short_pieces")
@given(texts())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_offsets_are_right_in_pieces_too(extractor: Extractor, text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BiaffinityWarning)
        document = extractor(text)
    assert_sound(document, text)
    assert all(len(sentence) <= 8 for sentence in document.sentences)


@pytest.mark.parametrize("runtime", ["onnx", "torch"])
def test_threads_may_share_an_extractor(folder: Path, runtime: Any) -> None:
    many = [f"{ANA} word{number} {TOVE} " * 3 for number in range(40)]
    alone, shared = (biaffinity.load(folder, runtime=runtime) for _ in range(2))
    serial = [alone(text) for text in many]
    with ThreadPoolExecutor(8) as pool:
        for ours, theirs in zip(pool.map(shared, many), serial, strict=True):
            assert_same(ours, theirs)


def test_processes_may_be_sent_an_extractor(folder: Path) -> None:
    loaded = biaffinity.load(folder, min_score={"relations": 0.1})
    many = [ANA, TOVE, ANA + " " + TOVE, ""]
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        for ours, theirs in zip(pool.map(loaded, many), map(loaded, many), strict=True):
            assert_same(ours, theirs)


def test_a_process_reads_an_extractor_once_however_often_it_is_sent(folder: Path) -> None:
    sent = pickle.dumps(biaffinity.load(folder))
    received = pickle.loads(sent)
    assert pickle.loads(sent) is received
    assert pickle.loads(pickle.dumps(received)) is received
    assert pickle.loads(pickle.dumps(biaffinity.load(folder))) is not received


def test_an_extractor_without_a_folder_cannot_be_sent(trained: JointModel) -> None:
    with pytest.raises(UsageError, match=r"biaffinity\.load"):
        pickle.dumps(Extractor(TorchNetwork(trained)))


def test_types_are_known(extractor: Extractor) -> None:
    assert extractor.entity_types == ("Loc", "Org", "Other", "Peop")
    assert "Work_For" in extractor.relation_types


def test_importing_the_package_costs_nothing() -> None:
    assert python("import sys, biaffinity\nprint('numpy' in sys.modules)") == "False"


def test_no_way_to_extract_imports_pytorch(folder: Path) -> None:
    program = (
        "import sys, biaffinity\n"
        "extractor, text = biaffinity.load(sys.argv[1]), sys.argv[2]\n"
        "found = [extractor(text), extractor(text, entities=[(0, 8)]), extractor.tokens(text.split())]\n"
        "found += extractor.stream([text, biaffinity.TextInput(text, entities=[(0, 8)])])\n"
        "found += extractor.annotate(found[:1], entities='keep')\n"
        "print([len(document.entities) for document in found], {'torch', 'onnx'} & sys.modules.keys())"
    )
    assert python(program, folder, ANA) == "[4, 1, 3, 4, 1, 4] set()"


def test_without_pytorch_its_runtime_names_the_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"biaffinity\[train\]"):
        biaffinity.load(folder, runtime="torch")


def test_without_the_embedded_model_the_error_says_how_to_make_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(loading, "EMBEDDED", tmp_path)
    with pytest.raises(DataError, match="make model"):
        biaffinity.load()


@pytest.mark.parametrize(
    "options",
    [
        {"runtime": "jax"},
        {"device": "cuda"},
        {"runtime": "torch", "device": "abacus"},
        {"threads": 0},
        {"threads": "two"},
        {"model": 7},
        {"model": "no/such/folder"},
        {"min_score": 7},
    ],
)
def test_a_load_that_makes_no_sense_is_refused(folder: Path, options: dict[str, Any]) -> None:
    with pytest.raises(BiaffinityError):
        biaffinity.load(**{"model": folder, **options})


def test_a_model_that_is_given_entities_asks_for_them(within: Extractor) -> None:
    calls = (lambda: within(ANA), lambda: list(within.stream([ANA])), lambda: within.tokens(ANA.split()))
    for call in calls:
        with pytest.raises(UsageError, match="pass entities"):
            call()


def test_annotation_is_not_invented_for_an_empty_sentence(extractor: Extractor) -> None:
    (sentence,) = extractor("   ").sentences
    assert bare(sentence) == Sentence([], id="0", text="   ", token_spans=[])


def test_several_texts_give_a_list_of_documents(extractor: Extractor) -> None:
    documents = extractor([ANA, "", TOVE])
    assert isinstance(documents, list)
    for ours, theirs in zip(documents, map(extractor, [ANA, "", TOVE]), strict=True):
        assert_same(ours, theirs)


def test_several_texts_have_entities_each(extractor: Extractor) -> None:
    one, other = extractor([ANA, TOVE], entities=[[(0, 8), (19, 29)], None])
    assert [e.text for e in one.entities] == ["Ana Ruiz", "Norvik Oil"]
    assert_same(other, extractor(TOVE))


def test_an_extractor_tells_what_it_is(extractor: Extractor, within: Extractor) -> None:
    types = "entities: Loc, Org, Other, Peop; relations: Kill, Live_In, Located_In, OrgBased_In, Work_For"
    assert repr(extractor) == f"Extractor('news', {types})"
    assert repr(within) == f"Extractor({types})"
