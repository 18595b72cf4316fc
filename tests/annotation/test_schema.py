from __future__ import annotations

import sys

import pytest

from biaffinity.annotation.schema import DOCUMENT, MENTION, RELATION, arrow_schema
from biaffinity.errors import MissingExtraError
from paragraph import PARAGRAPH


def test_json_without_tokens_has_just_these_fields() -> None:
    record = PARAGRAPH.to_dict(tokens=False)
    assert list(record) == list(DOCUMENT)
    assert set(record["entities"][0]) | {"score"} == set(MENTION)
    assert set(record["relations"][0]) | {"score"} == set(RELATION)


def test_arrow_can_hold_what_json_has_and_gives_it_back() -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra tables")
    record = PARAGRAPH.to_dict(tokens=False)
    for part in (*record["entities"], *record["relations"]):
        part.setdefault("score", None)
    assert pyarrow.Table.from_pylist([record], arrow_schema()).to_pylist() == [record]


def test_without_its_extra_there_is_no_arrow_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"an Arrow schema needs .*biaffinity\[tables\]"):
        arrow_schema()
