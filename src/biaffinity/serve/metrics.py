"""What the service counts, for Prometheus; with several workers, over all of them."""

from __future__ import annotations

import os
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

#: Set by the server where there are several workers, before they start: the folder they count in.
FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_TEXTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Metrics:
    """The counters of one worker."""

    def __init__(self) -> None:
        self._folder = os.environ.get(FOLDER)
        registry = self._registry = CollectorRegistry()
        if self._folder is None:
            ProcessCollector(registry=registry)
        else:
            _forget_the_dead(Path(self._folder))
        self._requests = Counter(
            "biaffinity_requests", "Requests answered.", ("route", "status"), registry=registry
        )
        self._seconds = Histogram(
            "biaffinity_request_seconds",
            "Seconds from a request to the end of its answer.",
            ("route",),
            buckets=_SECONDS,
            registry=registry,
        )
        self._characters = Counter("biaffinity_characters", "Characters read.", registry=registry)
        self._batches = Histogram(
            "biaffinity_batch_texts", "Texts read together.", buckets=_TEXTS, registry=registry
        )
        self.in_flight = Gauge(
            "biaffinity_requests_in_flight",
            "Requests being served.",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self.waiting = Gauge(
            "biaffinity_waiting_characters",
            "Characters accepted and not yet answered.",
            registry=registry,
            multiprocess_mode="livesum",
        )

        self.kept = Counter("biaffinity_documents_kept", "Documents written to the store.", registry=registry)
        self.not_kept = Counter(
            "biaffinity_documents_not_kept", "Documents that the store could not be given.", registry=registry
        )

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def read(self, texts: int, characters: int) -> None:
        """Count a batch."""
        self._batches.observe(texts)
        self._characters.inc(characters)

    def exposition(self) -> bytes:
        """All of it in Prometheus' text format."""
        if self._folder is None:
            return generate_latest(self._registry)
        everyone = CollectorRegistry()
        MultiProcessCollector(everyone, path=self._folder)  # type: ignore[no-untyped-call]
        return generate_latest(everyone)


def _forget_the_dead(folder: Path) -> None:
    """Let go of what workers that are no more had in hand; a new worker does this when it takes over."""
    for path in folder.glob("gauge_live*_*.db"):
        number = int(path.stem.rpartition("_")[2])
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            mark_process_dead(number, str(folder))  # type: ignore[no-untyped-call]
        except PermissionError:
            continue
