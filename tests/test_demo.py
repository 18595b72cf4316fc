"""The demos: the extractor at work; the corpus is sound, and the script that trains on it runs to its end."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

import pytest

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.corpus import check
from biaffinity.text import split_sentences, tokenise

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "examples" / "demo.py"
#: The types that each relation joins, as the corpus's README says.
SIGNATURES = {
    "Work_For": ("Peop", "Org"),
    "Live_In": ("Peop", "Loc"),
    "OrgBased_In": ("Org", "Loc"),
    "Located_In": ("Loc", "Loc"),
    "Kill": ("Peop", "Peop"),
}


@pytest.fixture(scope="module")
def corpus(samples: Path) -> dict[str, list[Sentence]]:
    return {name: list(formats.read(samples / "demo" / f"{name}.jsonl")) for name in ("train", "dev")}


def run_demo(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "COLUMNS": "100"},
    )


def test_make_demo_reads_a_sentence_and_a_paragraph() -> None:
    if not shutil.which("make") or not Path(sys.prefix, "bin", "biaffinity").is_file():
        pytest.skip("needs make, and the package in an environment of its own")
    # The environment that runs the tests in place of .venv, and no installation.
    command = ["make", "--silent", "demo", f"VENV={sys.prefix}", "-o", f"{sys.prefix}/.base"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    sentence, paragraph, last = ran.stdout.split("\n\n")
    assert last == f"It is installed in {sys.prefix}. To use it: source {sys.prefix}/bin/activate\n"
    for printed in (sentence, paragraph):
        rows = [line.split() for line in printed.splitlines()]
        assert [row for row in rows if row[:1] == ["entity"]]
        assert [row for row in rows if row[:1] == ["relation"]]
    assert sentence.startswith("David Foster is the AP's Northwest regional reporter")
    assert paragraph.startswith((ROOT / "samples" / "paragraph.txt").read_text("utf-8"))


def test_make_demo_facts_reads_the_news_and_serves_the_page(tmp_path: Path, free_port: int) -> None:
    for package in ("fastapi", "rapidfuzz"):
        pytest.importorskip(package, reason="needs the extras facts and serve")
    if not shutil.which("make") or not Path(sys.prefix, "bin", "biaffinity").is_file():
        pytest.skip("needs make, and the package in an environment of its own")
    command = ["make", "--silent", "demo-facts", f"VENV={sys.prefix}", "-o", f"{sys.prefix}/.facts"]
    command += [f"PORT={free_port}", "OPEN=", f"NEWSROOM={tmp_path / 'newsroom.db'}"]
    making = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        address = f"http://127.0.0.1:{free_port}"
        while making.poll() is None:
            with suppress(OSError), urlopen(f"{address}/v1/facts", timeout=5) as answer:
                summary = json.load(answer)
                break
            time.sleep(0.1)
        assert making.poll() is None, making.stderr and making.stderr.read()
        assert summary["documents"] == 200
        assert summary["facts"] > 250
        with urlopen(f"{address}/v1/facts/search?text=norvk+oil", timeout=5) as answer:
            assert json.load(answer)["found"][0]["entity"]["type"] == "Organization"
        with urlopen(f"{address}/facts", timeout=5) as answer:
            assert b"<title>Facts" in answer.read()
    finally:
        os.killpg(making.pid, signal.SIGINT)
        making.communicate(timeout=30)


def test_the_news_is_two_hundred_short_texts_of_days_and_stories(samples: Path) -> None:
    texts = sorted((samples / "newsroom").glob("*.txt"))
    assert len(texts) == 200
    bodies = [path.read_text("utf-8") for path in texts]
    assert len(set(bodies)) == 200
    assert all(re.fullmatch(r"2025-\d\d-\d\d-[a-z-]+\.txt", path.name) for path in texts)
    assert all(60 < len(body) < 400 for body in bodies)


def test_check_finds_nothing_wrong_with_the_corpus(corpus: dict[str, list[Sentence]]) -> None:
    assert [problem.code for problem in check(corpus).problems] == []


def test_tokens_are_those_of_the_text(corpus: dict[str, list[Sentence]]) -> None:
    for sentence in [*corpus["train"], *corpus["dev"]]:
        assert sentence.text is not None
        spans = tokenise(sentence.text)
        assert list(sentence.token_spans or ()) == spans
        assert list(sentence.tokens) == [sentence.text[start:end] for start, end in spans]


def test_each_text_is_one_sentence(corpus: dict[str, list[Sentence]]) -> None:
    for sentence in [*corpus["train"], *corpus["dev"]]:
        assert len(split_sentences(sentence.text or "")) == 1


def test_relations_join_the_types_they_should(corpus: dict[str, list[Sentence]]) -> None:
    for sentence in [*corpus["train"], *corpus["dev"]]:
        for relation in sentence.relations:
            joined = sentence.entities[relation.head].type, sentence.entities[relation.tail].type
            assert joined == SIGNATURES[relation.type], sentence.text


def test_dev_repeats_no_sentence_of_train(corpus: dict[str, list[Sentence]]) -> None:
    train, dev = ({sentence.tokens for sentence in corpus[name]} for name in ("train", "dev"))
    assert not train & dev


def test_the_texts_to_extract_from_are_new(corpus: dict[str, list[Sentence]]) -> None:
    known = {(sentence.text or "").strip() for part in corpus.values() for sentence in part}
    names = {
        sentence.entity_text(index)
        for part in corpus.values()
        for sentence in part
        for index, entity in enumerate(sentence.entities)
        if entity.type in ("Peop", "Org")
    }
    for text in runpy.run_path(str(SCRIPT))["NEW_TEXTS"]:
        assert text not in known
        assert not [name for name in names if name in text]


def test_demo_trains_and_prints_relations_with_scores_and_characters(tmp_path: Path) -> None:
    ran = run_demo("--epochs", 6, "--out", tmp_path / "model")
    assert ran.returncode == 0, ran.stderr
    assert "Training on 160 invented sentences, 6 times over" in ran.stdout
    rows = [line.split() for line in ran.stdout.splitlines()]
    assert any(row[:1] == ["entity"] for row in rows)
    relations = [row for row in rows if row[:1] == ["relation"]]
    assert relations
    for _, type_, characters, score, *arguments in relations:
        start, end = map(int, characters.split("-"))
        assert type_ in SIGNATURES
        assert start < end
        assert 0 <= float(score) <= 1
        assert "->" in arguments
    assert (tmp_path / "model" / "model.safetensors").is_file()


def test_demo_refuses_a_folder_with_another_run_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    ran = run_demo("--out", tmp_path)
    assert ran.returncode == 1
    assert ran.stderr.startswith("error: ")
    assert ran.stderr.count("\n") == 1
