"""How a service is set up, and the bounds that follow from it."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

#: Texts of one request; more of them go through the stream.
MOST_TEXTS = 1024


class Settings(BaseModel):
    """All that a worker process must know; it is handed on as JSON."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str | None = None
    host: str = "127.0.0.1"
    port: int = Field(8000, ge=0, le=65535)
    workers: int = Field(1, ge=1)
    device: str = "cpu"
    api_key_file: Path | None = None
    max_chars: int = Field(100_000, ge=1)
    max_requests: int = Field(512, ge=1)
    timeout: float = Field(30.0, gt=0)

    @property
    def max_bytes(self) -> int:
        """Of a body or of a stream's line: six per character (JSON's \\uXXXX), and room for the rest."""
        return 6 * self.max_chars + (1 << 16)

    @property
    def max_waiting(self) -> int:
        """Characters that are accepted and not yet answered, over all requests of one worker."""
        return max(10 * self.max_chars, 1_000_000)

    @property
    def model_name(self) -> str:
        """What the answers call the model: its folder's name, or the name it was asked for by."""
        if self.model is None:
            return "news"
        folder = Path(self.model)
        return folder.resolve().name if folder.is_dir() else self.model
