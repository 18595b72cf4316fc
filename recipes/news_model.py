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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.encoding.vocabulary import NEGATIVE
from biaffinity.extraction.export import export
from biaffinity.files import read_json, writing
from biaffinity.model.card import write_card
from biaffinity.model.description import WEIGHTS
from biaffinity.model.folder import load_model, load_tensors, save_description, save_tensors
from biaffinity.model.joint import JointModel
from biaffinity.model.prediction import predict
from biaffinity.model.temperature import divided, fit_temperatures, with_entity_doubt
from biaffinity.scoring import score
from biaffinity.training import EpochEnded, train
from biaffinity.training.provenance import provenance

RECIPE = "news"
#: CoNLL04's tokens write opening and closing double quotes so; raw text has the mark itself.
QUOTES = {"`": '"', "``": '"', "'": '"', "''": '"'}
#: The default recipe's `entity_doubt`, laid over both networks once they are trained.
DOUBT = 4.0
#: Sentences without a relation for each with one in CoNLL04: 4,075 for 1,441.
FREE_PER_RELATED = 3
#: The deviation of RC over seeds.
NOISE = 0.01
#: What is tried for `fit_caution`.
CAUTION = tuple(step / 4 for step in range(-4, 13))


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


def class_of(name: str) -> int:
    """One of twenty classes of relation-free sentences, by its id alone."""
    return int(hashlib.md5(name.encode()).hexdigest(), 16) % 20


def part_of(name: str) -> str:
    """Where a relation-free sentence goes."""
    number = class_of(name)
    return "held_out" if number < 2 else "dev" if number == 2 else "train"


def invented(gold: Sequence[Sentence], predicted: Iterable[Sentence]) -> float:
    """Relations that were seen per 1,000 of the sentences that have none."""
    found = [len(seen.relations) for own, seen in zip(gold, predicted, strict=True) if not own.relations]
    return round(1000 * sum(found) / len(found), 1)


def dev_score(folder: Path) -> float:
    """What a finished run is chosen by, on the dev part of its own data."""
    sheet = read_json(folder / "run.json")["scores"]["dev"]["paper"]
    return float(sheet["ner"]["f1"] + sheet["rc"]["f1"]) / 2


def doubting(folder: Path) -> JointModel:
    """A trained model to which doubt about entities matters."""
    model = load_model(folder)
    model.config = with_entity_doubt(model.config, DOUBT)
    return model


def fit_caution(model: JointModel, dev: Sequence[Sentence]) -> float:
    """What "no relation" is given beforehand: the most that costs no RC on dev beyond the noise.

    Dev is brought to the corpus's own proportion of sentences without a relation. The model is left as
    it was.
    """
    free = [sentence for sentence in dev if not sentence.relations]
    dev = [*dev, *free * (FREE_PER_RELATED * (len(dev) - len(free)) // len(free) - 1)]
    bias = model.relations.biaffine.bias.data
    before, scores = bias.clone(), {}
    for caution in CAUTION:
        bias[NEGATIVE] = before[NEGATIVE] + caution
        scores[caution] = score(dev, predict(model, dev))["paper", "rc"].f1
    bias.copy_(before)
    return max(caution for caution, rc in scores.items() if rc > max(scores.values()) - NOISE)


def settle(trained: Path, dev: Path, test: Path, out: Path) -> dict[str, Any]:
    """Fit caution and temperatures on dev, halve the precision of the weights, and score what comes of it.

    Temperatures change how sure a model is, and of what it finds no more than relations on the border.
    """
    parts = {"dev": list(formats.read(dev)), "test": list(formats.read(test))}
    model = doubting(trained)
    caution = fit_caution(model, parts["dev"])
    model.relations.biaffine.bias.data[NEGATIVE] += caution
    temperatures = fit_temperatures(model, parts["dev"])
    model.config = with_entity_doubt(model.config, round(DOUBT / temperatures["relations"], 2))
    out.mkdir(parents=True, exist_ok=True)
    save_description(model, out)
    tensors, metadata = load_tensors(trained / WEIGHTS)
    tensors["relations.biaffine.bias"][NEGATIVE] += caution
    tensors = divided(tensors, temperatures)
    halved = {name: t.half() if t.is_floating_point() else t for name, t in tensors.items()}
    save_tensors(out / WEIGHTS, halved, metadata)
    settled = load_model(out)
    return {
        "caution": caution,
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

## Scores of single finds

They are divided by temperatures fitted on dev: {heat["entities"]} for entities, {heat["relations"]} for
relations.

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
            overrides=["training.unrelated_share=1"] if suffix else [],  # there is none to draw from
            resume=True,
            watch=lambda event: print(event, flush=True) if isinstance(event, EpochEnded) else None,
        ).folder

    chosen = {
        name: max((trained(name, suffix, seed) for seed in arguments.seeds), key=dev_score)
        for name, suffix in (("news", ""), ("related", "_related"))
    }
    held_out = list(formats.read(work / "held_out.jsonl"))
    test = arguments.data / "test.jsonl"
    record = read_json(chosen["news"] / "run.json")
    facts = {"news": settle(chosen["news"], work / "dev.jsonl", test, arguments.out)}
    related = doubting(chosen["related"])
    sentences = list(formats.read(test))
    facts["related"] = {"scores": {"test": score(sentences, predict(related, sentences)).to_dict()}}
    for name, model in (("news", load_model(arguments.out)), ("related", related)):
        rate = invented(held_out, predict(model, held_out))
        facts[name] |= {"run": chosen[name].name, "invented_per_1000": rate}
    export(arguments.out)
    complete_card(arguments.out, record, facts, len(held_out))
    with writing(work / "facts.json") as file:
        json.dump({"held_out_sentences": len(held_out), **facts, **provenance()}, file, indent=1)


if __name__ == "__main__":
    main()
