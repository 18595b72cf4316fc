"""Runs that are left, killed or spoilt, and what becomes of their files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from biaffinity.annotation import Document
from biaffinity.bulk.run import Finished, Started
from biaffinity.errors import BiaffinityError, DataError, UsageError
from bulk import capitals
from bulk.runs import content, interrupt, names, run, write

pytestmark = pytest.mark.usefixtures("small_chunks")

TESTS = Path(__file__).parents[2]


def test_an_output_that_is_there_is_not_written_over() -> None:
    write("in.jsonl", names(3))
    Path("out.jsonl").write_text("mine")
    with pytest.raises(UsageError, match=r"out.jsonl: is there already \(name another --out, or --force\)"):
        run()
    assert Path("out.jsonl").read_text() == "mine"


def test_an_unfinished_run_is_not_written_over() -> None:
    write("in.jsonl", names(20))
    interrupt(2)
    with pytest.raises(UsageError, match="an earlier run did not come to its end"):
        run()


def test_a_finished_run_has_nothing_left() -> None:
    write("in.jsonl", names(3))
    run()
    before = Path("out.jsonl").read_bytes()
    assert run(resume=True) == [Finished(3, complete_before=True)]
    assert Path("out.jsonl").read_bytes() == before


def test_a_finished_run_over_no_documents_has_nothing_left() -> None:
    write("in.jsonl", [])
    assert run() == [Started(0, 0), Finished()]
    assert run(resume=True) == [Finished(complete_before=True)]


@pytest.mark.parametrize("out", ["out.jsonl", "out.json"])
def test_a_forced_run_that_was_left_is_gone_on_with_and_then_replaces_what_was_there(out: str) -> None:
    write("in.jsonl", names(3))
    run(out=out)
    before = content(out)
    write("in.jsonl", names(20))
    interrupt(2, out=out, force=True)
    assert content(out) == before
    assert run(out=out, resume=True)[-1] == Finished(20)
    run(out=f"whole-{out}")
    assert content(out) == content(f"whole-{out}")
    assert run(out=out, resume=True) == [Finished(20, complete_before=True)]


def test_a_forced_run_forgets_an_unfinished_one() -> None:
    write("in.jsonl", names(20))
    interrupt(2)
    assert run(force=True, settings={"--min-score": 0.5}) == [*run(out="other.jsonl")[:-1], Finished(20)]


def test_an_empty_folder_is_written_into_and_no_other() -> None:
    write("in.jsonl", names(3))
    Path("out-brat").mkdir()
    assert run(out="out-brat/")[-1] == Finished(3)
    with pytest.raises(UsageError, match=r"out-brat: is there already \(.*or delete it\)"):
        run(out="out-brat/", force=True)
    with pytest.raises(UsageError, match="is there already"):
        run(out="./")


def test_resuming_what_was_never_begun_begins_it() -> None:
    write("in.jsonl", names(3))
    assert run(resume=True)[-1] == Finished(3)


def test_a_run_that_came_nowhere_leaves_nothing() -> None:
    write("in.jsonl", names(3))
    with pytest.raises(DataError):
        run(load=partial(capitals.load, "none"))
    assert [path.name for path in Path().iterdir()] == ["in.jsonl"]


@pytest.mark.parametrize("out", ["out.jsonl", "out.csv", "out.json", "out.parquet", "out-brat/"])
@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_run_that_was_left_is_gone_on_with(after: int, out: str) -> None:
    if out == "out.parquet":
        pytest.importorskip("pyarrow", reason="needs the extra tables")
    write("in.jsonl", [*names(8), "Boom", "no name", *names(8)])
    run(out=f"whole-{out}")
    interrupt(after, out=out)
    assert not Path(out).exists()
    events = run(out=out, resume=True)
    assert events[0] == Started(Path("in.jsonl").stat().st_size, 5 * after)
    assert events[-1] == Finished(17, 1)
    assert content(out) == content(f"whole-{out}")


def test_a_worker_that_dies_leaves_a_run_to_go_on_with() -> None:
    write("in.jsonl", [*names(40), "Die!"])
    with pytest.raises(BiaffinityError, match="worker"):
        run(workers=2)
    events = run(resume=True, load=_Harmless) if Path("out.jsonl.part").exists() else run(load=_Harmless)
    assert events[-1] == Finished(41)


class _Harmless(capitals.Capitals):
    """Takes Die for a name like any other."""

    def _read(self, text: str, name: str) -> Document:
        return super()._read(text.replace("Die", "Dee"), name)


def test_other_settings_do_not_go_on_with_a_run() -> None:
    write("in.jsonl", names(20))
    interrupt(2)
    with pytest.raises(UsageError, match=r"the unfinished run had --min-score None, this one has 0\.5"):
        run(resume=True, settings={"--min-score": 0.5})


@pytest.mark.parametrize("texts", [["Al", *names(19)], names(7)], ids=["another", "shorter"])
def test_another_input_does_not_go_on_with_a_run(texts: list[str]) -> None:
    write("in.jsonl", names(20))
    interrupt(2)
    write("in.jsonl", texts)
    with pytest.raises(UsageError, match="the first 10 documents are not those that the unfinished run"):
        run(resume=True)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda: Path("out.jsonl.part.json").write_text("{}"),
        lambda: Path("out.jsonl.part.json").write_text('{"mark"'),
        lambda: Path("out.jsonl.part.json").unlink(),
    ],
)
def test_a_spoilt_run_is_not_gone_on_with(spoil: Any) -> None:
    write("in.jsonl", names(20))
    interrupt(2)
    spoil()
    with pytest.raises(BiaffinityError, match=r"out\.jsonl\.part"):
        run(resume=True)


def test_a_file_that_came_beside_an_unfinished_run_is_not_taken_for_its_end() -> None:
    write("in.jsonl", names(20))
    interrupt(2)
    Path("out.jsonl").write_text("mine")
    with pytest.raises(UsageError, match="stands beside an unfinished run"):
        run(resume=True)
    assert Path("out.jsonl.part").exists()


# One child after the other kills itself at the next call that touches the output's files, each of them after
# half of what it was writing; the same process then goes on with what is left.
EVERY_KILL = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from biaffinity.bulk import run as module
from biaffinity.bulk.sinks import sink_named
from biaffinity.bulk.sinks.growing import GrowingFile
from biaffinity.bulk.sources import Inputs
from biaffinity.bulk.sinks.finished import remove
from bulk import capitals
from bulk.runs import content

module.CHUNK_DOCUMENTS, module._COMMIT_SECONDS = 3, 0.0
name = {out!r}
out, calls, last = Path(name), 0, None

def run(resume=False):
    sink = sink_named(None, name)
    for _ in module.extract_into(sink, Inputs(["in.jsonl"]), capitals.load, {{}}, resume=resume):
        pass

def touched():
    global calls
    calls += 1
    if calls == last:
        os.kill(os.getpid(), signal.SIGKILL)

def watch(event, arguments):
    names = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate")
    path = str(arguments[0]) if event in names else ""
    if out.name in path or path.endswith((".ann", ".txt", ".conf")):  # those of the folder
        touched()

append = GrowingFile.append

def torn(self, raw):
    append(self, raw[: len(raw) // 2])
    self._file.flush()
    touched()
    append(self, raw[len(raw) // 2 :])
    self._file.flush()
    touched()

run()
whole, kills, files = content(name), 0, sorted(os.listdir())
sys.addaudithook(watch)
while True:
    remove(out)
    kills += 1
    child = os.fork()
    if not child:
        calls, last = 0, kills
        GrowingFile.append = torn
        run()
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if not os.WIFSIGNALED(status):
        assert status == 0, status
        break
    run(resume=True)
    assert content(name) == whole, kills
    assert sorted(os.listdir()) == files, os.listdir()
print(kills - 1)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("out", ["out.jsonl", "out.csv", "out.json", "out-brat/"])
def test_killed_at_any_call_that_touches_its_files_a_run_ends_with_every_document_once(out: str) -> None:
    write("in.jsonl", [*names(3), "Boom", "no name", *names(2)])
    script = EVERY_KILL.format(tests=str(TESTS), out=out)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, text=True)
    assert done.stderr == ""
    assert int(done.stdout) > 15


SLOW_RUN = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from biaffinity.bulk import run as module
from biaffinity.bulk.sinks import sink_named
from biaffinity.bulk.sources import Inputs
from bulk import capitals

if __name__ == "__main__":
    module.CHUNK_DOCUMENTS, module._COMMIT_SECONDS = 5, 0.0
    sink = sink_named(None, "out.jsonl")
    for event in module.extract_into(
        sink, Inputs(["in.jsonl"]), capitals.load, {{}}, workers=2, resume=True
    ):
        print(event, flush=True)
"""


def test_killed_at_several_moments_with_its_workers_a_run_ends_with_every_document_once() -> None:
    write("in.jsonl", [f"Slow {text}" for text in names(100)])
    script = SLOW_RUN.format(tests=str(TESTS))
    for wait in (0.0, 0.05, 0.2):
        program = subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert program.stdout is not None
        assert program.stderr is not None
        assert program.stdout.readline().startswith("Started")
        assert program.stdout.readline().startswith("Advanced")
        time.sleep(wait)
        program.send_signal(signal.SIGKILL)
        # The pipes end when the workers have ended too: none outlives its parent.
        program.stdout.read()
        assert "Traceback" not in program.stderr.read()
        program.stdout.close()
        program.stderr.close()
        program.wait()
        assert Path("out.jsonl.part").exists()
    events = run(resume=True)
    assert isinstance(events[0], Started)
    assert events[0].earlier >= 15
    ids = [json.loads(line)["id"] for line in Path("out.jsonl").read_text().splitlines()]
    assert ids == [f"in.jsonl:{number}" for number in range(1, 101)]
