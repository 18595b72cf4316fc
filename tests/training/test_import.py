"""Training is one name of the package, and costs nothing until it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import biaffinity
from biaffinity.training import from_files


def python(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_train_is_the_function_of_the_session() -> None:
    assert biaffinity.train is from_files.train


def test_other_names_are_missing_as_ever() -> None:
    with pytest.raises(AttributeError, match="no attribute 'trian'"):
        _ = biaffinity.trian


@pytest.mark.parametrize("module", ["biaffinity", "biaffinity.cli"])
def test_importing_does_not_import_what_only_extras_need(module: str) -> None:
    extras = "{'torch', 'safetensors', 'matplotlib', 'scipy', 'tensorboard'}"
    assert python(f"import sys, {module}; print({extras} & sys.modules.keys())") == "set()"


def test_without_pytorch_the_extra_is_named() -> None:
    told = python(
        "import sys; sys.modules['torch'] = None\n"
        "import biaffinity\n"
        "train = biaffinity.train\n"
        "try: train('default', train='a', dev='b', out='c')\n"
        "except biaffinity.BiaffinityError as error: print(error)\n"
    )
    assert told.startswith("training needs an extra that is not installed (run: ")
    assert told.endswith("-m pip install 'biaffinity[train]')")


def test_without_pytorch_all_names_can_be_imported() -> None:
    assert python("import sys; sys.modules['torch'] = None\nfrom biaffinity import *\nprint(load, train)")
