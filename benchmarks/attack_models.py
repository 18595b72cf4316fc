"""Attacks by model files: damaged ones, and hostile ones whose checksums are right."""

from __future__ import annotations

import contextlib
import io
import json
import multiprocessing
import random
import shutil
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from attack_runs import ROOT, damage
from bars import Measured

sys.path.append(str(ROOT / "tests"))

TEXT = (
    "Mira Brockvane, founder of Wendel Corp., lives in Malmo, Sweden. Ana Ruiz works for Norvik Oil in Oslo."
)
#: A model that takes longer is given up.
PATIENCE = 30.0
#: Sizes that a config may claim.
SIZES = (0, -1, 1, 3, 20_000, 10**6, 10**9, 10**18, True, None, "100", 1.5, [], {})

Attack = Callable[[Path, random.Random], str]


def attack_models(folder: Path, scale: float) -> tuple[list[Measured], dict[str, Any]]:
    """What came of every attack."""
    from biaffinity.extraction.loading import EMBEDDED

    small = _small_model(folder)
    details: dict[str, Any] = {
        "damaged": _attack(folder, EMBEDDED / "news", {"damaged": (_damaged, round(600 * scale))}),
        "hostile": _attack(
            folder,
            small,
            {
                "graphs": (_hostile_graph, round(250 * scale)),
                "mutated": (_mutated_graph, round(600 * scale)),
                "bytes": (_fuzzed_graph, round(200 * scale)),
                "sizes": (_other_sizes, round(150 * scale)),
                "weights": (_other_weights, round(150 * scale)),
            },
        ),
        "pytorch": _attack(folder, small, {"sizes": (_other_sizes, round(50 * scale))}, runtime="torch"),
    }
    counts = Counter[str]()
    for part in details.values():
        counts.update(part["came_to"])
    # A hostile model that is opened is a model; a damaged one that is opened must read as it did.
    wrong = details["damaged"]["came_to"].get("other", 0)
    longest = max(part["longest_seconds"] for part in details.values())
    measured = [
        Measured("hostile and damaged models", sum(counts.values()), ""),
        Measured("damaged models with another result", wrong, "", "at most", 0),
        Measured("hostile models with a traceback", counts["traceback"], "", "at most", 0),
        Measured("hostile models that ended the process", counts["ended"], "", "at most", 0),
        Measured("hostile models, longest", longest, "s", "at most", 10),
        Measured(
            "hostile models, memory against a sound one",
            max(part["most_mb"] / part["sound_mb"] for part in details.values()),
            "times",
            "at most",
            3,
        ),
    ]
    return measured, details


def _small_model(folder: Path) -> Path:
    """One that finds relations in the text, so that every graph of it is run."""
    from biaffinity.training import train

    data = {name: ROOT / "samples" / "demo" / f"{name}.jsonl" for name in ("train", "dev")}
    with contextlib.redirect_stdout(io.StringIO()):
        train("demo", **data, out=folder / "small")
    return folder / "small"


def _attack(
    folder: Path, sound: Path, attacks: dict[str, tuple[Attack, int]], runtime: str = "auto"
) -> dict[str, Any]:
    """Copy a sound model, spoil the copy, and let a process of its own open it and read a text."""
    from biaffinity.config.folder import model_files

    victim, chance = folder / "victim", random.Random(15)
    found, kinds = Counter[str](), Counter[str]()
    longest = most = 0.0
    with _opener(runtime) as opener:
        opener.open(sound)  # the first time it imports what it needs
        expected, sound_mb, _ = opener.open(sound)
        assert json.loads(expected)["relations"], "every graph is to be run"
        for name, (attack, count) in attacks.items():
            for number in range(max(1, count)):
                victim.mkdir()
                for path in model_files(sound):
                    shutil.copy(path, victim)
                kind = attack(victim, random.Random(chance.random() + number))
                answer, memory, seconds = opener.open(victim)
                ending = "same" if answer == expected else "other" if answer.startswith("{") else answer
                found[ending] += 1
                kinds[f"{name}, {kind}: {ending}"] += 1
                longest, most = max(longest, seconds), max(most, memory)
                shutil.rmtree(victim)
    return {
        "came_to": dict(found),
        "kinds": dict(sorted(kinds.items())),
        "longest_seconds": round(longest, 3),
        "sound_mb": round(sound_mb, 1),
        "most_mb": round(most, 1),
    }


class Opener:
    """A process that opens models; a new one takes its place when it comes to an end."""

    def __init__(self, runtime: str) -> None:
        self._runtime = runtime
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_open_models, args=(theirs, self._runtime), daemon=True)
        self._process.start()
        theirs.close()

    def open(self, folder: Path) -> tuple[str, float, float]:
        """What a model said, the most memory since the one before (MB), and the seconds that it took."""
        started = time.perf_counter()
        try:
            self._pipe.send(str(folder))
            if self._pipe.poll(PATIENCE):
                answer, memory = self._pipe.recv()
                return answer, memory, time.perf_counter() - started
        except (EOFError, OSError):
            pass
        self.close()
        self._start()
        return "ended", 0.0, time.perf_counter() - started

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()


@contextlib.contextmanager
def _opener(runtime: str) -> Iterator[Opener]:
    opener = Opener(runtime)
    try:
        yield opener
    finally:
        opener.close()


def _open_models(pipe: Connection, runtime: str) -> None:
    """Open one model after another and say what each finds, or how it was refused."""
    from biaffinity import Extractor
    from biaffinity.errors import BiaffinityError

    warnings.simplefilter("ignore")
    while True:
        try:
            folder = pipe.recv()
        except EOFError:  # whoever asked is gone
            return
        _forget_most_memory()
        try:
            answer = json.dumps(Extractor.load(Path(folder), runtime=runtime)(TEXT).to_dict())
        except BiaffinityError:
            answer = "refused"
        except BaseException as error:  # what must not happen is to be counted, not to end the count
            print(f"  {type(error).__name__}: {error}", file=sys.stderr)
            answer = "traceback"
        pipe.send((answer, _most_memory()))


def _forget_most_memory() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _most_memory() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


# The attacks: each spoils a folder and says how


def _damaged(folder: Path, chance: random.Random) -> str:
    target = chance.choice(sorted(folder.iterdir()))
    return f"{target.name}, {damage(target, chance)}"


def _hostile_graph(folder: Path, chance: random.Random) -> str:
    import onnx

    from graphs.hostile import REFUSED, RUN

    kind, change = chance.choice([*REFUSED.items(), *RUN.items()])
    path = chance.choice(sorted(folder.glob("*.onnx")))
    model = onnx.load(path)
    if not any(value.type.tensor_type.elem_type == 1 for value in model.graph.input):
        path = folder / "emissions.onnx"
        model = onnx.load(path)
    change(model)
    path.write_bytes(model.SerializeToString())
    _seal(folder)
    return kind


def _mutated_graph(folder: Path, chance: random.Random) -> str:
    from graphs.hostile import mutated

    path = chance.choice(sorted(folder.glob("*.onnx")))
    path.write_bytes(mutated(path.read_bytes(), chance))
    _seal(folder)
    return path.name


def _fuzzed_graph(folder: Path, chance: random.Random) -> str:
    path = chance.choice(sorted(folder.glob("*.onnx")))
    kind = damage(path, chance)
    _seal(folder)
    return f"{path.name}, {kind}"


def _other_sizes(folder: Path, chance: random.Random) -> str:
    """One value of config.json or of the vocabulary is another."""
    path = folder / chance.choice(["config.json", "config.json", "config.json", "vocabulary.json"])
    record = json.loads(path.read_text())
    section = record
    if path.name == "config.json":
        name = chance.choice(["encoder", "model", "model", "schema"])
        section = record["schema"] if name == "schema" else record["config"][name]
    key = chance.choice(sorted(section))
    section[key] = chance.choice(SIZES)
    path.write_text(json.dumps(record))
    _seal(folder)
    return f"{path.name}, {key}"


def _other_weights(folder: Path, chance: random.Random) -> str:
    """The header of the weights is another; graphs are told that these are their weights."""
    path = folder / "model.safetensors"
    raw = path.read_bytes()
    size = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + size])
    name = chance.choice(sorted(header.keys() - {"__metadata__"}))
    kind = chance.choice(["shape", "shape", "type", "gone", "nan"])
    body = bytearray(raw[8 + size :])
    if kind == "shape" and header[name]["shape"]:
        header[name]["shape"][0] = chance.choice([0, 1, 7, 10**6, 10**12])
    elif kind == "type":
        header[name]["dtype"] = chance.choice(["F64", "I64", "BF16", "BOOL", "F8_E4M3"])
    elif kind == "gone":
        del header[name]
    else:
        start, end = header[name]["data_offsets"]
        body[start:end] = b"\xff" * (end - start)
    head = json.dumps(header).encode()
    path.write_bytes(len(head).to_bytes(8, "little") + head + body)
    _tell_graphs(folder)
    _seal(folder)
    return kind


def _tell_graphs(folder: Path) -> None:
    import onnx

    from biaffinity.config.folder import WEIGHTS_KEY, weights_fingerprint

    for path in folder.glob("*.onnx"):
        model = onnx.load(path)
        onnx.helper.set_model_props(model, {WEIGHTS_KEY: weights_fingerprint(folder)})
        path.write_bytes(model.SerializeToString())


def _seal(folder: Path) -> None:
    """Write the right checksums over whatever is there, as whoever spoilt it would."""
    from biaffinity.checksums import SEAL, file_checksum, sealed

    record = json.loads((folder / "config.json").read_text())
    names = sorted(path.name for path in folder.iterdir() if path.name != "config.json")
    record.pop(SEAL, None)
    record["files"] = {name: file_checksum(folder / name) for name in names}
    (folder / "config.json").write_text(json.dumps(sealed(record)))
