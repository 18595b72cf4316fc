"""Train a small model on the repository's own sentences, then read new text with it.

    python examples/demo.py [--out DIR] [--epochs N]

Needs the extra ``train`` and nothing that is not in the repository.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from biaffinity import BiaffinityError, Document, Extractor
from biaffinity.training import EpochEnded, Event, Finished, Started, train

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples" / "demo"

# None of these stands in the training data, and none of the names of people and companies does.
NEW_TEXTS = [
    "Marit Soldane works for Fernhill Motors in Porto, Portugal.",
    "Orla Brisk, a chemist at Lanternworks Inc., was born in Osaka and lives in Graz.",
    "A court in Ghent found that Teo Varnell had shot Ines Calloway, the owner of Pelham Shipping.",
    "It snowed all week in Riga. Fernhill Motors president Jasper Quell stayed at home in Tampere, Finland.",
    # Unlike anything the model was trained on.
    "Ask anyone at Pelham Shipping and they will tell you that Marit Soldane never left Norway.",
]

# Text may hold brackets and colons: nothing in it is read as markup.
console = Console(markup=False, emoji=False, highlight=False)


def main() -> None:
    """Train, then extract."""
    parser = argparse.ArgumentParser(description="Train a small model and show what it extracts.")
    parser.add_argument("--out", type=Path, metavar="DIR", help="keep the model here; a new folder")
    parser.add_argument("--epochs", type=int, metavar="N", help="instead of the recipe's")
    options = parser.parse_args()

    torch.set_num_threads(1)  # so small a network gains nothing from more
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.out or Path(scratch) / "model"
        try:
            finished = train(
                "demo",
                train=SAMPLES / "train.jsonl",
                dev=SAMPLES / "dev.jsonl",
                out=folder,
                overrides=[] if options.epochs is None else [f"training.epochs={options.epochs}"],
                watch=show_progress,
            )
        except BiaffinityError as error:
            parser.exit(1, f"error: {error}\n")
        explain(finished)
        extractor = Extractor.load(folder)
    for text in NEW_TEXTS:
        show(extractor(text))
    if options.out:
        console.print(f"\nThe model is in {options.out}.")


def show_progress(event: Event) -> None:
    """Say what training does: `train` calls this with everything that happens."""
    if isinstance(event, Started):
        console.print(f"Training on {event.sentences} invented sentences, {event.epochs} times over:")
    elif isinstance(event, EpochEnded) and event.epoch % 5 == 0:
        loss = event.tagger_loss + event.relation_loss
        console.print(
            f"  epoch {event.epoch:2}  loss {loss:5.2f}"
            f"  entities {100 * event.entities:5.1f}  relations {100 * event.relations:5.1f}"
        )


def explain(finished: Finished) -> None:
    """Say how good the model is, and what that is worth."""
    entities = finished.dev["ner", "micro"]
    relations = finished.dev["re", "strict", "micro"]
    console.print(
        f"\nEpoch {finished.best_epoch} is kept, after {finished.seconds:.0f} seconds."
        f" On held-back sentences it finds {entities.correct} of {entities.gold} entities"
        f" and {relations.correct} of {relations.gold} relations"
        f" (F1 {100 * entities.f1:.1f} and {100 * relations.f1:.1f})."
    )
    console.print(
        "\nThis is a tiny model. It has seen some hundred short invented sentences and no word vectors."
        " The held-back sentences are much like those it learnt from, which flatters it; on real text it"
        " will often be wrong, and sure of itself. It shows how training and extraction work, not how"
        " well Biaffinity does.",
        style="yellow",
    )


def show(document: Document) -> None:
    """Print a document's text, then its entities and relations with their characters and scores."""
    table = Table("", "type", "characters", "score", "text", box=None, header_style="dim")
    for entity in document.entities:
        characters = f"{entity.start_char}-{entity.end_char}"
        table.add_row("entity", entity.type, characters, f"{entity.score:.2f}", entity.text, style="cyan")
    for relation in document.relations:
        characters = f"{relation.start_char}-{relation.end_char}"
        arguments = f"{relation.head.text} -> {relation.tail.text}"
        table.add_row(
            "relation", relation.type, characters, f"{relation.score:.2f}", arguments, style="green"
        )
    console.print(f"\n{document.text}", style="bold")
    console.print(table)


if __name__ == "__main__":
    main()
