"""Ray Data reads the parts: actors hold an extractor each, and write a part before they say that it is done.

Ray starts actors again that die, and gives what they had in hand to others. A part may so be read twice; it
is written once, since whoever writes it again writes the same in the same place.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import socket
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from typing import Any

from biaffinity.bulk.readers import Fault, Fields
from biaffinity.bulk.run import (
    Advanced,
    Event,
    Finished,
    InputDigest,
    Noted,
    Skipped,
    Started,
    TextExtractor,
    annotate,
    cut,
)
from biaffinity.bulk.sinks import Failure
from biaffinity.cluster.locations import Location
from biaffinity.cluster.model import ModelLoader
from biaffinity.cluster.output import PartResult, PartsOutput
from biaffinity.cluster.plan import Part, make_plan, parts_of
from biaffinity.cluster.reading import read_part
from biaffinity.errors import BiaffinityError, DataError, MissingExtraError

_SECONDS_TO_ANSWER = 10.0
_TOLD = 20  # failures and notes of a part that are told at once; all of them are written


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where the work is done: the address of a cluster, or None for this machine; how many actors, of what.

    ``actors`` None: one for each core, or GPU, that the cluster has.
    """

    address: str | None = None
    actors: int | None = None
    gpus: bool = False


def extract_on_ray(
    names: Sequence[str],
    output: PartsOutput[Any],
    load: Callable[[], TextExtractor],
    settings: Mapping[str, Any],
    cluster: Cluster,
    *,
    kind: str | None = None,
    fields: Fields | None = None,
    part_bytes: int | None = None,
    resume: bool = False,
    force: bool = False,
) -> Generator[Event, None, None]:
    """Extract from all documents into ``output``, and tell what happens.

    Killed at any moment and started again with ``resume``, it ends with every document once. The input is
    compared by names, sizes and times of its files.
    """
    fields = fields or Fields()
    with connected(cluster) as ray, contextlib.ExitStack() as stack:
        parts = make_plan(names, kind, part_bytes=part_bytes, scan=_scanning(ray))
        files = _digest(dict.fromkeys(file for part in parts for file in part.files))
        source = {"engine": "ray", "input": list(names), "kind": kind, "files": files, "parts": len(parts)}
        source |= {"text field": fields.text, "id field": fields.id}
        stack.enter_context(output)
        done = output.begin(settings, source, resume=resume, force=force)
        left = [number for number in range(len(parts)) if number not in done]
        yield Started(sum(part.size for part in parts), sum(result.documents for result in done.values()))
        read, complete_before = sum(parts[number].size for number in done), bool(done) and not left
        work = _Work(parts, fields, sent_along(ray, load), output.render, output.writer())
        for row in each_on_ray(ray, work.prepare, left, cluster):
            number = row["part"]
            done[number] = PartResult(row["documents"], row["skipped"])
            read += parts[number].size
            yield from map(Noted, row["notes"])
            yield from map(Skipped, row["problems"])
            yield Advanced(row["documents"] + row["skipped"], row["tokens"], read)
        output.finish(done)
        skipped = sum(result.skipped for result in done.values())
        yield Finished(
            sum(result.documents for result in done.values()), skipped, complete_before=complete_before
        )


def sent_along(ray: Any, load: Callable[[], TextExtractor]) -> Callable[[], TextExtractor]:
    """A model's files are put where every machine of the cluster can fetch them."""
    if isinstance(load, ModelLoader):
        return load.sent(lambda files: partial(ray.get, ray.put(files)))
    return load


@dataclass(frozen=True, slots=True)
class _Work:
    """All that an actor needs to extract."""

    parts: Sequence[Part]
    fields: Fields
    load: Callable[[], TextExtractor]
    render: Callable[[Any], Any]
    write: Callable[[int, Sequence[Any], Sequence[Failure]], PartResult]

    def prepare(self) -> Callable[[int], dict[str, Any]]:
        """Load the extractor; what is given does a part by its number."""
        return partial(self._do, self.load())

    def _do(self, extractor: TextExtractor, number: int) -> dict[str, Any]:
        records, failures, notes, tokens, position = [], [], dict[str, None](), 0, 0
        for chunk in cut(read_part(self.parts[number], self.fields), InputDigest()):
            batch = annotate(extractor, self.render, chunk)
            for place, result in enumerate(batch.results, start=position):
                if isinstance(result, Fault):
                    failures.append(Failure(place, result.problem))
                else:
                    records.append(result)
            position += batch.documents
            tokens += batch.tokens
            notes |= dict.fromkeys(batch.notes)
        result = self.write(number, records, failures)
        told = {"part": number, "documents": result.documents, "skipped": result.skipped, "tokens": tokens}
        problems = [failure.problem for failure in failures]
        return {**told, "problems": problems[:_TOLD], "notes": list(notes)[:_TOLD]}


class Worker:
    """An actor of Ray: makes its function once, and does part after part."""

    def __init__(self, prepare: Callable[[], Callable[[int], dict[str, Any]]]) -> None:
        os.environ.setdefault("OMP_NUM_THREADS", "1")  # an actor has a core
        self.prepare = prepare
        self.do: Callable[[int], dict[str, Any]] | None = None

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Do the part of this number: what became of it as JSON, or our own error, which Ray would garble."""
        try:
            self.do = self.do or self.prepare()
            told = self.do(int(batch["item"][0]))
        except BiaffinityError as error:
            told = {"error": {"what": error.what, "where": error.where, "remedy": error.remedy}}
        return {"told": [json.dumps(told)]}


def each_on_ray(
    ray: Any, prepare: Callable[[], Callable[[int], dict[str, Any]]], numbers: Sequence[int], cluster: Cluster
) -> Iterator[dict[str, Any]]:
    """What became of every part, as they are done; ``prepare`` is called once by each actor."""
    if not numbers:
        return
    data = import_module("ray.data")
    data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    own = {"num_gpus": 1} if cluster.gpus else {"num_cpus": 1}
    there = int(ray.cluster_resources().get("GPU" if cluster.gpus else "CPU", 1))
    actors = max(1, min(cluster.actors or there, len(numbers)))
    try:
        rows = data.from_items(list(numbers), override_num_blocks=len(numbers)).map_batches(
            Worker,
            fn_constructor_args=(prepare,),
            batch_size=1,
            compute=data.ActorPoolStrategy(min_size=1, max_size=actors, initial_size=actors),
            **own,
        )
        for row in rows.iter_rows():
            told = json.loads(row["told"])
            if "error" in told:
                raise BiaffinityError(**told["error"])
            yield told
    except BiaffinityError:
        raise
    except Exception as error:
        raise _told(error) from error


def _digest(files: Iterable[Location]) -> str:
    """What tells some files from others, in a few bytes, however many they are."""
    digest = hashlib.blake2b(digest_size=16)
    for file in files:
        digest.update(json.dumps(asdict(file)).encode())
    return digest.hexdigest()


def _told(error: Exception) -> BiaffinityError:
    """Our own error if one lies behind what Ray raises, or that the cluster has failed."""
    cause, deepest = error, error
    while cause is not None:
        if isinstance(cause, BiaffinityError):
            return BiaffinityError(cause.what, where=cause.where, remedy=cause.remedy)
        deepest, cause = cause, getattr(cause, "cause", None) or cause.__cause__  # type: ignore[assignment]
    what = f"{type(deepest).__name__}: {(str(deepest).strip() or '-').splitlines()[0]}"
    return DataError(f"the cluster has failed: {what}", remedy="--resume goes on when it is back")


def _scanning(ray: Any) -> Callable[[Iterable[tuple[Location, str, int]]], Iterable[list[Part]]]:
    """Large files are read over side by side."""
    remote = ray.remote(parts_of)

    def scan(wanted: Iterable[tuple[Location, str, int]]) -> list[list[Part]]:
        try:
            found: list[list[Part]] = ray.get([remote.remote(*each) for each in wanted])
        except Exception as error:
            raise _told(error) from error
        return found

    return scan


@contextlib.contextmanager
def connected(cluster: Cluster) -> Iterator[Any]:
    """The module ``ray``, connected; a cluster that was connected to before stays so."""
    # What Ray's own processes think of their arguments is not for users to read.
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    # Ray reports to its makers what it is used for, by an actor more, unless it is told not to.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        ray = import_module("ray")
        import_module("ray.data")
    except ModuleNotFoundError as error:
        raise MissingExtraError("the engine ray", "ray") from error
    if ray.is_initialized():
        yield ray
        return
    try:
        _knock(cluster.address)
        # Without "local" it would join whatever cluster somebody has started on this machine.
        address = cluster.address or os.environ.get("RAY_ADDRESS") or "local"
        ray.init(address=address, log_to_driver=False, logging_level="error")
    except Exception as error:
        where = cluster.address or "this machine"
        what = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise DataError(
            f"no Ray cluster can be reached: {what}", where=where, remedy="check --address, and ray status"
        ) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _knock(address: str | None) -> None:
    """An error at once where nobody listens: Ray would try for minutes."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host, int(port)), timeout=_SECONDS_TO_ANSWER).close()
