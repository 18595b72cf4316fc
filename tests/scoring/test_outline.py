"""The order in which a score sheet is read."""

from __future__ import annotations

from hypothesis import given

from biaffinity.scoring import score
from biaffinity.scoring.outline import GROUPS, lines
from scoring.predictions import predicted_corpora


@given(predicted_corpora())
def test_every_cell_stands_in_one_line(corpora):
    sheet = score(*corpora)
    paths = [path for _, path in lines(sheet) if path is not None]
    without_a_line = {("re", "strict", "macro_no_other"), ("re", "boundaries", "macro_no_other")}
    assert sorted(paths) == sorted(set(sheet.scores) - without_a_line)


def test_each_group_has_its_heading_before_its_cells():
    sheet = score([], [], other=["Other", "Misc"])
    told = list(lines(sheet))
    assert [label for label, path in told if path is None] == [title for _, title in GROUPS]
    assert told[:4] == [
        ("Entities, strict", None),
        ("micro", ("ner", "micro")),
        ("macro, all types", ("ner", "macro")),
        ("macro, without Misc, Other", ("ner", "macro_no_other")),
    ]


def test_the_numbers_of_the_paper_have_the_names_they_have_there():
    told = list(lines(score([], [], other=["Other", "Misc"])))
    assert told[-5:] == [
        ("The paper's numbers (macro)", None),
        ("NER without Misc, Other", ("paper", "ner")),
        ("EC without Misc, Other", ("paper", "ec")),
        ("RC strict", ("paper", "rc")),
        ("RC as released", ("paper", "rc_released")),
    ]


def test_boundaries_are_one_line_and_relations_have_no_other():
    told = list(lines(score([], [])))
    assert told[4:6] == [("Entities, boundaries only", None), ("micro", ("ner", "boundaries"))]
    assert told[10:13] == [
        ("Relations, strict", None),
        ("micro", ("re", "strict", "micro")),
        ("macro, all types", ("re", "strict", "macro")),
    ]
