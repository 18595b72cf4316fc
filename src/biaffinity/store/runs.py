"""The runs that filled a store: found again by what they read, gone on with only under the same settings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from biaffinity.errors import UsageError
from biaffinity.store.database import Database
from biaffinity.store.documents import now


@dataclass(frozen=True, slots=True)
class Source:
    """What a run reads, and the settings it reads it under, as they are kept."""

    text: str
    settings: str

    @classmethod
    def of(cls, source: Mapping[str, Any], settings: Mapping[str, Any]) -> Source:
        """Both as JSON."""
        return cls(json.dumps(source, sort_keys=True), json.dumps(settings, sort_keys=True))

    @property
    def digest(self) -> str:
        """What it is found by: however long the source is, an index takes it."""
        return hashlib.blake2b(self.text.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Run:
    """A run as its row tells of it."""

    key: int
    settings: dict[str, Any]
    position: int
    digest: str
    skipped: int
    finished: bool


def latest_run(database: Database, source: Source, *, resume: bool, force: bool) -> Run | None:
    """The last run over a source, if it is to be gone on with; one that is in the way is an error."""
    rows = database.select(
        "SELECT id, settings, position, digest, skipped, finished FROM runs "
        "WHERE source_digest = ? ORDER BY id DESC LIMIT 1",
        [source.digest],
    )
    if not rows or force:
        return None
    key, settings, position, digest, skipped, finished = rows[0]
    if resume:
        return Run(key, json.loads(settings), position, digest, skipped, bool(finished))
    if not finished:
        raise UsageError(
            "an earlier run over the same input did not come to its end",
            where=database.title,
            remedy="--resume goes on with it, --force begins again",
        )
    return None


def begin_run(database: Database, source: Source, model: int) -> int:
    """The key of a new run, which has come nowhere yet; call it within a transaction."""
    (run,) = database.reserve("runs", 1)
    columns = ["id", "source_digest", "source", "settings", "model"]
    columns += ["position", "digest", "skipped", "finished", "started", "changed"]
    row = (run, source.digest, source.text, source.settings, model, 0, "", 0, False, now(), now())
    database.insert("runs", columns, [row])
    return run


def move_run(database: Database, run: Run, to: Run) -> bool:
    """Move a run on from where it was last seen; False if somebody else has moved it meanwhile."""
    changed = database.change(
        "UPDATE runs SET position = ?, digest = ?, skipped = ?, finished = ?, changed = ? "
        "WHERE id = ? AND position = ? AND finished = ?",
        (to.position, to.digest, to.skipped, to.finished, now(), run.key, run.position, run.finished),
    )
    return changed == 1
