"""Runs into SQLite and PostgreSQL that are left, killed, repeated or stand side by side."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from biaffinity.bulk.run import Event, Finished, Started, extract_into
from biaffinity.bulk.sinks import Mark, sink_named
from biaffinity.bulk.sinks.store import StoreSink
from biaffinity.bulk.sources import Inputs
from biaffinity.errors import DataError, UsageError
from biaffinity.formats import Machine
from biaffinity.store import open_store
from bulk import capitals
from bulk.runs import interrupt, names, run, write
from bulk.sinks.tables import held

pytestmark = pytest.mark.usefixtures("small_chunks")

TESTS = Path(__file__).parents[2]


def run_noting(out: str, name: str = "in.jsonl", **options: Any) -> tuple[list[Event], str]:
    """A run, and what it reports of changes."""
    sink = sink_named(None, out, by=Machine("capitals 1"))
    events = list(extract_into(sink, Inputs([name]), capitals.load, {}, **options))
    return events, str(sink.report)


def count(store: str, table: str) -> int:
    with open_store(store) as database:
        return int(database.select(f"SELECT count(*) FROM {table}")[0][0])


@pytest.mark.parametrize("workers", [1, 2])
def test_a_store_holds_what_was_found(store: str, workers: int) -> None:
    write("in.jsonl", [*names(7), "no name"])
    assert run(out=store, workers=workers)[-1] == Finished(8)
    with open_store(store) as database:
        rows = database.select("SELECT document, head, type, tail, score FROM relation_rows")
        assert rows == [(f"in.jsonl:{n + 1}", f"Bo{n}", "Next", f"Al{n}", 0.5) for n in range(7)]
        assert database.select("SELECT count(*) FROM documents") == [(8,)]


def test_documents_of_another_input_are_added(store: str) -> None:
    write("in.jsonl", names(7))
    write("more.jsonl", names(4))
    run(out=store)
    assert run("more.jsonl", out=store)[-1] == Finished(4)
    assert (count(store, "documents"), count(store, "runs")) == (11, 2)


def test_a_document_that_has_changed_replaces_its_rows_and_that_is_told(store: str) -> None:
    write("in.jsonl", names(7))
    run(out=store)
    write("in.jsonl", [*names(3), "Cy met Di.", *names(7)[4:]])
    events, report = run_noting(store)
    assert events[-1] == Finished(7)
    assert "replaced an earlier one of the same id" in report
    with open_store(store) as database:
        rows = database.select("SELECT head FROM relation_rows WHERE document = 'in.jsonl:4'")
    assert rows == [("Cy",)]
    assert count(store, "relation_mentions") == 7


def test_of_two_documents_of_one_id_the_later_is_kept_and_that_is_told(store: str) -> None:
    Path("in.jsonl").write_text("".join(f'{{"id": "x", "text": "Bo met Al{n}."}}\n' for n in range(12)))
    events, report = run_noting(store)
    assert events[-1] == Finished(12)
    assert "document replaced by a later one of the same id" in report
    with open_store(store) as database:
        assert database.select("SELECT tail FROM relation_rows") == [("Al11",)]


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_run_that_was_left_is_gone_on_with(store: str, after: int) -> None:
    write("in.jsonl", [*names(8), "Boom", "no name", *names(8)])
    interrupt(after, out=store)
    events = run(out=store, resume=True)
    assert events[0] == Started(Path("in.jsonl").stat().st_size, 5 * after)
    assert events[-1] == Finished(17, 1)
    ids = [f"in.jsonl:{number}" for number in range(1, 19) if number != 9]
    with open_store(store) as database:
        assert database.select("SELECT name FROM documents ORDER BY id") == [(name,) for name in ids]
        assert database.select("SELECT document, problem FROM failures") == [
            (8, "in.jsonl:9: ZeroDivisionError: boom")
        ]


def test_an_unfinished_run_is_not_begun_again_unless_forced(store: str) -> None:
    write("in.jsonl", names(20))
    interrupt(2, out=store)
    with pytest.raises(UsageError, match=r"did not come to its end \(--resume goes on with it, --force beg"):
        run(out=store)
    assert run(out=store, force=True)[-1] == Finished(20)
    assert count(store, "relation_mentions") == 20


def test_an_unfinished_run_does_not_hinder_one_over_another_input(store: str) -> None:
    write("in.jsonl", names(20))
    write("more.jsonl", names(3))
    interrupt(2, out=store)
    assert run("more.jsonl", out=store)[-1] == Finished(3)
    assert run(out=store, resume=True)[-1] == Finished(20)


def test_other_settings_do_not_go_on_with_a_run(store: str) -> None:
    write("in.jsonl", names(20))
    interrupt(2, out=store)
    with pytest.raises(UsageError, match=r"the unfinished run had --min-score None, this one has 0\.5"):
        run(out=store, resume=True, settings={"--min-score": 0.5})


def test_another_input_does_not_go_on_with_a_run(store: str) -> None:
    write("in.jsonl", names(20))
    interrupt(2, out=store)
    write("in.jsonl", ["Al", *names(19)])
    with pytest.raises(UsageError, match="the first 10 documents are not those that the unfinished run"):
        run(out=store, resume=True)


def test_a_finished_run_has_nothing_left_and_knows_its_input(store: str) -> None:
    write("in.jsonl", names(3))
    run(out=store)
    assert run(out=store, resume=True) == [Finished(3, complete_before=True)]
    write("in.jsonl", names(4))
    with pytest.raises(UsageError, match="was made from other documents than these"):
        run(out=store, resume=True)


@pytest.mark.parametrize("workers", [1, 2])
def test_what_failed_for_a_passing_reason_is_added(store: str, workers: int) -> None:
    write("in.jsonl", ["Boom", *names(7), "Boom", "Boom met Al", *names(4)])
    assert run(out=store)[-1] == Finished(11, 3)
    assert run(out=store, resume=True)[-1] == Finished(11, 3, complete_before=True)  # they fail again
    assert count(store, "failures") == 3
    events = run(out=store, resume=True, load=capitals.Hardy, workers=workers)
    assert events[-1] == Finished(14, 0, complete_before=True)
    assert (count(store, "failures"), count(store, "documents")) == (0, 14)
    assert run(out=store, resume=True) == [Finished(14, 0, complete_before=True)]


def test_some_of_what_failed_is_added_and_some_is_kept(store: str) -> None:
    Path("in.jsonl").write_text('{"text": "Boom"}\n{"text": "Bo"}\nnonsense\n{"text": "Boom"}\n')
    assert run(out=store)[-1] == Finished(1, 3)
    assert run(out=store, resume=True, load=capitals.Hardy)[-1] == Finished(3, 1, complete_before=True)
    with open_store(store) as database:
        assert database.select("SELECT document FROM failures") == [(2,)]


def test_a_run_that_came_nowhere_leaves_nothing(store: str) -> None:
    write("in.jsonl", names(3))
    with pytest.raises(DataError):
        run(out=store, load=partial(capitals.load, "none"))
    assert [path.name for path in Path().iterdir()] == ["in.jsonl"]
    assert count(store, "runs") == 0


def test_a_store_that_another_is_making_is_not_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    write("in.jsonl", names(20))
    events = extract_into(sink_named(None, "facts.db"), Inputs(["in.jsonl"]), capitals.load, {})
    next(events)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "exists", lambda self: False)  # as it was a moment before
        with pytest.raises(UsageError, match="another process is writing it"):
            sink_named("sqlite", "facts.db").open({}, {}, resume=True)
    assert list(events)[-1] == Finished(20)
    assert count("facts.db", "documents") == 20


def test_no_documents_are_a_run_all_the_same(store: str) -> None:
    write("in.jsonl", [])
    assert run(out=store)[-1] == Finished()
    assert run(out=store, resume=True) == [Finished(complete_before=True)]


def test_a_second_writer_of_the_same_run_is_told_so(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from biaffinity.store import postgresql

    monkeypatch.setattr(postgresql, "_PATIENCE", 1)
    write("in.jsonl", names(20))
    events = extract_into(sink_named(None, store), Inputs(["in.jsonl"]), capitals.load, {})
    next(events)
    with pytest.raises(UsageError, match="another process is writing"):
        run(out=store, resume=True)
    assert list(events)[-1] == Finished(20)


def test_a_run_that_somebody_else_has_gone_on_with_is_not_written_over(store: str) -> None:
    """Should a lock ever fail, the position in the transaction still holds."""
    sink = StoreSink(store, "m")
    with sink.open({}, {"input": ["x"]}, resume=True):
        sink.commit(Mark(1, "a"))
        with open_store(store) as other:
            other.change("UPDATE runs SET position = 7")
        sink.append(sink.render(capitals.load()._read("Bo met Al.", "x:2")))
        with pytest.raises(DataError, match="another process has gone on with the same run"):
            sink.commit(Mark(2, "b"))
    assert count(store, "documents") == 0


def test_strange_characters_are_held_or_replaced_and_told(store: str) -> None:
    write("in.jsonl", ["Bo\0 met \U0001f600Al\u2028."])
    events, report = run_noting(store)
    assert events[-1] == Finished(1)
    with open_store(store) as database:
        ((text,),) = database.select("SELECT text FROM documents")
        assert text == f"Bo{chr(0) if database.holds_nul else chr(0xFFFD)} met \U0001f600Al\u2028."
        assert ("NUL replaced" in report) != database.holds_nul
        ((head, start, end),) = database.select("SELECT text, start_char, end_char FROM mentions LIMIT 1")
        assert text[start:end] == head


def test_a_damaged_store_is_told_and_left_alone() -> None:
    write("in.jsonl", names(20))
    Path("facts.db").write_bytes(b"SQLite format 3\0" + bytes(5000))
    with pytest.raises(DataError, match=r"facts\.db: "):
        run(out="facts.db")
    assert Path("facts.db").stat().st_size == 5016


# One child after the other kills itself before the next call to the database; the same process then
# goes on with what is left.
EVERY_KILL = """
import os, signal, sys
sys.path.insert(0, {tests!r})
from biaffinity.bulk import run as module
from biaffinity.bulk.sinks import sink_named
from biaffinity.bulk.sources import Inputs
from biaffinity.store import database, open_store, postgresql, sqlite
from bulk import capitals
from bulk.sinks.tables import emptied, held

module.CHUNK_DOCUMENTS, module._COMMIT_SECONDS = 3, 0.0
store, kind, calls, last = {store!r}, {kind}, 0, None

def run(resume=False):
    sink = sink_named(None, store)
    for _ in module.extract_into(sink, Inputs(["in.jsonl"]), capitals.load, {{}}, resume=resume):
        pass

def touched():
    global calls
    calls += 1
    if calls == last:
        os.kill(os.getpid(), signal.SIGKILL)

def killing(method):
    def called(self, *arguments, **options):
        touched()
        return method(self, *arguments, **options)
    return called

emptied(store)
run()
whole, kills = held(store), 0
while True:
    emptied(store)
    kills += {step}
    child = os.fork()
    if not child:
        calls, last = 0, kills
        for name in ("select", "change", "change_each", "insert"):
            setattr(kind, name, killing(getattr(kind, name)))
        run()
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if not os.WIFSIGNALED(status):
        assert status == 0, status
        break
    run(resume=True)
    assert held(store) == whole, kills
print(kills)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_at_any_call_to_its_database_a_run_ends_with_every_document_once(store: str) -> None:
    write("in.jsonl", [*names(3), "Boom", "no name", *names(2)])
    server = store.startswith("postgresql")
    kind = "postgresql.PostgreSQL" if server else "sqlite.SQLite"
    script = EVERY_KILL.format(tests=str(TESTS), store=store, kind=kind, step=3 if server else 2)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, text=True)
    assert done.stderr == ""
    assert int(done.stdout) > 30


SLOW_RUN = """
import sys
sys.path.insert(0, {tests!r})
from biaffinity.bulk import run as module
from biaffinity.bulk.sinks import sink_named
from biaffinity.bulk.sources import Inputs
from bulk import capitals

if __name__ == "__main__":
    module.CHUNK_DOCUMENTS, module._COMMIT_SECONDS = 5, 0.0
    sink = sink_named(None, {store!r})
    for event in module.extract_into(
        sink, Inputs(["in.jsonl"]), capitals.load, {{}}, workers=2, resume=True
    ):
        print(event, flush=True)
"""


def test_killed_at_several_moments_with_its_workers_a_run_ends_with_every_document_once(store: str) -> None:
    write("in.jsonl", [f"Slow {text}" for text in names(100)])
    script = SLOW_RUN.format(tests=str(TESTS), store=store)
    for wait in (0.0, 0.1):
        program = subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert program.stdout is not None
        assert program.stderr is not None
        assert program.stdout.readline().startswith("Started")
        assert program.stdout.readline().startswith("Advanced")
        time.sleep(wait)
        program.send_signal(signal.SIGKILL)
        program.stdout.read()  # to its end, which is that of the workers too
        assert "Traceback" not in program.stderr.read()
        program.stdout.close()
        program.stderr.close()
        program.wait()
    events = run(out=store, resume=True)
    assert events[-1] == Finished(100)
    documents, relations, failures, runs = held(store)
    assert [name for name, _ in documents] == [f"in.jsonl:{number}" for number in range(1, 101)]
    assert (len(relations), failures, [row[0] for row in runs]) == (200, [], [100])


def test_a_server_that_goes_away_in_mid_run_leaves_a_run_to_go_on_with(postgresql: Any) -> None:
    write("in.jsonl", names(40))
    store = postgresql.empty_database()
    events = extract_into(sink_named(None, store), Inputs(["in.jsonl"]), capitals.load, {})
    for _ in range(3):
        next(events)
    postgresql.stop()
    with pytest.raises(DataError, match="the server has gone away"):
        list(events)
    with pytest.raises(DataError, match="cannot be reached"):
        run(out=store, resume=True)
    postgresql.start()
    assert run(out=store, resume=True)[-1] == Finished(40)
    assert [name for name, _ in held(store)[0]] == [f"in.jsonl:{number}" for number in range(1, 41)]
