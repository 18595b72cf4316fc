"""Three invented sentences and a prediction of them with a mistake of nearly every kind."""

from __future__ import annotations

from biaffinity.annotation import Entity, Relation, Sentence

GOLD = [
    # wrong type of Calder Mills, so a wrong argument; Port Vane missed, and with it a relation
    Sentence(
        ["Ida", "Moor", "of", "Calder", "Mills", "left", "Port", "Vane", "."],
        [Entity(0, 2, "Peop"), Entity(3, 5, "Org"), Entity(6, 8, "Loc")],
        [Relation("Work_For", 0, 1), Relation("Live_In", 0, 2)],
        id="17",
    ),
    # all correct
    Sentence(
        ["Oss", "is", "in", "Brabant", "."],
        [Entity(0, 1, "Loc"), Entity(3, 4, "Loc")],
        [Relation("Located_In", 0, 1)],
        id="18",
    ),
    # wrong boundary of Teo Varnell, wrong direction, "Tuesday" invented; tokens that must stay text
    Sentence(
        ["Teo", "Varnell", "shot", "<script>window.hurt=1</script>", "Quell", "on", "Tuesday", "&amp;"],
        [Entity(0, 2, "Peop"), Entity(3, 5, "Peop")],
        [Relation("Kill", 0, 1)],
        id='"><img src=x onerror=window.hurt=1>',
    ),
]
PREDICTED = [
    GOLD[0].annotated(
        [Entity(0, 2, "Peop", 0.99), Entity(3, 5, "Loc", 0.61)], [Relation("Work_For", 0, 1, 0.7)]
    ),
    GOLD[1],
    GOLD[2].annotated(
        [Entity(1, 2, "Peop", 0.9), Entity(3, 5, "Peop", 0.8), Entity(6, 7, "Other", 0.5)],
        [Relation("Kill", 1, 0, 0.55)],
    ),
]
