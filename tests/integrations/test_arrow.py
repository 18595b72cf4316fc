from __future__ import annotations

import pickle
import sys
from typing import TYPE_CHECKING, Any

import pytest

from biaffinity.errors import DataError, MissingExtraError
from biaffinity.integrations.arrow import ArrowExtractor, spark_schema
from bulk import capitals

if TYPE_CHECKING:
    from biaffinity import Extractor

pyarrow: Any = pytest.importorskip("pyarrow", reason="needs the extra tables")
TEXTS = ["Bo met Al.", "it rained", "Cy met Di."]


def batch(**columns: list[Any]) -> Any:
    return pyarrow.RecordBatch.from_pydict(columns)


def test_a_row_comes_out_for_each_that_came_in() -> None:
    annotated = ArrowExtractor(capitals.load()).batch(batch(id=["a", "b", "c"], text=TEXTS))
    documents = capitals.load().stream(zip(TEXTS, "abc", strict=True))
    rows = [{**document.to_dict(tokens=False), "problem": None} for document, _ in documents]
    assert annotated.to_pylist() == rows
    assert isinstance(annotated, pyarrow.RecordBatch)


def test_a_table_gives_a_table() -> None:
    extractor = ArrowExtractor(capitals.load(), text="body", id="number")
    table = pyarrow.concat_tables([pyarrow.table({"body": [text], "number": [7]}) for text in TEXTS])
    annotated = extractor.batch(table)
    assert annotated.schema == extractor.schema
    assert annotated["id"].to_pylist() == ["7"] * 3
    assert annotated["text"].to_pylist() == TEXTS


def test_batches_are_annotated_as_they_are_asked_for() -> None:
    taken = []

    def batches() -> Any:
        for text in TEXTS:
            taken.append(text)
            yield batch(text=[text])

    annotated = ArrowExtractor(capitals.load())(batches())
    assert taken == []
    assert next(annotated)["text"].to_pylist() == TEXTS[:1]
    assert taken == TEXTS[:1]


def test_a_document_that_fails_has_its_problem_and_the_others_are_annotated() -> None:
    annotated = ArrowExtractor(capitals.load()).batch(
        batch(id=["a", "b", "c", "d"], text=["Bo met Al.", "Boom", None, "Cy met Di."])
    )
    assert annotated["problem"].to_pylist() == [
        None,
        "row 1: ZeroDivisionError: boom",
        "row 2: text: must be a string, not null",
        None,
    ]
    assert annotated["id"].to_pylist() == ["a", "b", None, "d"]
    assert annotated["text"].to_pylist() == ["Bo met Al.", "Boom", None, "Cy met Di."]
    assert annotated["entities"].to_pylist()[1:3] == [None, None]


def test_without_ids_there_are_none_and_no_rows_give_no_rows() -> None:
    extractor = ArrowExtractor(capitals.load())
    assert extractor.batch(batch(text=TEXTS))["id"].to_pylist() == [None] * 3
    empty = pyarrow.schema([("text", pyarrow.string())]).empty_table()
    assert extractor.batch(empty).num_rows == 0


def test_a_column_that_is_not_there_is_told() -> None:
    with pytest.raises(DataError, match=r"there is no column 'text' \(name the column of the texts: body\)"):
        ArrowExtractor(capitals.load()).batch(batch(body=TEXTS))


def test_it_can_be_sent_to_another_process(extractor: Extractor, news: Any) -> None:
    texts = [" ".join(sentence.tokens) for sentence in news]
    sent = pickle.loads(pickle.dumps(ArrowExtractor(extractor)))
    (annotated,) = sent([batch(text=texts)])
    found = [relation["type"] for row in annotated.to_pylist() for relation in row["relations"]]
    assert found == [r.type for document in extractor.stream(texts) for r in document.relations] != []


def test_without_its_extra_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"reading Arrow batches needs .*biaffinity\[tables\]"):
        ArrowExtractor(capitals.load())


def test_duckdb_reads_what_comes_out() -> None:
    duckdb: Any = pytest.importorskip("duckdb", reason="needs duckdb")
    extractor = ArrowExtractor(capitals.load())
    notes = pyarrow.table({"id": ["a", "b", "c"], "text": TEXTS})
    with duckdb.connect() as database, database.cursor() as reading:
        reading.register("notes", notes)
        texts = reading.sql("SELECT id, text FROM notes").to_arrow_reader(1000)
        database.register("found", pyarrow.RecordBatchReader.from_batches(extractor.schema, extractor(texts)))
        database.sql("CREATE TABLE facts AS SELECT id, unnest(entities) AS entity FROM found")
        rows = database.sql("SELECT id, entity.text FROM facts ORDER BY id, entity.start_char").fetchall()
    assert rows == [("a", "Bo"), ("a", "Al"), ("c", "Cy"), ("c", "Di")]


@pytest.mark.filterwarnings("ignore")  # Spark's own, of pandas and of sockets
def test_spark_maps_in_arrow() -> None:
    sql: Any = pytest.importorskip("pyspark.sql", reason="needs pyspark and Java")
    session = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        extractor = ArrowExtractor(capitals.load())
        rows = [(str(n), f"Bo{n} met Al{n}.") for n in range(50)]
        texts = session.createDataFrame(rows, "id string, text string")
        found = texts.mapInArrow(extractor, spark_schema()).selectExpr("id", "size(relations) AS relations")
        assert sorted(int(row.id) for row in found.collect() if row.relations == 1) == [*range(50)]
    finally:
        session.stop()
