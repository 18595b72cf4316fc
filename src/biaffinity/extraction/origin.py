"""Where an extractor came from, so that another process can have the same."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from biaffinity.extraction.loading import Runtime

if TYPE_CHECKING:
    from biaffinity.extraction.extractor import Extractor


@dataclass(frozen=True, slots=True)
class Origin:
    """What an extractor was loaded with, and a name that no other load has."""

    kind: type[Extractor]
    folder: str
    runtime: Runtime
    device: str
    threads: int
    min_score: float | tuple[tuple[str, float], ...] | None
    name: str


@lru_cache(maxsize=4)
def reload(origin: Origin) -> Extractor:
    """The same extractor in another process: read once there, however often it is sent."""
    min_score = dict(origin.min_score) if isinstance(origin.min_score, tuple) else origin.min_score
    extractor = origin.kind.load(
        origin.folder,
        runtime=origin.runtime,
        device=origin.device,
        threads=origin.threads,
        min_score=min_score,
    )
    extractor._origin = origin
    return extractor
