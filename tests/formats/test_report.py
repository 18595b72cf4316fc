from __future__ import annotations

from biaffinity.formats.report import Report


def test_every_kind_is_counted_and_the_first_places_are_kept() -> None:
    report = Report(examples=2)
    for place in ("a:1", "a:2", "a:3"):
        report.note("odd", place)
    report.note("even", "b:1")
    assert list(report.lines()) == ["3 x odd (e.g. a:1; a:2)", "1 x even (e.g. b:1)"]


def test_a_place_is_an_example_once_however_often_it_counts() -> None:
    report = Report()
    for place in ("a:1", "a:1", "a:2"):
        report.note("odd", place)
    assert str(report) == "3 x odd (e.g. a:1; a:2)"


def test_a_report_is_true_if_something_was_noted() -> None:
    report = Report()
    assert not report
    report.note("odd", "a:1")
    assert report
