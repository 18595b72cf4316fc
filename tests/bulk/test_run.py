from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from biaffinity.bulk import run as module
from biaffinity.bulk.readers import Fault, Text
from biaffinity.bulk.run import (
    Advanced,
    Batch,
    Finished,
    InputDigest,
    Noted,
    Skipped,
    Started,
    annotate_all,
    cut,
)
from biaffinity.bulk.sinks.json_lines import json_line
from biaffinity.errors import BiaffinityError
from bulk import capitals
from bulk.runs import interrupt, names, run, write

pytestmark = pytest.mark.usefixtures("small_chunks")


def items(*texts: str) -> Iterator[Text | Fault]:
    for number, text in enumerate(texts):
        yield (
            Fault(f"{number}: bad", number)
            if text == "bad"
            else Text(text, str(number), f"n:{number}", number)
        )


def records(batches: Iterator[Batch[str]]) -> list[str]:
    return [json.loads(record)["id"] for batch in batches for record in batch.records]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_records_come_in_the_order_of_the_documents(workers: int) -> None:
    texts = ["Slow Bo." if n % 11 == 0 else f"Bo{n}." for n in range(63)]
    batches = annotate_all(items(*texts), capitals.load, json_line, workers)
    assert records(batches) == [str(n) for n in range(63)]


@pytest.mark.parametrize("workers", [1, 2])
def test_one_bad_document_is_a_fault_and_the_others_are_annotated(workers: int) -> None:
    texts = ["Bo.", "Boom!", "Al.", "bad", "Cy."]
    (batch,) = annotate_all(items(*texts), capitals.load, json_line, workers)
    assert [json.loads(record)["id"] for record in batch.records] == ["0", "2", "4"]
    assert [fault.problem for fault in batch.faults] == ["n:1: ZeroDivisionError: boom", "3: bad"]
    assert batch.documents == 5


@pytest.mark.parametrize("workers", [1, 2])
def test_no_documents_give_no_batches(workers: int) -> None:
    assert list(annotate_all([], capitals.load, json_line, workers)) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_a_model_that_cannot_be_loaded_is_an_error(workers: int) -> None:
    with pytest.raises(BiaffinityError, match="none: no such model folder"):
        list(annotate_all(items("Bo."), partial(capitals.load, "none"), json_line, workers))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_warning_is_told_once(workers: int) -> None:
    (batch,) = annotate_all(items("Warn Bo.", "Boom"), capitals.load, json_line, workers)
    assert batch.notes == ["document 0: beware"]


@pytest.mark.filterwarnings("default")
def test_a_warning_that_is_not_ours_is_shown_as_ever() -> None:
    with pytest.warns(DeprecationWarning, match="old"):
        (batch,) = annotate_all(items("Deprecated."), capitals.load, json_line)
    assert batch.notes == []


@pytest.mark.parametrize("workers", [1, 2])
def test_the_input_is_read_only_a_little_ahead(workers: int) -> None:
    taken = 0

    def endless() -> Iterator[Text]:
        nonlocal taken
        while True:
            taken += 1
            yield Text("Bo.", "x", "x", taken)

    batches = annotate_all(endless(), capitals.load, json_line, workers)
    for number in range(1, 101):
        next(batches)
        assert taken <= 5 * (number + 4 * workers)
    batches.close()


def test_a_worker_that_dies_is_an_error_and_not_waited_for() -> None:
    batches = annotate_all(items(*names(40), "Die!"), capitals.load, json_line, 2)
    with pytest.raises(BiaffinityError, match=r"a worker process was killed by signal 9 \(is memory short"):
        list(batches)


def test_chunks_are_bounded_by_characters_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK_CHARACTERS", 10)
    chunks = cut(items("12345", "12345", "x" * 100, "", "", "bad", "1", "2"), InputDigest())
    assert [len(chunk.items) for chunk in chunks] == [2, 1, 5]


def test_a_sink_gathers_no_more_than_some_chunks_however_fast_they_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_COMMIT_SECONDS", 3600.0)
    monkeypatch.setattr(module, "_COMMIT_CHUNKS", 2)
    write("in.jsonl", names(30))
    interrupt(after=4)
    first, *_, last = run(resume=True)
    assert isinstance(first, Started)
    assert first.earlier == 4 * 5
    assert last == Finished(30)


def test_the_digest_tells_texts_and_their_borders_apart() -> None:
    def digest(*texts: str) -> str:
        *_, last = cut(items(*texts), InputDigest())
        return last.digest

    assert len({digest("a", "b"), digest("ab", ""), digest("b", "a"), digest("a"), digest("a", "bad")}) == 5
    assert digest("a", "b") == digest("a", "b")


def test_a_run_tells_what_happens() -> None:
    write("in.jsonl", ["Bo met Al.", "Boom", "Warn Bo.", *names(4)])
    events = run()
    size = Path("in.jsonl").stat().st_size
    assert events[0] == Started(size, 0)
    assert [event for event in events if isinstance(event, Skipped)] == [
        Skipped("in.jsonl:2: ZeroDivisionError: boom")
    ]
    assert [event for event in events if isinstance(event, Noted)] == [Noted("document in.jsonl:3: beware")]
    advances = [event for event in events if isinstance(event, Advanced)]
    assert [event.documents for event in advances] == [5, 2]
    assert sum(event.tokens for event in advances) == 4 + 3 + 4 * 5
    assert advances[-1].read == size
    assert events[-1] == Finished(documents=6, skipped=1)
    assert sorted(path.name for path in Path().iterdir()) == [
        "in.jsonl",
        "out.jsonl",
        "out.jsonl.failed.jsonl",
        "out.jsonl.run.json",
    ]


def test_what_is_written_is_what_the_extractor_says() -> None:
    write("in.jsonl", names(12))
    run(workers=2)
    lines = Path("out.jsonl").read_text(encoding="utf-8").splitlines()
    documents = [
        d for d, _ in capitals.load().stream((t, f"in.jsonl:{n}") for n, t in enumerate(names(12), 1))
    ]
    assert lines == [json_line(document).strip() for document in documents]
