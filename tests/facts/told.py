"""News that a model of the package is said to have read, names that are markup and SQL among them."""

from __future__ import annotations

from biaffinity import facts
from biaffinity.store import open_store
from biaffinity.store.documents import DocumentWriter
from facts.invented import document

NEWS = (
    document(
        "chief.txt",
        "[Norvik Oil ASA/Organization] has named [Ana Ruiz/Person] as its chief. "
        "[Ruiz/Person] was born in [Almora/Location], [Spain/Location].",
        ("employer", 1, 0, 0.8),
        ("place of birth", 2, 3, 0.9),
        ("located in", 3, 4, 0.95),
    ),
    document(
        "fire.txt",
        "[Ingrid Sørbø/Person] is chief engineer of [Norvik Oil ASA/Organization] ([NOA/Organization]). "
        "[NOA/Organization] is based in [Bergen/Location], [Norway/Location].",
        ("employer", 0, 1, 0.7),
        ("headquarters location", 3, 4, 0.6),
        ("located in", 4, 5, 0.9),
    ),
    document(
        "wind.txt",
        "𐐀𐐀 [Ana Ruiz/Person] leads [Norvik Oil/Organization] in [Bergen/Location].",
        ("employer", 0, 1, 0.6),
        ("headquarters location", 1, 2, 0.5),
    ),
    document(
        "cup.txt",
        "[Tomás Beltrán/Person] plays for [FC Almora/Organization] in [Almora/Location]. "
        "[<img src=x onerror=alert(1)>/Person] and [Robert'); DROP TABLE entities;--/Person] watched.",
        ("employer", 0, 1, 0.9),
        ("headquarters location", 1, 2, 0.8),
        ("spouse", 3, 4, 0.4),
    ),
)


def told(store: str) -> str:
    """A store of the news with its facts gathered; its name."""
    with open_store(store) as database, database.transaction():
        DocumentWriter(database, "general 0", {}).write(NEWS)
    with facts.open(store) as opened:
        opened.update()
    return store
