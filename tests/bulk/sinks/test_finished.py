"""Outputs that are there already, runs side by side, documents that failed, and damage to the files."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from biaffinity.annotation import Document
from biaffinity.bulk.run import Event, Finished, Noted, Started
from biaffinity.errors import BiaffinityError, UsageError
from biaffinity.locks import sole_writer
from bulk import capitals
from bulk.runs import content, interrupt, names, run, write

pytestmark = pytest.mark.usefixtures("small_chunks")

OUTS = ["out.jsonl", "out.csv", "out.json", "out.parquet", "out-brat/"]


def end(events: list[Event]) -> Finished:
    assert isinstance(events[-1], Finished)
    return events[-1]


def skip_without_parquet(out: str) -> None:
    if out.endswith("parquet"):
        pytest.importorskip("pyarrow", reason="needs the extra tables")


def test_a_second_writer_is_told_so() -> None:
    write("in.jsonl", names(20))
    with (
        sole_writer(Path("out.jsonl"), Path("out.jsonl.lock")),
        pytest.raises(UsageError, match=r"out.jsonl: another process is writing it"),
    ):
        run(resume=True)
    assert end(run(resume=True)) == Finished(20)
    assert not Path("out.jsonl.lock").exists()


def test_a_lock_that_a_kill_has_left_means_nothing() -> None:
    write("in.jsonl", names(3))
    Path("out.jsonl.lock").touch()
    assert end(run()) == Finished(3)


def test_an_output_of_which_nobody_knows_what_made_it_is_not_taken_for_complete() -> None:
    write("in.jsonl", names(3))
    Path("out.jsonl").touch()
    with pytest.raises(UsageError, match="nothing beside it tells what made it"):
        run(resume=True)


def test_a_finished_output_of_another_threshold_is_not_taken_for_complete() -> None:
    write("in.jsonl", names(3))
    run(settings={"--min-score": 0.5})
    with pytest.raises(UsageError, match=r"the run that made it had --min-score 0\.5, this one has 0\.7"):
        run(resume=True, settings={"--min-score": 0.7})


@pytest.mark.parametrize("texts", [names(4), names(2), ["Al", *names(2)]])
def test_a_finished_output_of_another_input_is_not_taken_for_complete(texts: list[str]) -> None:
    write("in.jsonl", names(3))
    run()
    write("in.jsonl", texts)
    with pytest.raises(UsageError, match="was made from other documents than these"):
        run(resume=True)


def test_what_failed_is_kept_with_its_reason() -> None:
    write("in.jsonl", ["Bo", "Boom", "Al"])
    run()
    (failure,) = map(json.loads, Path("out.jsonl.failed.jsonl").read_text().splitlines())
    assert (failure["document"], failure["problem"]) == (1, "in.jsonl:2: ZeroDivisionError: boom")


@pytest.mark.parametrize("out", OUTS)
@pytest.mark.parametrize("workers", [1, 2])
def test_what_failed_for_a_passing_reason_is_put_in_its_place(out: str, workers: int) -> None:
    skip_without_parquet(out)
    texts = ["Boom", *names(7), "Boom", "Boom met Al", *names(4), "Boom"]
    write("in.jsonl", texts)
    run(out=f"whole-{out}", load=capitals.Hardy)
    assert end(run(out=out)) == Finished(11, 4)
    assert end(run(out=out, resume=True)) == Finished(11, 4, complete_before=True)  # they fail again
    events = run(out=out, resume=True, load=capitals.Hardy, workers=workers)
    assert end(events) == Finished(15, 0, complete_before=True)
    assert content(out) == content(f"whole-{out}")
    name = Path(out).name
    assert sorted(p.name for p in Path().glob(f"{name}*")) == [name, f"{name}.run.json"]
    assert run(out=out, resume=True) == [Finished(15, 0, complete_before=True)]


def test_some_of_what_failed_is_put_in_and_some_is_kept() -> None:
    Path("in.jsonl").write_text('{"text": "Boom"}\n{"text": "Bo"}\nnonsense\n{"text": "Boom"}\n')
    assert end(run()) == Finished(1, 3)
    assert end(run(resume=True, load=capitals.Hardy)) == Finished(3, 1, complete_before=True)
    assert [json.loads(line)["id"][-1] for line in Path("out.jsonl").read_text().splitlines()] == list("124")
    (failure,) = map(json.loads, Path("out.jsonl.failed.jsonl").read_text().splitlines())
    assert failure["document"] == 2


@pytest.mark.parametrize("moment", ["the record", "out.jsonl", "out.jsonl.failed.jsonl"])
def test_killed_while_files_take_their_places_an_output_is_whole(
    moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("in.jsonl", ["Boom", "Bo", "Boom and Die"])
    run(load=_Half)
    replace = Path.replace

    def killed(self: Path, target: Path) -> Path:
        done = replace(self, target)
        if str(target) == {"the record": "out.jsonl.run.json"}.get(moment, moment):
            raise KeyboardInterrupt
        return done

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            run(resume=True, load=_Most)
        leave = [path for path in Path().iterdir() if path.name.startswith("out")]
        assert leave
    assert end(run(resume=True, load=_All)) == Finished(3, 0, complete_before=True)
    assert [json.loads(line)["id"][-1] for line in Path("out.jsonl").read_text().splitlines()] == list("123")


class _Half(capitals.Capitals):
    """Fails at Boom, and at Die no more than that."""

    def _read(self, text: str, name: str) -> Document:
        return super()._read(text.replace("Die", "Dee"), name)


class _Most(capitals.Hardy):
    """Fails at Die alone."""

    def _read(self, text: str, name: str) -> Document:
        if "Die" in text:
            raise MemoryError
        return super()._read(text, name)


class _All(capitals.Hardy):
    """Fails at nothing."""

    def _read(self, text: str, name: str) -> Document:
        return super()._read(text.replace("Die", "Dee"), name)


def damaged(path: Path, chance: random.Random) -> None:
    """Flip a bit, cut the end off, or leave nothing."""
    raw = bytearray(path.read_bytes())
    kind = chance.choice(["flip", "flip", "cut", "empty"])
    if kind == "flip" and raw:
        raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    else:
        del raw[chance.randrange(len(raw)) if kind == "cut" and raw else 0 :]
    path.write_bytes(raw)


@pytest.mark.parametrize("name", ["out.jsonl.part", "out.jsonl.part.failed", "out.jsonl.part.json"])
def test_a_damaged_unfinished_run_is_found_out_and_no_damage_gets_into_the_output(name: str) -> None:
    write("in.jsonl", [*names(12), "Boom", *names(12)])
    run(out="whole.jsonl")
    whole, chance = Path("whole.jsonl").read_bytes(), random.Random(name)
    recovered = 0
    for _ in range(12):
        interrupt(4)
        before = Path(name).read_bytes()
        damaged(Path(name), chance)
        try:
            events = run(resume=True)
        except BiaffinityError as error:
            assert "part.json" in str(error)  # noqa: PT017
            for path in Path().glob("out.jsonl*"):
                path.unlink()
            continue
        recovered += any(isinstance(event, Noted) for event in events)
        assert Path("out.jsonl").read_bytes() == whole, before
        for path in Path().glob("out.jsonl*"):
            path.unlink()
    assert recovered or name.endswith("json")


def test_what_is_sound_of_a_damaged_run_is_kept() -> None:
    write("in.jsonl", names(40))
    interrupt(6)
    raw = bytearray(Path("out.jsonl.part").read_bytes())
    raw[len(raw) // 2] ^= 1
    Path("out.jsonl.part").write_bytes(raw)
    events = run(resume=True)
    started = next(event for event in events if isinstance(event, Started))
    assert 5 <= started.earlier <= 15
    assert end(events) == Finished(40)


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.run.json", "out.jsonl.failed.jsonl"])
def test_damage_to_a_finished_output_is_found_out(name: str) -> None:
    write("in.jsonl", [*names(5), "Boom"])
    run()
    raw = bytearray(Path(name).read_bytes())
    raw[len(raw) // 2] ^= 4
    Path(name).write_bytes(raw)
    with pytest.raises(BiaffinityError, match=r"out\.jsonl.*(damaged|is not)"):
        run(resume=True)


def test_a_finished_folder_that_somebody_has_worked_in_is_left_alone() -> None:
    write("in.jsonl", names(2))
    run(out="out-brat/")
    note = next(Path("out-brat").rglob("*.ann"))
    note.write_text(note.read_text() + "#9\tAnnotatorNotes T1\tchecked\n")
    before = content("out-brat/")
    with pytest.raises(BiaffinityError, match="out-brat: is not what was written"):
        run(out="out-brat/", resume=True)
    assert content("out-brat/") == before


@pytest.mark.parametrize("moment", ["out-brat.part.old", "out-brat", "out-brat.failed.jsonl"])
def test_killed_while_a_folder_takes_the_place_of_another_an_output_is_whole(
    moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("in.jsonl", ["Boom", "Bo met Al", "Boom and Die"])
    run(out="whole-brat/", load=_All)
    run(out="out-brat/", load=_Half)
    replace = Path.replace

    def killed(self: Path, target: Path) -> Path:
        done = replace(self, target)
        if str(target) == moment:
            raise KeyboardInterrupt
        return done

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            run(out="out-brat/", resume=True, load=_Most)
    assert end(run(out="out-brat/", resume=True, load=_All)) == Finished(3, 0, complete_before=True)
    assert content("out-brat/") == content("whole-brat/")
    assert sorted(path.name for path in Path().glob("out-brat*")) == ["out-brat", "out-brat.run.json"]


def test_two_runs_at_once_do_not_double_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    write("in.jsonl", names(20))
    interrupt(1)
    ran: list[Callable[[], None]] = []

    class Rival(capitals.Capitals):
        """While one run works, another is started."""

        def _read(self, text: str, name: str) -> Document:
            if not ran:
                ran.append(partial(run, resume=True))
                with pytest.raises(UsageError, match="another process"):
                    run(resume=True)
            return super()._read(text, name)

    assert end(run(resume=True, load=Rival)) == Finished(20)
    assert ran
    assert len(Path("out.jsonl").read_text().splitlines()) == 20
