"""A model on many machines: read from its own folder where that is there, else from what was sent along."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from biaffinity.config.folder import model_files
from biaffinity.errors import BiaffinityError
from biaffinity.extraction import Extractor


@dataclass(frozen=True, slots=True)
class ModelLoader:
    """Loads a model wherever it is called; ``fetch`` gives the files that were sent along."""

    folder: Path
    options: Mapping[str, Any]
    fetch: Callable[[], Mapping[str, bytes]] | None = None

    def sent(self, keep: Callable[[Mapping[str, bytes]], Callable[[], Mapping[str, bytes]]]) -> ModelLoader:
        """The same with its files, which ``keep`` puts where every machine can fetch them."""
        files = {str(path.relative_to(self.folder)): path.read_bytes() for path in model_files(self.folder)}
        return replace(self, fetch=keep(files))

    def __call__(self) -> Extractor:
        """The extractor."""
        return Extractor.load(self._here(), **self.options)

    def _here(self) -> Path:
        """A folder of this machine with these files."""
        if self.fetch is None:
            return self.folder
        files = self.fetch()
        if _holds(self.folder, files):
            return self.folder
        return _written(files)


def _written(files: Mapping[str, bytes]) -> Path:
    """A temporary folder with these files: one for all who need the same model, now and later."""
    digest = hashlib.blake2b(digest_size=16)
    for name, raw in sorted(files.items()):
        digest.update(f"{name} {len(raw)} ".encode())
        digest.update(raw)
    folder = Path(tempfile.gettempdir()) / f"biaffinity-model-{digest.hexdigest()}"
    if _holds(folder, files):
        return folder
    new = Path(tempfile.mkdtemp(prefix="biaffinity-model-"))
    for name, raw in files.items():
        (new / name).parent.mkdir(parents=True, exist_ok=True)
        (new / name).write_bytes(raw)
    try:
        new.rename(folder)
    except OSError:  # somebody was faster, or somebody else's folder is in the way
        if not _holds(folder, files):
            return new
        shutil.rmtree(new)
    return folder


def _holds(folder: Path, files: Mapping[str, bytes]) -> bool:
    try:
        here = {str(path.relative_to(folder)): path for path in model_files(folder)}
        return here.keys() == files.keys() and all(path.read_bytes() == files[n] for n, path in here.items())
    except (OSError, BiaffinityError):
        return False
