"""Attacks on bulk runs and on training: two at once, damaged files, other inputs, failures that pass."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from bars import Measured
from biaffinity import Extractor
from biaffinity.annotation import Document
from biaffinity.bulk import run as bulk
from biaffinity.bulk.run import extract_into
from biaffinity.bulk.sinks import sink_named
from biaffinity.bulk.sources import Inputs
from biaffinity.errors import BiaffinityError

ROOT = Path(__file__).parent.parent
TEXTS = [f"Ilka Roe of Norvik Oil met Ana Ruiz in Bergen, Norway, on day {n}." for n in range(120)]
TINY = (
    "encoder.word_size=8",
    "encoder.character_size=4",
    "encoder.character_hidden=4",
    "model.lstm_hidden=8",
    "model.lstm_layers=1",
    "model.tagger_hidden=8",
    "model.label_size=4",
    "model.projection=8",
    "training.epochs=3",
)


class Forgetful:
    """An extractor that has no memory for every seventh text the first time."""

    def __init__(self, extractor: Extractor, *, healed: bool) -> None:
        self.extractor = extractor
        self.healed = healed

    def stream(self, texts: Iterable[tuple[str, str]]) -> Iterator[tuple[Document, str]]:
        """As an extractor does it."""
        for text, name in texts:
            if not self.healed and name.endswith(("7", "3")):
                raise MemoryError
            yield from self.extractor.stream([(text, name)])


def attack_runs(folder: Path, scale: float) -> tuple[list[Measured], dict[str, Any]]:
    """What came of every attack."""
    extractor = Extractor.load()
    source = folder / "in.jsonl"
    source.write_text("".join(json.dumps({"text": text, "id": n}) + "\n" for n, text in enumerate(TEXTS)))
    details: dict[str, Any] = {
        "double": _double_runs(folder, source, max(2, round(20 * scale))),
        "damaged": _damaged_runs(folder, source, extractor, max(10, round(200 * scale))),
        "passing": _passing_failures(folder, source, extractor),
        "training": _damaged_trainings(folder, max(6, round(60 * scale))),
    }
    damaged, training = details["damaged"], details["training"]
    measured = [
        Measured(
            "double runs with a document twice or missing", details["double"]["wrong"], "", "at most", 0
        ),
        Measured("double runs", details["double"]["runs"], ""),
        Measured("damaged runs", sum(damaged["came_to"].values()), ""),
        Measured("damaged runs with a wrong result", damaged["came_to"].get("wrong", 0), "", "at most", 0),
        Measured("damaged runs with a traceback", damaged["came_to"].get("traceback", 0), "", "at most", 0),
        Measured("damaged runs, longest", damaged["longest_seconds"], "s", "at most", 10),
        Measured("documents that failed for a while", details["passing"]["failed"], ""),
        Measured("of these, missing after --resume", details["passing"]["missing"], "", "at most", 0),
        Measured("damaged trainings", sum(training["came_to"].values()), ""),
        Measured("damaged trainings with another end", training["came_to"].get("wrong", 0), "", "at most", 0),
        Measured("damaged trainings, tracebacks", training["came_to"].get("traceback", 0), "", "at most", 0),
    ]
    return measured, details


def damage(path: Path, chance: random.Random) -> str:
    """Flip a bit, cut, empty, swap or lengthen a file; which."""
    raw = bytearray(path.read_bytes())
    kind = chance.choice(["flip", "flip", "flip", "cut", "empty", "zeros", "longer", "swap"])
    place = chance.randrange(len(raw)) if raw else 0
    if not raw or kind == "longer":
        raw += bytes(chance.randrange(256) for _ in range(64))
    elif kind == "flip":
        raw[place] ^= 1 << chance.randrange(8)
    elif kind in ("cut", "empty"):
        del raw[place if kind == "cut" else 0 :]
    elif kind == "zeros":
        raw[place : place + 64] = bytes(len(raw[place : place + 64]))
    else:
        raw[:] = raw[place:] + raw[:place]
    path.write_bytes(raw)
    return kind


def came_to(act: Callable[[], bool]) -> str:
    """How an attempt ended: recovered, wrong, refused with a plain error, or with a traceback."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return "recovered" if act() else "wrong"
    except BiaffinityError:
        return "refused"
    except Exception as error:  # what must not happen is to be counted, not to end the count
        print(f"  {type(error).__name__}: {error}", file=sys.stderr)
        return "traceback"


def _double_runs(folder: Path, source: Path, count: int) -> dict[str, Any]:
    """Two processes at once on one output."""
    wrong, refused = 0, 0
    for _ in range(count):
        out = folder / "double.jsonl"
        command = [sys.executable, "-m", "biaffinity", "extract", str(source), "--out", str(out), "--resume"]
        pair = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        errors = [process.communicate()[1] for process in pair]
        refused += sum("another process" in error for error in errors)
        ids = [json.loads(line)["id"] for line in out.read_text().splitlines()]
        wrong += ids != [str(n) for n in range(len(TEXTS))] or any("Traceback" in error for error in errors)
        _remove(out)
    return {"runs": count, "wrong": wrong, "refused": refused}


def _damaged_runs(folder: Path, source: Path, extractor: Extractor, count: int) -> dict[str, Any]:
    """One file of an unfinished or finished run is damaged, then the run is resumed."""
    bulk.CHUNK_DOCUMENTS, bulk._COMMIT_SECONDS = 20, 0.0
    out, chance = folder / "damaged.jsonl", random.Random(15)
    run = _runner(source, out, extractor)
    for _ in run():
        pass
    whole, found, kinds, longest = out.read_bytes(), Counter[str](), Counter[str](), 0.0
    _remove(out)

    def resume() -> bool:
        for _ in run(resume=True):
            pass
        return out.read_bytes() == whole

    for number in range(count):
        events = run()
        for _, _ in zip(range(3 + number % 9), events, strict=False):
            pass
        events.close()
        files = sorted(path for path in folder.glob(f"{out.name}*") if path.name != f"{out.name}.lock")
        target = chance.choice(files)
        kind = damage(target, chance)
        started = time.perf_counter()
        ending = came_to(resume)
        longest = max(longest, time.perf_counter() - started)
        found[ending] += 1
        kinds[f"{target.name.removeprefix(out.name) or 'OUT'}, {kind}: {ending}"] += 1
        _remove(out)
    return {"came_to": dict(found), "kinds": dict(sorted(kinds.items())), "longest_seconds": longest}


def _passing_failures(folder: Path, source: Path, extractor: Extractor) -> dict[str, int]:
    out = folder / "passing.jsonl"
    for _ in _runner(source, out, Forgetful(extractor, healed=False))():
        pass
    failed = len(Path(f"{out}.failed.jsonl").read_text().splitlines())
    for _ in _runner(source, out, Forgetful(extractor, healed=True))(resume=True):
        pass
    ids = [json.loads(line)["id"] for line in out.read_text().splitlines()]
    _remove(out)
    return {"failed": failed, "missing": len(TEXTS) - len(ids) + (ids != sorted(ids, key=int))}


def _damaged_trainings(folder: Path, count: int) -> dict[str, Any]:
    """One file of a training run that was stopped, or of a finished one, is damaged; then it is resumed."""
    from safetensors.numpy import load_file

    from biaffinity.training import EpochEnded, train

    data = {name: ROOT / "samples" / "demo" / f"{name}.jsonl" for name in ("train", "dev")}
    small = {}
    for name, path in data.items():
        small[name] = folder / f"{name}.jsonl"
        small[name].write_text("".join(path.read_text().splitlines(keepends=True)[:12]))

    class StoppedError(Exception):
        """As by a kill."""

    def stop(event: object) -> None:
        if isinstance(event, EpochEnded) and event.epoch == 2:
            raise StoppedError

    def go(out: Path, **options: Any) -> None:
        train("demo", **small, out=out, overrides=TINY, graphs=False, **options)

    whole, half, victim = (folder / name for name in ("whole", "half", "victim"))
    go(whole)
    with contextlib.suppress(StoppedError):
        go(half, watch=stop)
    expected = load_file(whole / "model.safetensors")

    def resume() -> bool:
        go(victim, resume=True)
        found = load_file(victim / "model.safetensors")
        lines = len((victim / "history.jsonl").read_text().splitlines())
        return lines == 3 and all((found[name] == expected[name]).all() for name in expected)

    chance, came, kinds = random.Random(15), Counter[str](), Counter[str]()
    state = ("checkpoint.safetensors", "checkpoint.previous.safetensors", "history.jsonl", "run.json")
    for _ in range(count):
        shutil.copytree(half, victim)
        target = victim / chance.choice([*state, "model.safetensors"])
        kind = damage(target, chance)
        ending = came_to(resume)
        came[ending] += 1
        kinds[f"{target.name}, {kind}: {ending}"] += 1
        shutil.rmtree(victim)
    return {"came_to": dict(came), "kinds": dict(sorted(kinds.items()))}


def _runner(source: Path, out: Path, extractor: Any) -> Callable[..., Any]:
    def run(*, resume: bool = False) -> Any:
        sink = sink_named(None, out)
        return extract_into(sink, Inputs([str(source)]), lambda: extractor, {}, resume=resume)

    return run


def _remove(out: Path) -> None:
    for path in out.parent.glob(f"{out.name}*"):
        path.unlink()
