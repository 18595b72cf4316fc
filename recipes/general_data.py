"""The training data of the general model, from KnowledgeNet, Re-DocRED and CoNLL04, into a folder.

    python recipes/general_data.py ../shared/data build/general

How their labels map to those of the model stands in `general_relations.toml`, beside this file. All three are
partly annotated, each in its own way, and every sentence says what was judged (docs/formats.md):

- KnowledgeNet marks all facts of some properties in a passage, and only the entities that take part in one.
  A property with a fact about a pronoun is not judged in its passage: which names the pronoun stands for, and
  whether they were marked too, is not known. Pronouns are judged to be no entities.
- Re-DocRED marks all entities, and relations of whole documents. A relation holds in a sentence that is
  evidence for it; between the same entities in any other sentence it is undecided. Facts without any evidence
  are undecided too, unless `--without-evidence stated`.
- CoNLL04's Other, dates and demonyms follow other conventions: outside people, organisations and places only
  words in small letters are judged to be no entities.

Kept out of training: fold 3 of KnowledgeNet and 50 documents of Re-DocRED as test; a tenth of the documents
of the other folds and 50 more documents as dev. Which ones is decided by checksums of their names, so that
the same files come out on every machine. The folder holds

    train.jsonl, dev.jsonl, test.jsonl            what `biaffinity train` takes
    {dev,test}.redocred.jsonl                     the parts of dev and test, to be scored alone
    {dev,test}.redocred-stated.jsonl              the same, facts without evidence counted as relations
    {dev,test}.knowledgenet.jsonl
    {dev,test}.passages.jsonl                     KnowledgeNet's own records, for the score by passages
    {dev,test}.unrelated.jsonl                    sentences of Re-DocRED with names and no fact between them
    about.json                                    what the types mean, for `biaffinity info`
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from biaffinity import Entity, Judged, Relation, Sentence, formats
from biaffinity.annotation import outermost
from biaffinity.formats.alignment import CharEntity, CharRelation, align

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLE = Path(__file__).with_name("general_relations.toml")
Json = dict[str, Any]
TEST_FOLD = 3
#: Documents of Re-DocRED that are test, and as many that are dev.
HELD_OUT = 50


@dataclass(frozen=True)
class Label:
    """A label of a source: the relation it stands for, and whether it runs from tail to head."""

    relation: str
    is_reversed: bool

    def of(self, head: int, tail: int) -> Relation:
        """The relation between the arguments of the source."""
        return Relation(self.relation, *((tail, head) if self.is_reversed else (head, tail)))


class Table:
    """`general_relations.toml`, read."""

    def __init__(self, path: Path) -> None:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        self.types: dict[str, dict[str, str]] = content["types"]
        self.relations: dict[str, Json] = content["relations"]
        self.about: Json = content["about"]
        self.pronouns = frozenset(content["pronouns"].split())

    def labels(self, key: str) -> dict[str, list[Label]]:
        """The relations that each label of a source (or label that comes near) stands for."""
        labels: dict[str, list[Label]] = {}
        for name, row in self.relations.items():
            for label in row.get(key, ()):
                own = label.removesuffix(" reversed")
                labels.setdefault(own, []).append(Label(name, own != label))
        return labels

    def judged(self, source: str) -> list[str]:
        """The relations that a source marks."""
        return [name for name, row in self.relations.items() if row.get(source)]

    def is_pronoun(self, text: str) -> bool:
        """Whether a text is a pronoun; US and IT are names."""
        return text.lower() in self.pronouns and not (len(text) > 1 and text.isupper())

    def fits(self, relation: Relation, entities: Sequence[Entity]) -> bool:
        """Whether a relation joins types that the table gives it."""
        row = self.relations[relation.type]
        head, tail = entities[relation.head].type, entities[relation.tail].type
        return head in row["head"] and tail in row["tail"]


def main() -> None:
    """Write the folder that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="the folder with knowledgenet/, redocred/ and conll04/")
    parser.add_argument("out", type=Path, help="the folder to write")
    parser.add_argument("--without-evidence", choices=["undecided", "stated"], default="undecided")
    parser.add_argument("--leave-out", choices=["conll04", "knowledgenet", "entities"], action="append")
    options = parser.parse_args()
    table, left_out = Table(TABLE), options.leave_out or ()
    report = formats.Report()
    options.out.mkdir(parents=True, exist_ok=True)

    passages = list(lines(options.data / "knowledgenet" / "train.jsonl"))
    parts: dict[str, list[Sentence]] = {"train": [], "dev": [], "test": []}
    for part, chosen in divided_passages(passages).items():
        sentences = [s for passage in chosen for s in from_knowledgenet(passage, table, report)]
        if part != "train":
            write_lines(options.out / f"{part}.passages.jsonl", chosen)
            formats.write(options.out / f"{part}.knowledgenet.jsonl", sentences)
        if part != "train" or "knowledgenet" not in left_out:
            parts[part] += sentences
    documents = list(lines(options.data / "redocred" / "train.jsonl"))
    for part, chosen in divided_documents(documents).items():
        stated = part == "train" and options.without_evidence == "stated"
        sentences = [s for document in chosen for s in from_redocred(document, table, stated=stated)]
        parts[part] += sentences
        if part != "train":
            formats.write(options.out / f"{part}.redocred.jsonl", sentences)
            counted = [s for document in chosen for s in from_redocred(document, table, stated=True)]
            formats.write(options.out / f"{part}.redocred-stated.jsonl", counted)
            formats.write(options.out / f"{part}.unrelated.jsonl", unrelated(chosen, table))
    if "entities" not in left_out:
        titles = {document["title"] for document in documents}
        for document in lines(options.data / "redocred" / "entities.jsonl"):
            if document["title"] not in titles:
                parts["train"] += from_redocred({**document, "relations": None}, table)
    if "conll04" not in left_out:
        conll = formats.read(options.data / "conll04" / "train.jsonl")
        parts["train"] += [from_conll04(sentence, table) for sentence in conll]
    (options.out / "about.json").write_text(json.dumps(about(table), indent=2) + "\n", encoding="utf-8")
    for part, sentences in parts.items():
        formats.write(options.out / f"{part}.jsonl", sentences)
        entities, relations = (
            sum(len(s.entities) for s in sentences),
            sum(len(s.relations) for s in sentences),
        )
        print(f"{part}: {len(sentences):,} sentences, {entities:,} entities, {relations:,} relations")
    print(report)


def about(table: Table) -> Json:
    """What `biaffinity info` shows of a model that was trained on this data."""
    return {
        "summary": table.about["summary"],
        "entity_types": {name: {"meaning": says} for name, says in sorted(table.about["types"].items())},
        "relation_types": {
            name: {"meaning": row["says"], "id": row["id"]} for name, row in sorted(table.relations.items())
        },
        "data": table.about["data"],
    }


def divided_passages(passages: Iterable[Json]) -> dict[str, list[Json]]:
    """KnowledgeNet's passages: a fold as test, a tenth of the other documents as dev."""
    parts: dict[str, list[Json]] = {"train": [], "dev": [], "test": []}
    for passage in passages:
        held_back = int(checksum(passage["document"])[:8], 16) % 10 == 0
        parts["test" if passage["fold"] == TEST_FOLD else "dev" if held_back else "train"].append(passage)
    return parts


def divided_documents(documents: Sequence[Json]) -> dict[str, list[Json]]:
    """Re-DocRED's documents with relations: some as test, some as dev, the others for training."""
    drawn = sorted(documents, key=lambda document: checksum(document["title"]))
    return {"train": drawn[2 * HELD_OUT :], "dev": drawn[HELD_OUT : 2 * HELD_OUT], "test": drawn[:HELD_OUT]}


def from_knowledgenet(passage: Json, table: Table, report: formats.Report) -> Iterator[Sentence]:
    """A passage as sentences: its facts between names, and what was judged of it."""
    text, labels = passage["text"], table.labels("knowledgenet")
    entities: dict[tuple[int, int, str], CharEntity] = {}
    relations, open_relations = [], set()
    for fact in passage["facts"]:
        about_names = not any(table.is_pronoun(text[slice(*fact[role])]) for role in ("subject", "object"))
        for label in labels[fact["property"]]:
            if not about_names:
                open_relations.add(label.relation)
                continue
            row = table.relations[label.relation]
            first, second = ("object", "subject") if label.is_reversed else ("subject", "object")
            head, tail = (*fact[first], row["head"][0]), (*fact[second], row["tail"][0])
            for key in (head, tail):
                entities.setdefault(key, CharEntity(*key, key=key, where=passage["id"]))
            if head != tail:
                relations.append(CharRelation(label.relation, head, tail, where=passage["id"]))
    looked_for = {label.relation for name in passage["annotated_properties"] for label in labels[name]}
    judged_relations = sorted(looked_for - open_relations)
    for sentence in align(
        text,
        list(entities.values()),
        list(dict.fromkeys(relations)),
        document=passage["id"],
        where=passage["id"],
        report=report,
    ):
        pronouns = [(i, i + 1) for i, token in enumerate(sentence.tokens) if table.is_pronoun(token)]
        judged = Judged(tokens=pronouns, relations=judged_relations)
        yield replace(flat(sentence), document=f"knowledgenet {passage['document']}", judged=judged)


def from_redocred(document: Json, table: Table, *, stated: bool = False) -> Iterator[Sentence]:
    """A document as sentences; one without relations judged is known by its None."""
    types, title = table.types["redocred"], document["title"]
    mentions: list[dict[tuple[int, int], Entity]] = [{} for _ in document["sentences"]]
    owners: list[dict[tuple[int, int], int]] = [{} for _ in document["sentences"]]
    for number, entity in enumerate(document["entities"]):
        for mention in entity:
            span = mention["start"], mention["end"]
            if mention["type"] in types and span not in mentions[mention["sentence"]]:
                mentions[mention["sentence"]][span] = Entity(*span, types[mention["type"]])
                owners[mention["sentence"]][span] = number
    facts: dict[tuple[int, int], list[Json]] = {}
    for fact in document["relations"] or ():
        facts.setdefault((fact["head"], fact["tail"]), []).append(fact)
    for number, tokens in enumerate(document["sentences"]):
        entities = list(mentions[number].values())
        kept = [entities[index] for index in outermost(entities)]
        owner = [owners[number][entity.start, entity.end] for entity in kept]
        holds, undecided = _in_sentence(number, kept, owner, facts, table, stated=stated)
        judged = Judged(
            relations=table.judged("redocred") if document["relations"] is not None else [],
            undecided=[(r.type, r.head, r.tail) for r in undecided],
        )
        yield Sentence(
            tokens, kept, holds, id=f"{title}:{number}", document=f"redocred {title}", judged=judged
        )


def _in_sentence(
    number: int,
    entities: Sequence[Entity],
    owner: Sequence[int],
    facts: Mapping[tuple[int, int], Sequence[Json]],
    table: Table,
    *,
    stated: bool,
) -> tuple[list[Relation], list[Relation]]:
    """The relations that a sentence states between its mentions, and those that it may state."""
    labels, near = table.labels("redocred"), table.labels("undecided")
    holds: dict[Relation, None] = {}
    undecided: dict[Relation, None] = {}
    pairs = [(h, t) for h in range(len(entities)) for t in range(len(entities)) if h != t]
    for head, tail in pairs:
        for fact in facts.get((owner[head], owner[tail]), ()):
            proved = number in fact["evidence"] or (stated and not fact["evidence"])
            for label in labels.get(fact["property"], ()):
                relation = label.of(head, tail)
                fits = table.fits(relation, entities)
                (holds if proved and fits else undecided)[relation] = None
            for label in near.get(fact["property"], ()):
                undecided[label.of(head, tail)] = None
    return list(holds), [relation for relation in undecided if relation not in holds]


def unrelated(documents: Iterable[Json], table: Table) -> Iterator[Sentence]:
    """The sentences with several names between which their document has no fact of any kind."""
    for document in documents:
        mentions = [{mention["sentence"] for mention in entity} for entity in document["entities"]]
        stated = [mentions[fact["head"]] & mentions[fact["tail"]] for fact in document["relations"]]
        related = set().union(*stated)
        for number, sentence in enumerate(from_redocred(document, table)):
            if number not in related and len(sentence.entities) > 1:
                yield sentence


def from_conll04(sentence: Sentence, table: Table) -> Sentence:
    """A sentence of CoNLL04 under the labels of the general model."""
    types, labels = table.types["conll04"], table.labels("conll04")
    kept = [index for index in outermost(sentence.entities) if sentence.entities[index].type in types]
    place = {index: number for number, index in enumerate(kept)}
    entities = [replace(sentence.entities[i], type=types[sentence.entities[i].type]) for i in kept]
    relations = [
        label.of(place[r.head], place[r.tail])
        for r in sentence.relations
        if r.head in place and r.tail in place
        for label in labels.get(r.type, ())
    ]
    others = {i for e in sentence.entities if e.type not in types for i in range(e.start, e.end)}
    plain = [
        (i, i + 1)
        for i, token in enumerate(sentence.tokens)
        if i not in others and token == token.lower() and not any(map(str.isdigit, token))
    ]
    judged = Judged(tokens=plain, relations=table.judged("conll04"))
    name = f"conll04 {sentence.id}"
    return replace(sentence, entities=entities, relations=relations, id=name, document=name, judged=judged)


def flat(sentence: Sentence) -> Sentence:
    """A sentence without entities inside or across others, and without their relations."""
    kept = outermost(sentence.entities)
    place = {index: number for number, index in enumerate(kept)}
    relations = [
        replace(r, head=place[r.head], tail=place[r.tail])
        for r in sentence.relations
        if r.head in place and r.tail in place
    ]
    return sentence.annotated([sentence.entities[index] for index in kept], relations)


def checksum(name: str) -> str:
    """The same on every machine, unlike `hash`."""
    return hashlib.sha256(name.encode()).hexdigest()


def lines(path: Path) -> Iterator[Json]:
    """The records of a file of JSON lines."""
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def write_lines(path: Path, records: Iterable[Json]) -> None:
    """Records as JSON lines."""
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), "utf-8")


if __name__ == "__main__":
    main()
