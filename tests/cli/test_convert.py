from __future__ import annotations

import io
import json
import sys

import pytest
from rich.console import Console

from biaffinity import formats
from biaffinity.cli import convert
from biaffinity.cli.app import main


@pytest.fixture
def run(capfd):
    """Runs a command line; gives its exit code, stdout and stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as leaving:
            main(["convert", *map(str, arguments)])
        out, err = capfd.readouterr()
        return int(leaving.value.code or 0), out, err

    return run


def test_a_file_is_converted_and_what_was_lost_is_told(run, samples, tmp_path):
    code, out, err = run(samples / "news.jsonl", tmp_path / "x.conll")
    assert (code, out) == (0, "")
    assert f"5 sentences written to {tmp_path / 'x.conll'} (jsonl to conll)\n" in err
    assert "could not be carried over as it stood:\n" in err
    assert "9 x relation not carried over (e.g. sentence harbour:0" in err
    assert len(list(formats.read(tmp_path / "x.conll"))) == 5


def test_nothing_is_said_of_losses_where_there_are_none(run, samples, tmp_path):
    code, _, err = run(samples / "news.corp", tmp_path / "x.jsonl")
    assert code == 0
    assert err == f"5 sentences written to {tmp_path / 'x.jsonl'} (corp to jsonl)\n"


def test_formats_can_be_given(run, samples, tmp_path):
    code, _, _ = run(samples / "news.spert.json", tmp_path / "x", "--from", "spert", "--to", "dygie")
    assert code == 0
    assert formats.detect(tmp_path / "x") == "dygie"


def test_a_dash_writes_json_lines_to_stdout_and_talk_to_stderr(run, samples):
    code, out, err = run(samples / "news.conll", "-")
    assert code == 0
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["1", "2", "3", "4", "5"]
    assert err == "5 sentences written to stdout (conll to jsonl)\n"


def test_only_json_lines_go_to_stdout(run, samples):
    code, out, err = run(samples / "news.jsonl", "-", "--to", "spert")
    assert (code, out) == (2, "")
    assert err == "error: only jsonl goes to stdout (name a file to write)\n"


@pytest.mark.parametrize("option", ["--from", "--to"])
def test_an_unknown_format_is_wrong_use(run, samples, tmp_path, option):
    code, _, err = run(samples / "news.jsonl", tmp_path / "x.jsonl", option, "xml")
    assert code == 2
    assert err.startswith("error: unknown format 'xml' (known are: jsonl, multihead")
    assert err.count("\n") == 1
    assert not (tmp_path / "x.jsonl").exists()


def test_a_missing_file_fails(run, tmp_path):
    code, _, err = run(tmp_path / "missing", tmp_path / "x.jsonl")
    assert (code, err) == (1, f"error: {tmp_path / 'missing'}: no such file (check the path)\n")


def test_bad_data_fails_with_its_line_and_leaves_the_target_alone(run, samples, tmp_path):
    source, target = tmp_path / "source.jsonl", tmp_path / "target.jsonl"
    source.write_text((samples / "news.jsonl").read_text() + '{"tokens": [""]}\n')
    target.write_text("old")
    code, out, err = run(source, target)
    assert (code, out) == (1, "")
    assert err.startswith(f"error: {source}:6: tokens[0]: must be a non-empty string")
    assert err.count("\n") == 1
    assert target.read_text() == "old"
    assert sorted(tmp_path.iterdir()) == [source, target]


def test_a_file_is_not_converted_onto_itself(run, samples, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes((samples / "news.jsonl").read_bytes())
    (tmp_path / "link.jsonl").symlink_to(path)
    code, _, err = run(path, tmp_path / "link.jsonl")
    assert code == 2
    assert "is to be read and written at once" in err
    assert path.read_bytes() == (samples / "news.jsonl").read_bytes()


def test_help_lists_every_format(run):
    code, out, _ = run("--help")
    assert code == 0
    assert all(name in out for name in formats.names())


def test_a_terminal_sees_how_many_sentences_have_passed(samples, tmp_path, monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr("biaffinity.cli.convert.talk", Console(file=screen, force_terminal=True, width=100))
    convert.convert_file(samples / "news.jsonl", tmp_path / "x.corp")
    assert "5 sentences" in screen.getvalue()


def test_nothing_but_sentences_goes_to_stdout_as_a_library_call(samples, capfd):
    done = convert.convert_file(samples / "news.jsonl", convert.STDOUT)
    sys.stdout.flush()
    assert (done.sentences, done.source_format, done.target_format) == (5, "jsonl", "jsonl")
    assert capfd.readouterr().out == (samples / "news.jsonl").read_text()


def test_relations_across_sentences_are_kept_with_whole_documents(run, tmp_path):
    (tmp_path / "x.txt").write_text("Ana left. Tove stayed.")
    (tmp_path / "x.ann").write_text("T1\tPeop 0 3\tAna\nT2\tPeop 10 14\tTove\nR1\tKnows Arg1:T1 Arg2:T2\n")
    code, _, err = run(tmp_path, tmp_path / "cut.jsonl")
    assert code == 0
    assert "1 x relation across sentences left out; convert --whole (in Python split=False) keeps it" in err
    code, _, err = run(tmp_path, tmp_path / "whole.jsonl", "--whole")
    assert (code, err) == (0, f"1 sentence written to {tmp_path / 'whole.jsonl'} (brat to jsonl)\n")
    assert [len(s.relations) for s in formats.read(tmp_path / "whole.jsonl")] == [1]


def test_whole_documents_are_wrong_use_where_the_source_holds_sentences(run, samples, tmp_path):
    code, _, err = run(samples / "news.corp", tmp_path / "x.jsonl", "--whole")
    assert code == 2
    assert "corp holds sentences, not whole documents (leave out --whole" in err
    assert not (tmp_path / "x.jsonl").exists()
