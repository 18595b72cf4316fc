"""A transformer model on one core: tokens a second from raw text, beside what its arithmetic allows.

    python benchmarks/transformer.py MODEL TEXT [--json OUT]

The limit is that of the matrix products alone: their number per token of the text, over what one core
multiplies in a second in large products (numpy, float32). Processor time is counted, so that other work on
the machine weighs little; products and extraction take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

import biaffinity
from biaffinity.encoders.transformer.identity import TOKENIZER, Identity
from biaffinity.encoders.transformer.pieces import WordPieces
from biaffinity.training.provenance import provenance

TURNS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("text", type=Path, help="a document a line")
    parser.add_argument("--batch-tokens", type=int, nargs="*", default=[None])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    texts = [line for line in options.text.read_text(encoding="utf-8").splitlines() if line]
    extractor = biaffinity.load(options.model)
    documents = list(extractor.stream(texts))
    sentences = [sentence.tokens for document in documents for sentence in document.sentences]
    tokens = sum(map(len, sentences))
    products = multiplications(options.model, sentences) / tokens
    results = []
    for batch_tokens in options.batch_tokens:
        rates, peaks = [], []
        for _ in range(TURNS):
            peaks.append(peak())
            read = partial(extractor.stream, texts, batch_tokens=batch_tokens)
            rates.append(tokens / processor_time(lambda read=read: list(read())))
        rate, limit = statistics.median(rates), statistics.median(peaks) / products
        results.append(
            {"batch_tokens": batch_tokens, "tokens_per_second": rate, "limit": limit, "share": rate / limit}
        )
        print(
            f"batches of {batch_tokens}: {rate:,.0f} tokens/s, limit {limit:,.0f}: {rate / limit:.0%}",
            flush=True,
        )
    if options.json:
        record = {
            **provenance(),
            "tokens": tokens,
            "multiplications_per_token": round(products),
            "results": results,
        }
        options.json.write_text(json.dumps(record, indent=2) + "\n")


def multiplications(folder: Path, sentences: list[tuple[str, ...]]) -> float:
    """Multiplications (each with an addition) that a transformer needs for sentences, padding left out."""
    identity = Identity.read(folder)
    pieces = WordPieces.read(folder / TOKENIZER, identity.limit)
    frame = len(pieces.start) + len(pieces.end)
    lengths = np.array([frame + sum(len(pieces.of(token)) for token in tokens) for tokens in sentences])
    config: dict[str, Any] = identity.config
    width, inner, layers = config["hidden_size"], config["intermediate_size"], config["num_hidden_layers"]
    by_piece = layers * (4 * width * width + 2 * width * inner)
    by_pair = layers * 2 * width  # attention: scores, and the sum that they weigh
    return float(by_piece * lengths.sum() + by_pair * (lengths**2).sum())


def peak() -> float:
    """Multiplications a second in a large product on one core."""
    left, right = np.random.rand(512, 768).astype(np.float32), np.random.rand(768, 3072).astype(np.float32)
    seconds = min(processor_time(lambda: left @ right) for _ in range(10))
    return left.shape[0] * left.shape[1] * right.shape[1] / seconds


def processor_time(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


if __name__ == "__main__":
    main()
