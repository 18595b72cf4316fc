"""Models fetched from a hub and sent to it: a real client, and a hub on this machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("huggingface_hub", reason="needs the extra hub")

import biaffinity
from biaffinity import Extractor, Sentence, formats
from biaffinity.config.folder import model_files
from biaffinity.config.seal import verify
from biaffinity.errors import DataError, MissingExtraError, UsageError
from biaffinity.hub import download, push_to_hub
from biaffinity.model.folder import save_model
from biaffinity.model.joint import JointModel
from biaffinity.model.network import TorchNetwork
from extraction.texts import ANA
from hub.fakehub import TOKEN, FakeHub, Repository, running_hub
from model.tiny import tiny_model

GRAPHS = ("emissions.onnx", "states.onnx", "pairs.onnx", "encoder.characters.onnx")
MODEL_FILES = ("config.json", "vocabulary.json", "model.safetensors", *GRAPHS, "README.md")
NOWHERE = "http://127.0.0.1:9"  # a port that nobody listens on
LOAD = "import biaffinity, sys\nprint(biaffinity.load(sys.argv[1])(sys.argv[2]).triples())"

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where programs run and where the client has its cache."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def hub() -> Iterator[FakeHub]:
    with running_hub() as hub:
        yield hub


@pytest.fixture(scope="module")
def run(hub: FakeHub, home: Path) -> Run:
    """Run Python in a process of its own, as huggingface_hub reads its settings but once."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))}
    settings = {
        "HF_ENDPOINT": hub.url,
        "HF_HOME": str(home / "cache"),
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_TOKEN": TOKEN,
        "NO_PROXY": "127.0.0.1",
    }

    def python(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            env={**kept, **settings, **environment},
            cwd=home,
            capture_output=True,
            text=True,
            check=False,
        )

    return python


@pytest.fixture(scope="module")
def model(folder: Path, home: Path) -> Path:
    """A model folder with a card, and files beside it that are nobody's business; not to be changed."""
    copy = shutil.copytree(folder, home / "model")
    (copy / "README.md").write_text("# harbour\n\nKnows a sample by heart.\n", encoding="utf-8")
    (copy / "run.json").write_text('{"machine": "mine"}', encoding="utf-8")
    (copy / "checkpoint.pt").write_bytes(b"pickled")
    return copy


@pytest.fixture
def spare(model: Path, tmp_path: Path) -> Path:
    """The same for a test to spoil."""
    return shutil.copytree(model, tmp_path / "model")


@pytest.fixture(scope="module")
def pushed(hub: FakeHub, run: Run, model: Path) -> str:
    """What ``biaffinity push`` said when it sent the model to the hub as mara/harbour."""
    return last_line(run("-m", "biaffinity", "push", "mara/harbour", "--model", "model"))


@pytest.fixture(scope="module")
def fetched(hub: FakeHub, run: Run, model: Path) -> tuple[str, set[str]]:
    """What was found with mara/cove, which lies beside files not to be trusted, and what was fetched."""
    files = {name: (model / name).read_bytes() for name in MODEL_FILES}
    strange = {"pytorch_model.bin": b"code", "model.py": b"code", "old/config.json": b"{}"}
    strange |= {"old/emissions.onnx": b"huge", "onnx/model.onnx": b"huge"}
    hub.repositories["mara/cove"] = Repository({"main": {**files, **strange}})
    hub.requests.clear()
    return run("-c", LOAD, "mara/cove", ANA).stdout.strip(), hub.fetched()


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    assert "Traceback" not in done.stderr
    return done.stderr.strip().splitlines()[-1]


def failure(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode != 0
    return last_line(done)


def test_a_push_says_where_the_model_is(hub: FakeHub, pushed: str) -> None:
    assert pushed == f"model is now at {hub.url}/mara/harbour"


@pytest.mark.usefixtures("pushed")
def test_a_model_that_was_pushed_is_loaded_by_its_name(run: Run, extractor: Extractor) -> None:
    assert run("-c", LOAD, "mara/harbour", ANA).stdout.strip() == str(extractor(ANA).triples())


def test_a_model_with_a_transformer_is_pushed_with_all_that_it_opens_from(
    hub: FakeHub, run: Run, transformer_folder: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(transformer_folder, tmp_path / "model")
    (folder / "README.md").write_text("# reader\n\nKnows a sample by heart.\n", encoding="utf-8")
    (folder / "checkpoint.safetensors").write_bytes(b"gigabytes")
    assert last_line(run("-m", "biaffinity", "push", "mara/reader", "--model", folder)).endswith(
        "/mara/reader"
    )
    graphs = {"encoder.words.onnx", *GRAPHS}
    kept = {"config.json", "transformer.json", "tokenizer.json", "model.safetensors", "README.md", *graphs}
    assert {path.name for path in model_files(folder)} == kept
    assert hub.repositories["mara/reader"].files.keys() >= kept
    assert "checkpoint.safetensors" not in hub.repositories["mara/reader"].files
    shutil.rmtree(folder)
    found = run("-c", LOAD, "mara/reader", ANA)
    assert found.stdout.strip() == str(Extractor.load(transformer_folder)(ANA).triples()), found.stderr


@pytest.mark.usefixtures("pushed")
def test_a_model_that_was_pushed_is_scored_by_its_name(run: Run, samples: Path) -> None:
    done = run("-m", "biaffinity", "evaluate", samples / "news.jsonl", "--model", "mara/harbour", "--json")
    assert json.loads(done.stdout)["ner"]["micro"]["f1"] == 1.0


@pytest.mark.usefixtures("pushed")
def test_a_model_that_was_pushed_predicts_by_its_name(run: Run, samples: Path, tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    done = run("-m", "biaffinity", "predict", "--model", "mara/harbour", samples / "news.jsonl", "-o", out)
    assert done.returncode == 0, done.stderr
    assert any(sentence.relations for sentence in formats.read(out))


@pytest.mark.usefixtures("pushed")
def test_only_the_files_of_a_model_are_pushed(hub: FakeHub, model: Path) -> None:
    repository = hub.repositories["mara/harbour"]
    assert set(repository.files) == set(MODEL_FILES)
    for name in set(MODEL_FILES) - {"README.md", "config.json"}:
        assert repository.files[name] == (model / name).read_bytes()
    assert not repository.private


@pytest.mark.usefixtures("pushed")
def test_what_is_pushed_is_sealed_as_it_is_there(hub: FakeHub, tmp_path: Path) -> None:
    for name, content in hub.repositories["mara/harbour"].files.items():
        (tmp_path / name).write_bytes(content)
    assert {finding.file: finding.fault for finding in verify(tmp_path)} == dict.fromkeys(MODEL_FILES)


@pytest.mark.usefixtures("pushed")
def test_a_model_on_the_hub_is_verified_by_its_name(run: Run) -> None:
    done = run("-m", "biaffinity", "verify", "mara/harbour", "--json")
    assert json.loads(done.stdout)["sound"], done.stderr


@pytest.mark.usefixtures("pushed")
def test_the_card_on_the_hub_tells_how_to_sort_it(hub: FakeHub, model: Path) -> None:
    card = hub.repositories["mara/harbour"].files["README.md"].decode()
    _, metadata, text = card.split("---\n")
    assert "library_name: biaffinity\n" in metadata
    assert text.strip() == (model / "README.md").read_text(encoding="utf-8").strip()


@pytest.mark.usefixtures("model")
def test_an_extractor_pushes_the_model_it_was_loaded_from(hub: FakeHub, run: Run) -> None:
    program = "import biaffinity\nprint(biaffinity.load('model').push_to_hub('mara/secret', private=True))"
    assert run("-c", program).stdout.strip() == f"{hub.url}/mara/secret"
    assert set(hub.repositories["mara/secret"].files) == set(MODEL_FILES)
    assert hub.repositories["mara/secret"].private


def test_only_the_files_of_a_model_are_fetched(fetched: tuple[str, set[str]], extractor: Extractor) -> None:
    assert fetched == (str(extractor(ANA).triples()), set(MODEL_FILES))


@pytest.mark.parametrize("settings", [{"HF_ENDPOINT": NOWHERE}, {"HF_HUB_OFFLINE": "1"}])
def test_a_model_that_was_fetched_is_there_without_a_network(
    hub: FakeHub, run: Run, fetched: tuple[str, set[str]], settings: dict[str, str]
) -> None:
    hub.requests.clear()
    assert run("-c", LOAD, "mara/cove", ANA, **settings).stdout.strip() == fetched[0]
    assert hub.requests == []


def test_a_model_is_not_fetched_twice(hub: FakeHub, run: Run, fetched: tuple[str, set[str]]) -> None:
    hub.requests.clear()
    assert run("-c", LOAD, "mara/cove", ANA).stdout.strip() == fetched[0]
    assert hub.requests != []  # it asks whether there is a newer one
    assert hub.fetched() == set()


def test_a_revision_can_be_asked_for(hub: FakeHub, run: Run, model: Path) -> None:
    files = {name: (model / name).read_bytes() for name in MODEL_FILES}
    broken = {**files, "config.json": b"{}"}
    hub.repositories["mara/quay"] = Repository({"main": broken, "v1": files})
    assert run("-c", LOAD, "mara/quay@v1", ANA).returncode == 0
    program = "import biaffinity\nbiaffinity.load('mara/quay{}', revision='v1')"
    assert run("-c", program.format("")).returncode == 0
    assert "has a revision already" in run("-c", program.format("@v1")).stderr


def test_what_is_no_biaffinity_model_is_told_before_its_weights_are_fetched(hub: FakeHub, run: Run) -> None:
    files = {"config.json": b'{"model_type": "bert"}', "vocabulary.json": b"{}", "model.safetensors": b"huge"}
    hub.repositories["acme/bert"] = Repository({"main": files})
    hub.requests.clear()
    message = failure(run("-m", "biaffinity", "extract", ANA, "--model", "acme/bert"))
    assert message.startswith("error: acme/bert: ")
    assert message.endswith("config.json: is not a Biaffinity model")
    assert hub.fetched() == {"config.json"}


def test_a_model_of_version_1_is_told_before_its_weights_are_fetched(hub: FakeHub, run: Run) -> None:
    head = b'{"format": "biaffinity-model", "version": 1, "word_size": 100, "config": {}}'
    hub.repositories["mara/old"] = Repository({"main": {"config.json": head, "model.safetensors": b"huge"}})
    hub.requests.clear()
    message = failure(run("-m", "biaffinity", "extract", ANA, "--model", "mara/old"))
    assert message.startswith("error: mara/old: ")
    assert "config.json: is a model of version 1, this program reads version 2" in message
    assert hub.fetched() == {"config.json"}


UNREACHED = "the hub cannot be reached"
UNSEEN = "no such folder here, and no such model on the hub"


@pytest.mark.parametrize(
    ("settings", "messages"),
    [
        (
            {},
            {
                "mara/none": UNSEEN,
                "mara/empty": "is not a Biaffinity model: it has no config.json",
                "mara/empty@v9": "the hub has the model, but not this revision",
                "mara/empty..er": "is no name on the hub",
            },
        ),
        ({"HF_TOKEN": ""}, {"mara/hidden": UNSEEN, "mara/gated": "is gated"}),
        ({"HF_ENDPOINT": NOWHERE}, {"mara/empty": UNREACHED}),
        ({"HF_HUB_OFFLINE": "1"}, {"mara/empty": UNREACHED}),
    ],
    ids=["logged in", "not logged in", "no network", "offline"],
)
def test_what_cannot_be_fetched_has_its_reason(
    hub: FakeHub, run: Run, settings: dict[str, str], messages: dict[str, str]
) -> None:
    hub.repositories["mara/hidden"] = Repository(private=True)
    hub.repositories["mara/gated"] = Repository(gated=True)
    hub.repositories["mara/empty"] = Repository({"main": {"notes.txt": b"hello"}})
    program = (
        "import biaffinity, sys\n"
        "for name in sys.argv[1:]:\n"
        "    try: biaffinity.load(name)\n"
        "    except biaffinity.BiaffinityError as error: print(error)"
    )
    said = run("-c", program, *messages, **settings).stdout.splitlines()
    for line, (name, message) in zip(said, messages.items(), strict=True):
        assert line.startswith(f"{name}: {message}")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"HF_TOKEN": "hf_wrong"}, "log in to the hub or set HF_TOKEN"),
        ({"HF_ENDPOINT": NOWHERE}, "the hub did not do it"),
    ],
)
@pytest.mark.usefixtures("model")
def test_what_cannot_be_pushed_is_one_line(run: Run, settings: dict[str, str], message: str) -> None:
    said = failure(run("-m", "biaffinity", "push", "mara/new", "--model", "model", **settings))
    assert said.startswith("error: mara/new: ")
    assert message in said


@pytest.mark.usefixtures("pushed")
def test_what_is_to_be_private_is_not_pushed_where_all_can_see(hub: FakeHub, run: Run) -> None:
    hub.requests.clear()
    said = failure(run("-m", "biaffinity", "push", "mara/harbour", "--model", "model", "--private"))
    assert "mara/harbour: is there already, for all to see" in said
    assert not any("commit" in request or "upload" in request for request in hub.requests)


@pytest.mark.parametrize("missing", MODEL_FILES)
def test_half_a_model_is_not_pushed(spare: Path, missing: str) -> None:
    (spare / missing).unlink()
    with pytest.raises(DataError):
        push_to_hub(spare, "mara/harbour")


def test_a_graph_of_other_weights_is_not_pushed(spare: Path, news: list[Sentence]) -> None:
    save_model(tiny_model(news, context=True, constrained=True), spare)
    with pytest.raises(DataError, match="other weights"):
        push_to_hub(spare, "mara/harbour")


@pytest.mark.parametrize("name", ["harbour", "mara/harbour@v1", "./harbour", "a/b/c", "mara/", ""])
def test_what_is_no_name_is_not_pushed_to(model: Path, name: str) -> None:
    with pytest.raises(UsageError, match="owner/name"):
        push_to_hub(model, name)


def test_an_extractor_without_a_folder_cannot_be_pushed(trained: JointModel) -> None:
    with pytest.raises(UsageError, match=r"biaffinity\.load"):
        Extractor(TorchNetwork(trained)).push_to_hub("mara/harbour")


def test_without_the_extra_the_error_names_it(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=r"mara/harbour is no folder here.*biaffinity\[hub\]"):
        biaffinity.load("mara/harbour")
    with pytest.raises(MissingExtraError, match=r"biaffinity\[hub\]"):
        push_to_hub(model, "mara/harbour")


def test_a_folder_comes_before_a_name(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(model.parent.parent)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert biaffinity.load(f"{model.parent.name}/{model.name}")(ANA).triples()


def test_a_path_is_always_a_folder() -> None:
    with pytest.raises(DataError, match="no such model folder"):
        biaffinity.load(Path("mara/harbour"))


def test_only_a_name_is_downloaded() -> None:
    with pytest.raises(UsageError, match="owner/name"):
        download("../mara/harbour")


def test_a_folder_never_asks_the_network(run: Run, model: Path) -> None:
    program = (
        "import socket, sys\n"
        "def refuse(*_, **__): raise AssertionError('a socket was opened')\n"
        "socket.socket = socket.create_connection = socket.getaddrinfo = refuse\n"
        "import biaffinity\n"
        "print(len(biaffinity.load('model')(sys.argv[1]).entities), 'huggingface_hub' in sys.modules)"
    )
    done = run("-c", program, ANA)
    assert done.stdout.strip() == "4 False", done.stderr
