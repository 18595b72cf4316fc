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
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.extraction.export import export
from biaffinity.files import read_json, writing
from biaffinity.model.card import write_card
from biaffinity.model.description import WEIGHTS
from biaffinity.model.folder import load_model, load_tensors, save_tensors
from biaffinity.model.null_bias import fit_null_bias, with_null_bias
from biaffinity.model.prediction import predict
from biaffinity.model.temperature import divided, fit_temperatures
from biaffinity.scoring import score
from biaffinity.training import EpochEnded, train
from biaffinity.training.provenance import provenance

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


def invented(folder: Path, sentences: Sequence[Sentence]) -> float:
    """Relations that a model sees per 1,000 sentences that have none."""
    found = [len(sentence.relations) for sentence in predict(load_model(folder), sentences)]
    return round(1000 * sum(found) / len(found), 1)


def dev_score(folder: Path) -> float:
    """What a finished run is chosen by, on the dev part of its own data."""
    sheet = read_json(folder / "run.json")["scores"]["dev"]["paper"]
    return float(sheet["ner"]["f1"] + sheet["rc"]["f1"]) / 2


def settle(trained: Path, dev: Path, test: Path, out: Path) -> dict[str, Any]:
    """Fit the last details of a trained model on dev, halve its precision, and score what comes of it.

    The bias of "no relation" is fitted first, since relations are rarer in training than is best for F1;
    then temperatures, which change how sure the model is and nothing that it finds.
    """
    parts = {"dev": list(formats.read(dev)), "test": list(formats.read(test))}
    model = load_model(trained)
    bias = fit_null_bias(model, parts["dev"])
    model.load_state_dict(with_null_bias(model.state_dict(), bias))
    temperatures = fit_temperatures(model, parts["dev"])
    tensors, metadata = load_tensors(trained / WEIGHTS)
    tensors = divided(with_null_bias(tensors, bias), temperatures)
    halved = {name: t.half() if t.is_floating_point() else t for name, t in tensors.items()}
    out.mkdir(parents=True, exist_ok=True)
    save_tensors(out / WEIGHTS, halved, metadata)
    for name in ("config.json", "vocabulary.json"):
        shutil.copy(trained / name, out / name)
    settled = load_model(out)
    return {
        "run": trained.name,
        "null_bias": bias,
        "temperatures": {kind: round(value, 2) for kind, value in temperatures.items()},
        "scores": {part: score(gold, predict(settled, gold)).to_dict() for part, gold in parts.items()},
    }


def complete_card(out: Path, record: dict[str, Any], facts: dict[str, dict[str, Any]], held_out: int) -> None:
    """The model card, with the scores of the model as it ships and what was counted."""
    news, related, heat = facts["news"], facts["related"], facts["news"]["temperatures"]
    write_card(out, {**record, "scores": news["scores"]})
    more = f"""
## Relations it invents

On {held_out} held-out sentences of the corpus that have no relation it finds {news["invented_per_1000"]:.0f}
per 1,000 sentences; the same network trained without such sentences finds {related["invented_per_1000"]:.0f}.
Its RC on test is {rc(news)}, that of the other network {rc(related)}.

## Fitted on dev

Taken off the score of "no relation": {news["null_bias"]:g}. Scores of single finds are divided by
temperatures, {heat["entities"]} for entities and {heat["relations"]} for relations: what is found
is the same.
Weights are rounded to half precision.
"""
    with (out / "README.md").open("a", encoding="utf-8") as file:
        file.write(more)


def rc(facts: dict[str, Any]) -> str:
    """RC on test, in percent."""
    return f"{100 * facts['scores']['test']['paper']['rc']['f1']:.1f}"


def main() -> None:
    """Read the arguments and make the model."""
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
    facts = {}
    for name, suffix, out in (("news", "", arguments.out), ("related", "_related", work / "related")):
        facts[name] = settle(chosen[name], work / f"dev{suffix}.jsonl", arguments.data / "test.jsonl", out)
        facts[name]["invented_per_1000"] = invented(out, held_out)
    export(arguments.out)
    complete_card(arguments.out, read_json(chosen["news"] / "run.json"), facts, len(held_out))
    with writing(work / "facts.json") as file:
        json.dump({"held_out_sentences": len(held_out), **facts, **provenance()}, file, indent=1)


if __name__ == "__main__":
    main()
