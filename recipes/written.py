"""Sentences that a language model writes in the manner of gold ones, for teachers to label.

    python recipes/written.py train.jsonl dev.jsonl build/encoders/writer OUT [--device cuda]

Little text is near the corpus: newswire of its years can hardly be had. A small language model reads the gold
sentences and then writes as many of their kind as are wanted (as He et al. 2022, "Generate,
annotate, and learn", do for other tasks). What comes out need not be true, but it has the corpus's headers,
datelines, senators and spokesmen, and other names. It carries no labels: teachers read it as any other text.

Sentences come out in the same order with the same words wherever the arithmetic is the same: a CPU of another
kind, or a GPU, writes others.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoModelForCausalLM, AutoTokenizer

from biaffinity import formats
from biaffinity.files import writing
from biaffinity.layers.precision import computes_bfloat16

#: Of gold: how often it is read, sentences of an update, the highest learning rate, and the updates that it
#: takes to get there. Once is enough for its manner, and half an hour of a core.
EPOCHS, BATCH, LEARNING_RATE, WARMUP = 1, 32, 1e-4, 20
#: How many to write, and how many of them side by side: what a device needs to be busy, and no more memory.
SENTENCES, TOGETHER = 50_000, {"cpu": 384, "cuda": 8192}
#: What is less than so likely as the likeliest piece is never said.
LEAST = 0.01
#: In pieces of words: what is longer has lost its thread.
LONGEST = 96
#: Those that have ended are put aside after so many pieces.
LOOK = 8
#: Begins and ends a sentence.
LINE = "\n"


class Writer:
    """A language model and its pieces of words."""

    def __init__(self, folder: Path, device: str) -> None:
        self.pieces: Any = AutoTokenizer.from_pretrained(str(folder))
        self.network: Any = AutoModelForCausalLM.from_pretrained(str(folder), dtype=torch.float32).to(device)
        self.device, self.reduced = device, computes_bfloat16(torch.device(device))
        [self.line] = self.numbers(LINE)

    def numbers(self, text: str) -> list[int]:
        """The pieces of a text."""
        found: list[int] = self.pieces(text, add_special_tokens=False)["input_ids"]
        return found

    def loss(self, lines: Sequence[Tensor]) -> Tensor:
        """How unlikely some lines are to the writer, per piece."""
        read = pad_sequence(list(lines), batch_first=True, padding_value=self.line)
        told = pad_sequence(list(lines), batch_first=True, padding_value=-100)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.reduced):
            loss: Tensor = self.network(
                input_ids=read.to(self.device),
                attention_mask=(told != -100).long().to(self.device),
                labels=told.to(self.device),
            ).loss
        return loss


def lines_of(path: Path, writer: Writer) -> list[Tensor]:
    """The sentences of a file in pieces, each a line."""
    texts = [sentence.text or " ".join(sentence.tokens) for sentence in formats.read(path)]
    return [torch.tensor(writer.numbers(LINE + text + LINE)[:LONGEST]) for text in texts]


def batches(lines: Sequence[Tensor], numbers: random.Random) -> list[list[Tensor]]:
    """All lines once, those of like length together."""
    mixed = sorted(lines, key=lambda line: len(line) + numbers.random() * LOOK)
    cut = [mixed[first : first + BATCH] for first in range(0, len(mixed), BATCH)]
    numbers.shuffle(cut)
    return cut


def learn(writer: Writer, gold: Sequence[Tensor], dev: Sequence[Tensor]) -> None:
    """Read gold some times over, and tell how unlikely dev is."""
    numbers = random.Random(1)
    plan = [batch for _ in range(EPOCHS) for batch in batches(gold, numbers)]
    optimiser = torch.optim.AdamW(writer.network.parameters(), lr=LEARNING_RATE)
    writer.network.train()
    for step, batch in enumerate(plan):
        for group in optimiser.param_groups:
            group["lr"] = LEARNING_RATE * min((step + 1) / WARMUP, 1 - step / len(plan))
        optimiser.zero_grad()
        writer.loss(batch).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(writer.network.parameters(), 1.0)
        optimiser.step()
    writer.network.eval()
    with torch.inference_mode():
        losses = torch.stack([writer.loss(batch) for batch in batches(dev, numbers)])
    print(f"dev: {float(losses.mean()):.3f} a piece", flush=True)


@torch.inference_mode()
def written(writer: Writer, count: int) -> Iterator[str]:
    """So many sentences, less those that came to no end."""
    torch.manual_seed(1)
    network = writer.network.bfloat16() if writer.reduced else writer.network
    together = TOGETHER[torch.device(writer.device).type]
    for first in range(0, count, together):
        lines = torch.full((min(together, count - first), 1), writer.line, device=writer.device)
        cache = None
        for length in range(1, LONGEST):
            told = network(input_ids=lines[:, -1:], past_key_values=cache, use_cache=True)
            cache = told.past_key_values
            likely = told.logits[:, -1].float().softmax(1)
            likely[likely < LEAST * likely.amax(1, keepdim=True)] = 0
            lines = torch.cat([lines, torch.multinomial(likely, 1)], dim=1)
            if length % LOOK == 0 or length == LONGEST - 1:
                ended = (lines[:, 1:] == writer.line).any(1)
                for line in lines[ended].tolist():
                    yield writer.pieces.decode(line[1 : line.index(writer.line, 1)]).strip()
                going = (~ended).nonzero().squeeze(1)
                if not len(going):
                    break
                lines = lines[going]
                cache.batch_select_indices(going)


def prepare(gold: Path, dev: Path, folder: Path, out: Path, count: int, device: str) -> None:
    """Write every sentence once."""
    writer = Writer(folder, device)
    learn(writer, lines_of(gold, writer), lines_of(dev, writer))
    seen: set[str] = {""}
    with writing(out) as file:
        for text in written(writer, count):
            if text not in seen:
                seen.add(text)
                file.write(
                    json.dumps({"id": f"written-{len(seen) - 1}", "text": text}, ensure_ascii=False) + "\n"
                )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("gold", type=Path, help="the gold sentences")
    parser.add_argument("dev", type=Path, help="others, to be told how likely these are")
    parser.add_argument("writer", type=Path, help="the folder of recipes/writer.py")
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument("--sentences", type=int, default=SENTENCES, help=f"how many ({SENTENCES:,})")
    parser.add_argument("--device", default="cpu", help="cpu or cuda (cpu)")
    options = parser.parse_args()
    prepare(options.gold, options.dev, options.writer, options.out, options.sentences, options.device)
