"""Make the embedded news model: prepare its data, train it, count the relations it invents, pack it.

    python recipes/news_model.py --data ../shared/data/conll04 --work build/news
        --vectors ../shared/vectors/glove.6B.100d.words.txt --out src/biaffinity/models/news

The training data is CoNLL04's train, cut anew from its raw text as the extractor will cut text, with
the corpus's sentences without a relation. Of those, the ones that repeat a test sentence are left
out, one in ten is held out to count invented relations on, and one in twenty joins dev, so that an
epoch that invents relations is not chosen. The network is trained with and without them, with each of
the seeds, and the seed that is best on dev is taken.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.extraction.export import export
from biaffinity.files import read_json, writing
from biaffinity.model.description import WEIGHTS
from biaffinity.model.folder import load_tensors, save_tensors

RECIPE = "news"
#: CoNLL04's tokens write opening and closing double quotes so; raw text has the mark itself.
QUOTES = {"`": '"', "``": '"', "'": '"', "''": '"'}


def prepare(data: Path, work: Path) -> None:
    """Write train, dev and held-out sentences into ``work``."""
    work.mkdir(parents=True, exist_ok=True)
    tested = {letters(sentence) for sentence in formats.read(data / "test.jsonl")}
    free = [s for s in formats.read(data / "norel.jsonl") if len(s) and letters(s) not in tested]
    parts: dict[str, list[Sentence]] = {"train": [], "dev": [], "held_out": []}
    for sentence in free:
        parts[part_of(sentence.id)].append(
            replace(sentence, tokens=[QUOTES.get(t, t) for t in sentence.tokens])
        )
    for name in ("train", "dev"):
        related = list(cut_anew(data / f"{name}.raw.jsonl", work))
        formats.write(work / f"{name}.jsonl", [*related, *parts[name]], "jsonl")
        formats.write(work / f"{name}_related.jsonl", related, "jsonl")
    formats.write(work / "held_out.jsonl", parts["held_out"], "jsonl")


def cut_anew(path: Path, work: Path) -> Iterator[Sentence]:
    """The sentences of a raw file in our own tokens, each line kept whole."""
    bare = work / path.name
    with path.open(encoding="utf-8") as lines, bare.open("w", encoding="utf-8") as out:
        for line in lines:
            record = json.loads(line)
            del record["token_spans"]
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
    yield from formats.read(bare, split=False)


def letters(sentence: Sentence) -> str:
    """What two sentences have in common that repeat each other: letters and digits, case ignored."""
    return "".join(c for c in "".join(sentence.tokens).casefold() if c.isalnum())


def part_of(name: str) -> str:
    """Where a relation-free sentence goes, by its id alone."""
    number = int(hashlib.md5(name.encode()).hexdigest(), 16) % 20
    return "held_out" if number < 2 else "dev" if number == 2 else "train"


def invented(folder: Path, sentences: Iterable[Sentence]) -> float:
    """Relations that a model sees per 1,000 sentences that have none."""
    from biaffinity.model.folder import load_model
    from biaffinity.model.prediction import predict

    found = [len(sentence.relations) for sentence in predict(load_model(folder), sentences)]
    return 1000 * sum(found) / len(found)


def dev_score(folder: Path) -> float:
    """What a finished run is chosen by, on the dev part of its own data."""
    sheet = read_json(folder / "run.json")["scores"]["dev"]["paper"]
    return float(sheet["ner"]["f1"] + sheet["rc"]["f1"]) / 2


def pack(trained: Path, out: Path, dev: Path, rates: dict[str, float], held_out: int) -> None:
    """Copy what extraction needs, and say in the card what was counted.

    Scores are made humbler by temperatures fitted on ``dev``; then the weights are put in half precision.
    """
    from biaffinity.model.folder import load_model
    from biaffinity.model.temperature import divided, fit_temperatures

    out.mkdir(parents=True, exist_ok=True)
    temperatures = fit_temperatures(load_model(trained), list(formats.read(dev)))
    tensors, metadata = load_tensors(trained / WEIGHTS)
    tensors = divided(tensors, temperatures)
    halved = {name: t.half() if t.is_floating_point() else t for name, t in tensors.items()}
    save_tensors(out / WEIGHTS, halved, metadata)
    for name in ("config.json", "vocabulary.json"):
        shutil.copy(trained / name, out / name)
    export(out)
    card = (trained / "README.md").read_text(encoding="utf-8")
    counted = (
        "\n## Relations it invents\n\n"
        f"On {held_out} held-out sentences of the corpus that have no relation it finds {rates['news']:.0f}\n"
        "per 1,000 sentences; the same network trained without such sentences finds"
        f" {rates['related']:.0f}.\n\n"
        "## Scores of single finds\n\n"
        f"Divided by temperatures fitted on dev: {temperatures['entities']:.2f} for entities,"
        f" {temperatures['relations']:.2f} for relations.\nWhat is found is the same.\n\n"
        "Weights are rounded to half precision here; the scores above are from before.\n"
    )
    (out / "README.md").write_text(card + counted, encoding="utf-8")


def main() -> None:
    """Read the arguments and make the model."""
    import torch

    from biaffinity.training import EpochEnded, train

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    work: Path = arguments.work
    prepare(arguments.data, work)

    def trained(name: str, suffix: str, seed: int) -> Path:
        return train(
            RECIPE,
            train=work / f"train{suffix}.jsonl",
            dev=work / f"dev{suffix}.jsonl",
            test=arguments.data / "test.jsonl",
            vectors=arguments.vectors,
            out=work / f"{name}-seed{seed}",
            seed=seed,
            resume=True,
            watch=lambda event: print(event, flush=True) if isinstance(event, EpochEnded) else None,
        ).folder

    chosen = {
        name: max((trained(name, suffix, seed) for seed in arguments.seeds), key=dev_score)
        for name, suffix in (("news", ""), ("related", "_related"))
    }
    held_out = list(formats.read(work / "held_out.jsonl"))
    rates = {name: round(invented(folder, held_out), 1) for name, folder in chosen.items()}
    with writing(work / "invented.json") as file:
        names = {name: folder.name for name, folder in chosen.items()}
        json.dump(
            {"held_out_sentences": len(held_out), "chosen_on_dev": names, "invented_per_1000": rates}, file
        )
    pack(chosen["news"], arguments.out, work / "dev.jsonl", rates, len(held_out))


if __name__ == "__main__":
    main()
