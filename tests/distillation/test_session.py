"""A distillation from end to end: its files, labels used again, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

import biaffinity
from biaffinity import Entity, Relation, Sentence, formats
from biaffinity.decoding.schema import NO_RELATION
from biaffinity.distillation import (
    Labelled,
    Mixed,
    Noted,
    Skipped,
    TeacherStarted,
    TextRead,
    Voted,
    Voting,
    files_of_text,
    labelling,
    session,
)
from biaffinity.distillation.mixture import write_mixture
from biaffinity.distillation.vote import vote
from biaffinity.errors import BiaffinityError, DataError, UsageError
from biaffinity.model.folder import load_model, save_model
from biaffinity.training import EpochEnded
from distillation.runs import Run, files, lines, record
from model.tiny import tiny_model


def complaint(run: Run, out: Path, **options: object) -> str:
    with pytest.raises(BiaffinityError) as caught:
        run(out, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_it_is_a_name_of_the_package() -> None:
    assert biaffinity.distil is session.distil


def test_labels_and_student_are_in_the_folder(run: Run, tmp_path: Path, news: list[Sentence]) -> None:
    out = tmp_path / "s"
    finished = run(out)
    labels = out / "labels"
    sentences = list(formats.read(labels / "sentences.jsonl"))
    assert len(sentences) == 2 * len(news)
    assert sentences[0].document.endswith("a.txt")
    readings = []
    for number in (1, 2):
        parts = sorted((labels / f"teacher-{number}").iterdir())
        assert [path.name for path in parts] == [f"part-0000{n}.jsonl" for n in (1, 2, 3, 4)]
        readings.append([sentence for part in parts for sentence in formats.read(part, "jsonl")])
        assert [s.tokens for s in readings[-1]] == [s.tokens for s in sentences]
        assert all(0 <= e.score <= 1 for s in readings[-1] for e in s.entities)
    labelled = list(formats.read(labels / "labelled.jsonl"))
    assert labelled == [vote(s, both, 0.4) for s, *both in zip(sentences, *readings, strict=True)]
    assert sum(len(s.relations) for s in labelled) > 0
    assert labelled[0].text == sentences[0].text
    assert load_model(out).description.schema.entity_types == sorted(
        {e.type for s in news for e in s.entities}
    )
    assert finished.folder == out
    assert not list(out.rglob("*.part"))


def test_what_a_teacher_does_not_decide_for_counts_with_its_score(
    run: Run, tmp_path: Path, folder: Path
) -> None:
    model = load_model(folder)
    with torch.no_grad():
        model.relations.scorer.bias[NO_RELATION] += 5.0
    save_model(model, tmp_path / "careful")
    run(tmp_path / "s", teachers=[tmp_path / "careful"])
    labels = tmp_path / "s" / "labels"
    sentences = list(formats.read(labels / "sentences.jsonl"))
    read = [s for part in sorted((labels / "teacher-1").iterdir()) for s in formats.read(part, "jsonl")]
    decided = list(biaffinity.load(tmp_path / "careful", device="cpu").annotate(sentences))
    assert [s.entities for s in read] == [s.entities for s in decided]
    scores = [r.score for s in read for r in s.relations]
    assert min(scores) >= labelling.LEAST
    assert len(scores) > sum(len(s.relations) for s in decided)


def test_the_record_says_who_labelled_what(
    run: Run, tmp_path: Path, folder: Path, second: Path, text: Path
) -> None:
    run(tmp_path / "s", vote=0.5)
    facts = record(tmp_path / "s" / "labels")
    assert [teacher["name"] for teacher in facts["teachers"]] == [str(folder), str(second)]
    assert facts["vote"] == 0.5
    assert facts["text"]["files"] == [str(text)]
    assert facts["labelled"]["sentences"] == facts["text"]["sentences"] == 10
    assert "command" in facts


def test_the_student_learns_from_gold_several_times_and_from_the_labelled(
    run: Run, tmp_path: Path, news: list[Sentence]
) -> None:
    [mixed] = [event for event in run.events(tmp_path / "s", gold_times=3) if isinstance(event, Mixed)]
    assert mixed == Mixed(gold=5, times=3, labelled=10, left_out=0)
    written = list(formats.read(tmp_path / "s" / "train.jsonl"))
    assert [s.tokens for s in written[:15]] == [s.tokens for s in news] * 3
    assert [len(s.relations) for s in written[:5]] == [len(s.relations) for s in news]
    assert len(written) == 25
    assert all(e.score is None for s in written for e in (*s.entities, *s.relations))
    run_record = json.loads((tmp_path / "s" / "run.json").read_text())
    assert run_record["data"]["train"]["sentences"] == 25


def test_labelled_sentences_that_stand_in_gold_or_dev_are_left_out(tmp_path: Path) -> None:
    gold = [Sentence(["Bo", "left", "."], [Entity(0, 1, "Peop")], id="g")]
    labelled = [Sentence(["BO", "left"], id="1"), Sentence(["Al", "left"], id="2"), Sentence(["Ed"], id="3")]
    dev = [Sentence(["Al", "left", "!"], id="d")]
    mixed = write_mixture(tmp_path / "t.jsonl", gold, labelled, times=1, held_out=dev)
    assert (mixed.labelled, mixed.left_out) == (1, 2)
    assert [line["id"] for line in lines(tmp_path / "t.jsonl")] == ["g", "3"]


def test_what_happens_is_told_in_order(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labelling, "STEP", 2)
    events = run.events(tmp_path / "s")
    kinds = [type(event) for event in events]
    started = [event for event in events if isinstance(event, TeacherStarted)]
    assert [(s.number, s.teachers, s.sentences, s.earlier) for s in started] == [(1, 2, 10, 0), (2, 2, 10, 0)]
    assert sum(e.sentences for e in events if isinstance(e, Labelled)) == 20
    tokens = sum(len(s) for s in formats.read(tmp_path / "s" / "labels" / "sentences.jsonl"))
    assert sum(e.tokens for e in events if isinstance(e, Labelled)) == 2 * tokens
    order = [
        kinds.index(kind) for kind in (TextRead, TeacherStarted, Labelled, Voting, Voted, Mixed, EpochEnded)
    ]
    assert order == sorted(order)
    assert [e.sentences for e in events if isinstance(e, Voting)] == [0, 3, 6, 9, 10]
    assert next(e for e in reversed(events) if isinstance(e, TextRead)).sentences == 10


def test_a_document_that_cannot_be_read_is_named_and_left_out(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "Bo met Al."}\n{"txt": 3}\n{"text": "Al left."}\n')
    events = run.events(tmp_path / "s", text=tmp_path / "a.jsonl")
    [skipped] = [event for event in events if isinstance(event, Skipped)]
    assert "a.jsonl:2" in skipped.problem
    assert record(tmp_path / "s" / "labels")["text"]["sentences"] == 2


def test_a_monstrous_sentence_is_read_in_pieces_and_noted(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Bo met Al , " * 200)
    events = run.events(tmp_path / "s", text=tmp_path / "a.txt")
    [noted] = [event for event in events if isinstance(event, Noted)]
    assert "is read in 2 pieces" in noted.note


def test_what_reading_gold_changed_is_told(run: Run, tmp_path: Path, news: list[Sentence]) -> None:
    records = [sentence.to_dict() for sentence in news]
    records[0]["colour"] = "red"
    (tmp_path / "g.jsonl").write_text("".join(json.dumps(line) + "\n" for line in records))
    events = run.events(tmp_path / "s", train=tmp_path / "g.jsonl")
    assert any("colour" in event.note for event in events if isinstance(event, Noted))


# Labels used again


def test_another_student_learns_from_the_same_labels(run: Run, tmp_path: Path) -> None:
    run(tmp_path / "one", labels=tmp_path / "l")
    before = files(tmp_path / "l")
    events = run.events(tmp_path / "two", labels=tmp_path / "l", teachers=(), text=(), seed=2)
    assert not [event for event in events if isinstance(event, TextRead | TeacherStarted | Voted)]
    assert files(tmp_path / "l") == before
    assert not (tmp_path / "two" / "labels").exists()
    one, two = (list(lines(tmp_path / name / "train.jsonl")) for name in ("one", "two"))
    assert one == two


def test_labels_used_again_are_checked_against_what_is_named(
    run: Run, tmp_path: Path, folder: Path, second: Path, text: Path
) -> None:
    labels = tmp_path / "l"
    run(tmp_path / "one", labels=labels)
    run(tmp_path / "two", labels=labels)  # the same teachers and text
    told = complaint(run, tmp_path / "s", labels=labels, teachers=[folder], vote=0.5)
    assert told.startswith(f"{labels}: holds other labels: by {folder} (weights ")
    assert f", not by {folder} (weights " in told
    assert "; voted at 0.4, not at 0.5 (give the same" in told
    told = complaint(run, tmp_path / "s", labels=labels, text=text / "a.txt")
    assert "holds other labels: of a text with the digest " in told
    assert "another folder: --labels DIR" in told
    assert not (tmp_path / "s").exists()


def test_a_text_is_the_same_whatever_its_files_are_called(run: Run, tmp_path: Path, text: Path) -> None:
    run(tmp_path / "one", labels=tmp_path / "l")
    (tmp_path / "moved").mkdir()
    for name, other in (("a.txt", "c.txt"), ("b.txt", "d.txt")):
        (tmp_path / "moved" / other).write_bytes((text / name).read_bytes())
    run(tmp_path / "two", labels=tmp_path / "l", text=tmp_path / "moved")
    mixed = [(tmp_path / student / "train.jsonl").read_bytes() for student in ("one", "two")]
    assert mixed[0] == mixed[1]


def test_labels_of_other_types_than_gold_are_refused(run: Run, tmp_path: Path, news: list[Sentence]) -> None:
    run(tmp_path / "one", labels=tmp_path / "l")
    formats.write(tmp_path / "g.jsonl", [Sentence(["Bo"], [Entity(0, 1, "Ship")])])
    told = complaint(
        run, tmp_path / "s", labels=tmp_path / "l", teachers=(), text=(), train=tmp_path / "g.jsonl"
    )
    assert told.startswith(f"{tmp_path / 'l'}: knows other types than the training data: entities ")


# What is refused


def test_no_teacher_or_no_text_is_refused(run: Run, tmp_path: Path) -> None:
    assert complaint(run, tmp_path / "s", teachers=()).startswith("no teacher is named (name models")
    assert complaint(run, tmp_path / "s", text=()).startswith("no text is named for the teachers to read (")
    told = complaint(run, tmp_path / "s", labels=tmp_path / "none", teachers=())
    assert told.startswith("no teacher is named")
    assert not (tmp_path / "s").exists()


def test_a_text_that_is_not_there_is_no_text_itself(run: Run, tmp_path: Path) -> None:
    assert complaint(run, tmp_path / "s", text="notes").startswith("notes: no such file or folder (")
    with pytest.raises(DataError):
        files_of_text([tmp_path / "a.jsonl"])


def test_a_text_without_a_sentence_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(" \n")
    told = complaint(run, tmp_path / "s", text=tmp_path / "a.txt")
    assert told.startswith(f"{tmp_path / 'a.txt'}: holds no sentence to label (")
    run(tmp_path / "s")  # nothing is in the way of another text


def test_teachers_of_other_types_are_refused_by_name(run: Run, tmp_path: Path, folder: Path) -> None:
    other = [Sentence(["Bo", "Al"], [Entity(0, 1, "Peop"), Entity(1, 2, "Ship")], [Relation("Sails", 0, 1)])]
    save_model(tiny_model(other), tmp_path / "other")
    told = complaint(run, tmp_path / "s", teachers=[folder, tmp_path / "other"])
    assert told.startswith(
        f"{tmp_path / 'other'}: knows other types than the training data: entities Ship in"
    )
    assert "relations Sails in it alone" in told
    assert "in the data alone" in told
    assert not (tmp_path / "s").exists()


def test_a_teacher_that_is_given_twice_or_finds_no_entities_is_refused(
    run: Run, tmp_path: Path, folder: Path, news: list[Sentence]
) -> None:
    told = complaint(run, tmp_path / "s", teachers=[folder, folder])
    assert told.endswith("its vote would count twice (name each teacher once)")
    save_model(tiny_model(news, boundaries="given"), tmp_path / "given")
    told = complaint(run, tmp_path / "s", teachers=tmp_path / "given")
    assert told.startswith(f"{tmp_path / 'given'}: cannot teach: it does not find entities")
    assert "no such model folder" in complaint(run, tmp_path / "s", teachers=tmp_path / "none")


@pytest.mark.parametrize(
    "options",
    [
        {"vote": 0.0},
        {"vote": 1.5},
        {"gold_times": 0},
        {"recipe": "nix"},
        {"device": "warp"},
        {"vectors": "none.txt"},
    ],
)
def test_settings_that_make_no_sense_are_refused_before_any_work(
    run: Run, tmp_path: Path, options: dict[str, object]
) -> None:
    complaint(run, tmp_path / "s", **options)
    assert not (tmp_path / "s").exists()


def test_gold_without_a_sentence_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "g.jsonl").write_text("")
    assert "g.jsonl: holds no sentence (" in complaint(run, tmp_path / "s", train=tmp_path / "g.jsonl")
    assert "g.jsonl: holds no sentence (" in complaint(run, tmp_path / "s", dev=tmp_path / "g.jsonl")


def test_a_folder_that_holds_a_run_or_labels_is_not_written_over(run: Run, tmp_path: Path) -> None:
    run(tmp_path / "s")
    assert "already holds a training run (add --resume" in complaint(run, tmp_path / "s")
    (tmp_path / "s" / "run.json").unlink()
    (tmp_path / "s" / "model.safetensors").unlink()
    told = complaint(run, tmp_path / "s")
    assert told.startswith(f"{tmp_path / 's' / 'labels'}: already holds labels (add --resume")
    (tmp_path / "labels.json").write_text('{"colour": "red"}')
    with pytest.raises(DataError, match="is no record of labels"):
        run(tmp_path / "t", labels=tmp_path)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UsageError, match="is a file"):
        run(tmp_path / "t", labels=tmp_path / "file")
