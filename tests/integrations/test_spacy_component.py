"""``nlp.add_pipe("biaffinity")``: entities and relations in spaCy's documents, wherever these go."""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("spacy", reason="needs the extra spacy")

import spacy
from spacy import displacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.tokens.underscore import Underscore

from biaffinity import Extractor, Sentence, formats
from biaffinity.errors import BiaffinityError, UsageError
from biaffinity.extraction.loading import DEFAULT_MODEL, embedded_models
from biaffinity.model.network import TorchNetwork
from extraction.texts import ANA, TOVE
from model.tiny import tiny_model

FOUND = [("Ana Ruiz", "Peop"), ("Norvik Oil", "Org"), ("Bergen", "Loc"), ("Norway", "Loc")]

Pipeline = Callable[..., Language]


@pytest.fixture
def pipeline(folder: Path) -> Pipeline:
    """A pipeline with our component, after an entity ruler with the given patterns."""

    def build(patterns: dict[str, str] | None = None, **config: Any) -> Language:
        nlp = spacy.blank("en")
        if patterns is not None:
            ruler = nlp.add_pipe("entity_ruler")
            ruler.add_patterns([{"pattern": text, "label": label} for text, label in patterns.items()])
        nlp.add_pipe("biaffinity", config={"model": str(folder), **config})
        return nlp

    return build


def entities(doc: Doc) -> list[tuple[str, str]]:
    return [(entity.text, entity.label_) for entity in doc.ents]


def triples(doc: Doc) -> set[tuple[str, str, str]]:
    return {(relation.head.text, relation.type, relation.tail.text) for relation in doc._.relations}


def found(doc: Doc) -> list[Any]:
    """All that was found, in a form that can be compared between documents."""
    relations = [(r.type, r.head.start, r.head.end, r.tail.start, r.tail.end) for r in doc._.relations]
    return [entities(doc), relations, [r.head.label_ + r.tail.label_ for r in doc._.relations]]


def assert_as_without_spacy(doc: Doc, extractor: Extractor, tokens: list[str]) -> None:
    ours = extractor.tokens(tokens)
    assert [(e.start, e.end, e.label_) for e in doc.ents] == [(e.start, e.end, e.type) for e in ours.entities]
    assert [e._.entity_score for e in doc.ents] == pytest.approx([e.score for e in ours.entities], abs=1e-4)
    assert [(r.type, r.head.start, r.head.end, r.tail.start, r.tail.end) for r in doc._.relations] == [
        (r.type, r.head.start, r.head.end, r.tail.start, r.tail.end) for r in ours.relations
    ]
    assert [r.score for r in doc._.relations] == pytest.approx([r.score for r in ours.relations], abs=1e-4)


def test_it_finds_entities_and_relations(pipeline: Pipeline) -> None:
    doc = pipeline()(ANA)
    assert entities(doc) == FOUND
    assert ("Ana Ruiz", "Work_For", "Norvik Oil") in triples(doc)
    assert ("Bergen", "Located_In", "Norway") in triples(doc)


def test_everything_has_a_score(pipeline: Pipeline) -> None:
    doc = pipeline()(ANA)
    assert all(0 < entity._.entity_score <= 1 for entity in doc.ents)
    assert all(0 < relation.score <= 1 for relation in doc._.relations)
    assert doc[2:4]._.entity_score is None


def test_the_arguments_of_relations_are_the_entities(pipeline: Pipeline) -> None:
    doc = pipeline()(ANA)
    assert doc._.relations
    for relation in doc._.relations:
        assert {relation.head, relation.tail} <= set(doc.ents)


def test_it_finds_what_the_extractor_finds_in_the_same_tokens(
    pipeline: Pipeline, extractor: Extractor, news: list[Sentence]
) -> None:
    nlp = pipeline()
    docs = [Doc(nlp.vocab, list(s.tokens), sent_starts=[True] + [False] * (len(s) - 1)) for s in news]
    for doc, sentence in zip(nlp.pipe(docs), news, strict=True):
        assert_as_without_spacy(doc, extractor, list(sentence.tokens))


def test_it_finds_what_the_extractor_finds_in_a_corpus(corpora: Path) -> None:
    if DEFAULT_MODEL not in embedded_models():
        pytest.skip("needs the embedded model: make model")
    sentences = list(formats.read(corpora / "conll04" / "dev.jsonl"))
    nlp = spacy.blank("en")
    extractor = nlp.add_pipe("biaffinity").extractor
    docs = [Doc(nlp.vocab, list(s.tokens), sent_starts=[True] + [False] * (len(s) - 1)) for s in sentences]
    assert sum(len(doc._.relations) for doc in nlp.pipe(docs)) > 100
    for doc, sentence in zip(docs, sentences, strict=True):
        assert_as_without_spacy(doc, extractor, list(sentence.tokens))


def test_replace_takes_the_place_of_what_was_there(pipeline: Pipeline) -> None:
    doc = pipeline({"Ana": "PERSON", "works": "VERB", "Bergen": "GPE"})(ANA)
    assert entities(doc) == FOUND


def test_keep_fills_in_around_what_was_there(pipeline: Pipeline) -> None:
    doc = pipeline({"Ana Ruiz": "PERSON", "works": "VERB"}, entities="keep")(ANA)
    assert entities(doc) == [("Ana Ruiz", "PERSON"), ("works", "VERB"), *FOUND[1:]]
    assert ("Ana Ruiz", "Work_For", "Norvik Oil") in triples(doc)
    assert [entity._.entity_score is None for entity in doc.ents] == [True, True, False, False, False]


def test_keep_holds_to_boundaries_that_the_model_would_draw_elsewhere(pipeline: Pipeline) -> None:
    doc = pipeline({"Ana": "PERSON", "Oil in Bergen": "EVENT"}, entities="keep")(ANA)
    assert {("Ana", "PERSON"), ("Oil in Bergen", "EVENT")} <= set(entities(doc))


def test_given_looks_only_between_what_was_there(pipeline: Pipeline) -> None:
    doc = pipeline({"Bergen": "GPE", "Norway": "GPE"}, entities="given")(ANA)
    assert entities(doc) == [("Bergen", "GPE"), ("Norway", "GPE")]
    assert triples(doc) == {("Bergen", "Located_In", "Norway")}
    assert {relation.head.label_ for relation in doc._.relations} == {"GPE"}


def test_min_score_does_not_drop_what_was_there(pipeline: Pipeline) -> None:
    patterns = {"Bergen": "GPE", "Norway": "GPE"}
    for mode in ("keep", "given"):
        doc = pipeline(patterns, entities=mode, min_score={"entities": 1.0})(ANA)
        assert entities(doc) == [("Bergen", "GPE"), ("Norway", "GPE")]
        assert triples(doc) == {("Bergen", "Located_In", "Norway")}


def test_a_low_min_score_finds_relations_that_the_model_does_not_decide_for(pipeline: Pipeline) -> None:
    text = "Norvik Oil and Ana Ruiz left Bergen, Solund and Tove Lind."
    decided, more = pipeline()(text), pipeline(min_score=0.01)(text)
    assert entities(decided) == entities(more)
    assert triples(decided) < triples(more)


def test_min_score_leaves_out_what_scores_less(pipeline: Pipeline) -> None:
    doc = pipeline(min_score={"relations": 1.0})(ANA)
    assert entities(doc) == FOUND
    assert doc._.relations == []


def test_types_tell_the_model_what_a_label_means(pipeline: Pipeline, extractor: Extractor) -> None:
    patterns = {"Bergen": "GPE", "Norway": "GPE"}
    for told in ("Loc", "Other"):
        doc = pipeline(patterns, entities="given", types={"GPE": told})(ANA)
        assert triples(doc) == set(extractor(ANA, entities=[(33, 39, told), (41, 47, told)]).triples())
    assert not triples(doc)  # of two things of another kind, none lies in the other


def test_a_label_without_a_type_is_no_entity_for_the_model(pipeline: Pipeline) -> None:
    patterns = {"Bergen": "GPE", "Norway": "GPE", "Norvik": "BRAND"}
    given = pipeline(patterns, entities="given", types={"GPE": None})(ANA)
    assert given._.relations == []
    kept = pipeline(patterns, entities="keep", types={"BRAND": None})(ANA)
    assert entities(kept) == [("Ana Ruiz", "Peop"), ("Norvik", "BRAND"), ("Bergen", "GPE"), ("Norway", "GPE")]
    assert triples(kept) == {("Bergen", "Located_In", "Norway")}


def test_two_components_add_up(pipeline: Pipeline, folder: Path) -> None:
    nlp = pipeline(min_score={"relations": 1.0})
    nlp.add_pipe("biaffinity", name="second", config={"model": str(folder), "entities": "given"})
    doc = nlp(ANA)
    assert triples(doc) == triples(pipeline()(ANA))
    assert all(entity._.entity_score for entity in doc.ents)
    nlp.get_pipe("second")(doc)
    assert len(doc._.relations) == len(triples(doc))


def test_a_model_that_is_given_entities_says_so(
    news: list[Sentence], pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    within = Extractor(TorchNetwork(tiny_model(news, boundaries="given")))
    monkeypatch.setattr(Extractor, "load", lambda *_, **__: within)
    with pytest.raises(UsageError, match='entities="given"'):
        pipeline()(ANA)
    doc = pipeline({"Bergen": "GPE"}, entities="given")(ANA)
    assert entities(doc) == [("Bergen", "GPE")]


def test_pipe_finds_what_single_calls_find(pipeline: Pipeline) -> None:
    nlp = pipeline()
    texts = [ANA, "", TOVE, f"{ANA} {TOVE}", " \n", ANA]
    for batch_size in (1, 4, 1000):
        together = list(nlp.pipe(texts, batch_size=batch_size))
        assert [found(doc) for doc in together] == [found(nlp(text)) for text in texts]


def test_pipe_passes_documents_to_the_network_together(
    pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    nlp = pipeline()
    network = nlp.get_pipe("biaffinity").extractor._predictor.network
    sizes = []
    emissions = network.emissions
    monkeypatch.setattr(
        network, "emissions", lambda batch: sizes.append(len(batch.lengths)) or emissions(batch)
    )
    list(nlp.pipe([ANA] * 20, batch_size=10))
    assert sizes == [10, 10]


def test_one_document_at_fault_does_not_fail_its_batch(
    pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    from biaffinity.integrations import spacy_component

    real = spacy_component.to_document

    def to_document(doc: Doc, types: Any) -> Any:
        if "poison" in doc.text:
            raise RuntimeError("poisonous")
        return real(doc, types)

    monkeypatch.setattr(spacy_component, "to_document", to_document)
    nlp = pipeline()
    lost = []
    nlp.set_error_handler(lambda name, proc, docs, error: lost.extend(doc.text for doc in docs))
    docs = list(nlp.pipe([ANA, "poison", TOVE]))
    assert [doc.text for doc in docs] == [ANA, TOVE]
    assert lost == ["poison"]
    assert entities(docs[0]) == FOUND


def test_processes_find_the_same_side_by_side(folder: Path) -> None:
    program = (
        "import sys, spacy\n"
        "def main():\n"
        "    nlp = spacy.blank('en')\n"
        "    nlp.add_pipe('biaffinity', config={'model': sys.argv[1]})\n"
        "    docs = list(nlp.pipe([sys.argv[2]] * 3, n_process=2, batch_size=1))\n"
        "    print([len(d.ents) for d in docs], [len(d._.relations) for d in docs])\n"
        "    print(docs[2]._.relations[0].head, docs[2].ents[0]._.entity_score > 0)\n"
        "if __name__ == '__main__':\n"
        "    main()\n"
    )
    script = folder.parent / "processes.py"
    script.write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script), str(folder), ANA], capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines() == ["[4, 4, 4] [4, 4, 4]", "Ana Ruiz True"], done.stderr


def test_what_was_found_goes_where_the_document_goes(pipeline: Pipeline) -> None:
    nlp = pipeline()
    doc = nlp(ANA)
    stored = DocBin(store_user_data=True, docs=[doc]).to_bytes()
    (from_bin,) = DocBin().from_bytes(stored).get_docs(nlp.vocab)
    for copy in (Doc(nlp.vocab).from_bytes(doc.to_bytes()), from_bin, doc.copy()):
        assert found(copy) == found(doc)
        assert [e._.entity_score for e in copy.ents] == [e._.entity_score for e in doc.ents]


def test_a_pipeline_on_disk_needs_nothing_else(pipeline: Pipeline, folder: Path, tmp_path: Path) -> None:
    original = shutil.copytree(folder, tmp_path / "model")
    (original / "run.json").write_text("{}")  # no part of the model
    nlp = pipeline({"Bergen": "GPE"}, model=str(original), entities="keep", types={"GPE": "Loc"})
    expected = found(nlp(ANA))
    nlp.to_disk(tmp_path / "pipeline")
    shutil.rmtree(original)
    moved = shutil.move(tmp_path / "pipeline", tmp_path / "elsewhere")
    loaded = spacy.load(moved)
    assert found(loaded(ANA)) == expected
    stored = {path.name for path in (tmp_path / "elsewhere" / "biaffinity" / "model").iterdir()}
    assert stored == {path.name for path in folder.iterdir()}


def test_a_pipeline_can_be_written_where_it_was_read(pipeline: Pipeline, tmp_path: Path) -> None:
    pipeline().to_disk(tmp_path / "pipeline")
    spacy.load(tmp_path / "pipeline").to_disk(tmp_path / "pipeline")
    assert entities(spacy.load(tmp_path / "pipeline")(ANA)) == FOUND


def test_a_pipeline_in_bytes_needs_nothing_else(pipeline: Pipeline, folder: Path, tmp_path: Path) -> None:
    original = shutil.copytree(folder, tmp_path / "model")
    data = pipeline(model=str(original), min_score={"relations": 1.0}).to_bytes()
    shutil.rmtree(original)
    nlp = pipeline(model="none").from_bytes(data)
    doc = nlp(ANA)
    assert (entities(doc), doc._.relations) == (FOUND, [])
    twice = pickle.loads(pickle.dumps(nlp.get_pipe("biaffinity")))
    temporary = nlp.get_pipe("biaffinity").model
    del nlp
    assert not temporary.exists()
    assert entities(twice(doc)) == FOUND


def test_a_model_with_a_transformer_goes_where_the_pipeline_goes(
    transformer_folder: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(transformer_folder, tmp_path / "model")
    nlp = spacy.blank("en")
    nlp.add_pipe("biaffinity", config={"model": str(folder)})
    before = found(nlp(ANA))
    assert triples(nlp(ANA)) == {tuple(triple) for triple in Extractor.load(folder)(ANA).triples()}
    nlp.to_disk(tmp_path / "nlp")
    content = nlp.to_bytes()
    shutil.rmtree(folder)
    assert found(spacy.load(tmp_path / "nlp")(ANA)) == before
    again = spacy.blank("en")
    again.add_pipe("biaffinity")
    assert found(again.from_bytes(content)(ANA)) == before


def test_a_pipeline_can_be_pickled(pipeline: Pipeline) -> None:
    assert found(pickle.loads(pickle.dumps(pipeline()))(ANA)) == found(pipeline()(ANA))


def test_the_extensions_can_be_sent_to_processes() -> None:
    assert pickle.loads(pickle.dumps(Underscore.get_state())) == Underscore.get_state()


def test_displacy_shows_the_entities(pipeline: Pipeline) -> None:
    page = displacy.render(pipeline()(ANA), style="ent", jupyter=False)
    for text, label in FOUND:
        assert text in page
        assert f">{label}</span>" in page


def test_spacy_knows_what_it_sets_and_finds(pipeline: Pipeline, extractor: Extractor) -> None:
    nlp = pipeline()
    nlp(ANA)
    assert nlp.get_pipe_meta("biaffinity").assigns == ["doc.ents", "doc._.relations", "span._.entity_score"]
    assert nlp.pipe_labels["biaffinity"] == [*extractor.entity_types, *extractor.relation_types]


@pytest.mark.parametrize(
    "config",
    [{"entities": "some"}, {"min_score": "high"}, {"model": 7}, {"types": {"GPE": 7}}, {"threshold": 0.5}],
)
def test_a_config_that_makes_no_sense_is_refused(pipeline: Pipeline, config: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="Config"):
        pipeline(**config)


@pytest.mark.parametrize(
    "config", [{"model": "no such folder"}, {"min_score": {"Pope": 0.5}}, {"types": {"GPE": "Place"}}]
)
def test_a_config_that_does_not_fit_the_model_is_refused(pipeline: Pipeline, config: dict[str, Any]) -> None:
    with pytest.raises(BiaffinityError):
        pipeline(**config)(ANA)


def test_an_extension_of_another_package_is_not_overwritten(pipeline: Pipeline) -> None:
    from biaffinity.integrations.spacy_documents import register_extensions

    ours = Doc.remove_extension("relations")
    Doc.set_extension("relations", default=None)
    try:
        with pytest.raises(UsageError, match=r"Doc\._\.relations"):
            pipeline()
    finally:
        Doc.remove_extension("relations")
        register_extensions()
    assert Doc.get_extension("relations") == ours
