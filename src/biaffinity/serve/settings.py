"""How a service is set up, and the bounds that follow from it."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

#: Texts of one request; more of them go through the stream.
MOST_TEXTS = 1024
#: Entities that can be given for one text.
MOST_GIVEN = 20_000
#: Characters of one of them: a sentence is never cut within a given entity, so it must not be long.
LONGEST_GIVEN = 2_000


class Settings(BaseModel):
    """All that a worker process must know; it is handed on as JSON."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: Folders, models of the package, or owner/name on the hub; none are all those of the package.
    models: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    port: int = Field(8000, ge=0, le=65535)
    workers: int = Field(1, ge=1)
    device: str = "cpu"
    api_key_file: Path | None = None
    sink: str | None = None
    store: str | None = None
    max_chars: int = Field(100_000, ge=1)
    max_requests: int = Field(512, ge=1)
    max_streams: int = Field(128, ge=1)
    max_connections: int = Field(1024, ge=1)
    max_connections_per_address: int = Field(256, ge=1)
    allowed_hosts: tuple[str, ...] = ()
    timeout: float = Field(30.0, gt=0)
    grace: float = Field(30.0, gt=0)
    max_entities: int = Field(150, ge=1)
    max_relations: int = Field(5_000, ge=1)
    max_arcs: int = Field(1_000, ge=1)

    @property
    def max_bytes(self) -> int:
        """Of a body or of a stream's line: six per character (JSON's \\uXXXX), and room for the rest."""
        return 6 * self.max_chars + (1 << 16)

    @property
    def max_held(self) -> int:
        """Bytes of bodies that are coming, and of answers that are going, over all requests of one worker."""
        return 8 * self.max_bytes

    @property
    def max_waiting(self) -> int:
        """Characters that are accepted and not yet answered, over all requests of one worker."""
        return max(12 * self.max_chars, 1_200_000)
