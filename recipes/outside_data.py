"""Wikipedia and web text in the five relations of CoNLL04: an outside dev set, and more for teachers.

    python recipes/outside_data.py ../shared/data build/outside

Made from Re-DocRED (entities complete, relations of documents) and KnowledgeNet (a passage complete for some
properties); both say more than CoNLL04's conventions can, and less. What they leave open is left open here:
`judged` of a sentence tells what is known of it, so that training learns from nothing else and `evaluate`
counts nothing else.

- ``dev.jsonl``: two fifths of Re-DocRED's annotated documents and KnowledgeNet's third fold.
- ``train.jsonl``: the rest, and the documents of which Re-DocRED has entities alone.

Conventions brought to CoNLL04's: no article in front of a name; what is no person, organisation or place
(works, dates, numbers, and words like "German", which Re-DocRED calls places) is left open, since CoNLL04
marks such things as Other here and not there. A relation is marked where the sentence is evidence for it;
one that holds in the document without evidence in the sentence is undecided.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from biaffinity import formats
from biaffinity.annotation import Entity, Judged, Relation, Sentence
from biaffinity.text import read_document

TYPES = {"PER": "Peop", "ORG": "Org", "LOC": "Loc"}
#: The relation that may hold between entities of two types.
BETWEEN = {
    ("Loc", "Loc"): "Located_In",
    ("Org", "Loc"): "OrgBased_In",
    ("Peop", "Org"): "Work_For",
    ("Peop", "Loc"): "Live_In",
    ("Peop", "Peop"): "Kill",
}
#: Wikidata's properties that are a relation of ours, from head to tail or (``INVERSE``) from tail to head.
#: Any other property between entities of such types leaves it undecided (founder of, citizen of).
SAME = {
    "Located_In": {"P131", "P17", "P276", "P30", "P361", "P1376"},
    "OrgBased_In": {"P159", "P131", "P17", "P276", "P740", "P495"},
    "Work_For": {"P108", "P463", "P54", "P241"},
    "Live_In": {"P19", "P551"},
    "Kill": set[str](),
}
INVERSE = {
    "Located_In": {"P150", "P36", "P527"},
    "OrgBased_In": set[str](),
    "Work_For": {"P488", "P169", "P1037"},
    "Live_In": set[str](),
    "Kill": {"P157"},
}
#: Properties between people that say nothing of a killing.
HARMLESS = {"P26", "P40", "P22", "P25", "P3373", "P800", "P170", "P175", "P50", "P57", "P161", "P86"}
#: KnowledgeNet's properties: types of subject and object, the relation, and whether it runs backwards.
KNOWLEDGENET: dict[str, tuple[str, str, str | None, bool]] = {
    "EMPLOYEE_OR_MEMBER_OF": ("Peop", "Org", "Work_For", False),
    "CEO": ("Org", "Peop", "Work_For", True),
    "PLACE_OF_RESIDENCE": ("Peop", "Loc", "Live_In", False),
    "PLACE_OF_BIRTH": ("Peop", "Loc", "Live_In", False),
    "HEADQUARTERS": ("Org", "Loc", "OrgBased_In", False),
    "FOUNDED_BY": ("Org", "Peop", None, True),
    "POLITICAL_AFFILIATION": ("Peop", "Org", None, False),
    "EDUCATED_AT": ("Peop", "Org", None, False),
    "SPOUSE": ("Peop", "Peop", None, False),
    "CHILD_OF": ("Peop", "Peop", None, False),
    "SUBSIDIARY_OF": ("Org", "Org", None, False),
}
#: What must have been annotated for all relations of a type to be marked.
COMPLETE = {
    "Work_For": {"EMPLOYEE_OR_MEMBER_OF"},
    "Live_In": {"PLACE_OF_RESIDENCE", "PLACE_OF_BIRTH"},
    "OrgBased_In": {"HEADQUARTERS"},
}
ARTICLES = {"the", "a", "an"}
PRONOUNS = {
    *("he", "she", "it", "they", "him", "her", "his", "their", "its", "them", "who", "i", "we", "you", "my"),
    *("our", "me", "us", "your", "himself", "herself", "itself", "themselves", "whose", "that", "this"),
}
#: Endings of words for a people or its language; places that end so stand behind it.
DEMONYM = re.compile(r"(ian|ean|can|man|ish|ese|ench|utch|reek|wiss|elsh|hai|zech|aqi|eli|ari|ani|ic|an)s?$")
PLACES = frozenset(
    """
    Japan Iran Pakistan Taiwan Milan Afghanistan Uzbekistan Kazakhstan Kyrgyzstan Tajikistan
    Turkmenistan Michigan Sudan Bhutan Oman Jordan Lebanon Vatican Manhattan Saskatchewan Oregon
    Washington Houston Tehran Azerbaijan Kurdistan Turkistan Caribbean Mediterranean Atlantic
    Pacific Arctic Antarctic Baltic Balkans Kansai Shanghai Mumbai Dubai Chennai Delhi Nairobi Bari
    Republic Isfahan Yerevan Wuhan Hainan Henan Hunan Sichuan Yunnan Taiyuan Ryazan Kazan Ibadan
    Abidjan Amman Busan Durban Kurgan Hamadan Brunei Mali Bengali Karachi
    """.split()  # noqa: SIM905
)


def prepare(data: Path, out: Path) -> None:
    """Write the two parts into ``out``."""
    parts: dict[str, list[Sentence]] = {"train": [], "dev": []}
    for document in records(data / "redocred" / "train.jsonl"):
        part = "dev" if number_of(document["title"]) % 5 < 2 else "train"
        parts[part].extend(redocred(document))
    for document in records(data / "redocred" / "entities.jsonl"):
        parts["train"].extend(redocred(document))
    for passage in records(data / "knowledgenet" / "train.jsonl"):
        parts["dev" if passage["fold"] == 3 else "train"].extend(knowledgenet(passage))
    out.mkdir(parents=True, exist_ok=True)
    for name, sentences in parts.items():
        formats.write(out / f"{name}.jsonl", sentences, "jsonl")
        print(f"{name}: {len(sentences)} sentences, {sum(len(s.relations) for s in sentences)} relations")


def records(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def number_of(name: str) -> int:
    """A number that a name always has."""
    return int(hashlib.md5(name.encode()).hexdigest(), 16)


def redocred(document: dict[str, Any]) -> Iterator[Sentence]:
    """The sentences of a document of Re-DocRED; without ``relations``, no relation is judged."""
    judged = "relations" in document
    facts: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for fact in document.get("relations", ()):
        facts.setdefault((fact["head"], fact["tail"]), []).append(fact)
    for number, tokens in enumerate(document["sentences"]):
        mentions = sorted(
            (mention["start"], -mention["end"], cluster, mention["type"])
            for cluster, own in enumerate(document["entities"])
            for mention in own
            if mention["sentence"] == number
        )
        entities: list[Entity] = []
        clusters: list[int] = []
        spans: list[tuple[int, int]] = []
        position = left = 0
        for start, minus_end, cluster, type_ in mentions:
            end = -minus_end
            if start < position:  # inside or across the one before
                continue
            position = end
            while start < end - 1 and tokens[start].lower() in ARTICLES:
                start += 1
            if type_ in TYPES and not (type_ == "LOC" and is_demonym(tokens[start:end])):
                entities.append(Entity(start, end, TYPES[type_]))
                clusters.append(cluster)
            else:
                spans.append((left, start))
                left = end
        spans = [(start, end) for start, end in (*spans, (left, len(tokens))) if start < end]
        relations, undecided = related(entities, clusters, facts, number)
        yield Sentence(
            tokens,
            entities,
            relations,
            id=f"{document['title']}#{number}",
            judged=Judged(
                tokens=None if spans == [(0, len(tokens))] else spans,
                relations=None if judged else [],
                undecided=undecided,
            ),
        )


def related(
    entities: list[Entity],
    clusters: list[int],
    facts: dict[tuple[int, int], list[dict[str, Any]]],
    sentence: int,
) -> tuple[list[Relation], list[tuple[str, int, int]]]:
    """The relations that a sentence states, each between the nearest mentions, and the undecided ones."""
    pairs = [(h, t) for h in range(len(entities)) for t in range(len(entities)) if h != t]
    nearest: dict[tuple[str, int, int], tuple[int, int, int]] = {}
    open_: set[tuple[str, int, int]] = set()
    for head, tail in pairs:
        type_ = BETWEEN.get((entities[head].type, entities[tail].type))
        if type_ is None or clusters[head] == clusters[tail]:
            continue
        said = stated = False
        for fact, same in (
            *((fact, SAME) for fact in facts.get((clusters[head], clusters[tail]), ())),
            *((fact, INVERSE) for fact in facts.get((clusters[tail], clusters[head]), ())),
        ):
            if type_ == "Kill" and fact["property"] in HARMLESS:
                continue
            said = True
            stated |= fact["property"] in same[type_] and sentence in fact["evidence"]
        if not said:
            continue
        open_.add((type_, head, tail))
        if stated:
            gap = abs(entities[head].start - entities[tail].start)
            key = (type_, clusters[head], clusters[tail])
            nearest[key] = min(nearest.get(key, (gap, head, tail)), (gap, head, tail))
    relations = [Relation(type_, head, tail) for (type_, *_), (_, head, tail) in sorted(nearest.items())]
    marked = {(r.type, r.head, r.tail) for r in relations}
    return relations, sorted(open_ - marked)


def is_demonym(tokens: list[str]) -> bool:
    """Whether a place of Re-DocRED's is a word such as "German": a people, its language, what is theirs."""
    return len(tokens) == 1 and tokens[0] not in PLACES and bool(DEMONYM.search(tokens[0]))


def knowledgenet(passage: dict[str, Any]) -> Iterator[Sentence]:
    """The sentences of a passage; entities are marked where they are arguments, the rest is open."""
    text, annotated = passage["text"], set(passage["annotated_properties"])
    complete = [type_ for type_, needed in COMPLETE.items() if needed <= annotated]
    document = read_document(text, id=passage["id"])
    for offset, sentence in zip(document.offsets, document.sentences, strict=True):
        found: dict[tuple[int, int], str] = {}
        links: list[tuple[str | None, tuple[int, int], tuple[int, int]]] = []
        for fact in passage["facts"]:
            head_type, tail_type, relation, backwards = KNOWLEDGENET.get(
                fact["property"], ("", "", None, False)
            )
            ends = [span_of(sentence, offset, text, fact[key]) for key in ("subject", "object")]
            for span, type_ in zip(ends, (head_type, tail_type), strict=True):
                if span is not None and type_:
                    found.setdefault(span, type_)
            head, tail = reversed(ends) if backwards else ends
            if head is not None and tail is not None:
                links.append((relation, head, tail))
        if not complete and not found:
            continue
        entities: list[Entity] = []
        for (start, end), type_ in sorted(found.items()):
            if not entities or start >= entities[-1].end:
                entities.append(Entity(start, end, type_))
        place = {(entity.start, entity.end): index for index, entity in enumerate(entities)}
        relations: dict[tuple[int, int], str] = {}
        open_: set[tuple[str, int, int]] = set()
        for relation, head, tail in links:
            if head not in place or tail not in place:
                continue
            pair = place[head], place[tail]
            type_ = BETWEEN.get((entities[pair[0]].type, entities[pair[1]].type), "")
            if relation == type_:
                relations.setdefault(pair, relation)
            elif type_:
                open_.add((type_, *pair))
        marked = [Relation(type_, *pair) for pair, type_ in sorted(relations.items())]
        yield Sentence(
            sentence.tokens,
            entities,
            marked,
            id=f"{passage['id']}#{offset}",
            judged=Judged(
                tokens=[],
                relations=complete,
                undecided=sorted(open_ - {(r.type, r.head, r.tail) for r in marked}),
            ),
        )


def span_of(sentence: Sentence, offset: int, text: str, span: list[int]) -> tuple[int, int] | None:
    """The tokens of a span of characters, without an article; None for a pronoun, or if it is elsewhere."""
    start, end = span
    if text[start:end].casefold() in PRONOUNS:
        return None
    tokens = [
        index
        for index, (first, last) in enumerate(sentence.token_spans or ())
        if first + offset < end and start < last + offset
    ]
    while len(tokens) > 1 and sentence.tokens[tokens[0]].lower() in ARTICLES:
        del tokens[0]
    return (tokens[0], tokens[-1] + 1) if tokens else None


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder with redocred and knowledgenet")
    parser.add_argument("out", type=Path, help="the folder to write")
    arguments = parser.parse_args()
    prepare(arguments.data, arguments.out)
