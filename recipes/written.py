"""Sentences that a language model writes after the example of gold ones, for teachers to label.

    python recipes/written.py train.jsonl names.jsonl build/encoders/writer OUT [--device cuda]

Little text is near the corpus: newswire of its years can hardly be had. A language model that is shown some
sentences of it, a line each, writes another in their manner (as He et al. 2022, "Generate, annotate, and
learn", do for other tasks): from its first word, or from the beginning of a gold sentence whose names were
exchanged for others of their type (of ``names.jsonl``). What comes out need not be true, but firms have
spokesmen there, and senators a state. It carries no labels: teachers read it as any other text.

Sentences come out in the same order with the same words wherever the arithmetic is the same: a CPU of another
kind, or a GPU, writes others.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from variants import changed, names_by_type

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.files import writing

#: How many to write, and how many of them side by side.
SENTENCES, TOGETHER = 120_000, 4096
#: What a prompt shows. Sentences with a relation are shown as raw text, the others in the corpus's tokens.
EXAMPLES = 4
#: How often those with a relation are shown, and how often a sentence is begun for the writer.
RELATED, BEGUN = 0.7, 0.5
#: Below 1 likely words become likelier; what is not among so many of the likeliest is never said.
TEMPERATURE, LIKELIEST = 0.9, 100
#: In pieces of words: what is longer has lost its thread.
LONGEST = 64
#: Longer examples make prompts longer for all that are written beside them.
LONGEST_EXAMPLE = 220


def prompts(
    gold: Sequence[Sentence], names: dict[str, list[Sequence[str]]], numbers: random.Random
) -> Iterator[tuple[str, str]]:
    """What the writer is shown, and the beginning of the sentence that it is to write, without end."""
    parts = [
        [s for s in gold if s.relations and s.text and len(s.text) <= LONGEST_EXAMPLE],
        [s for s in gold if not s.relations and len(" ".join(s.tokens)) <= LONGEST_EXAMPLE],
    ]
    while True:
        part = parts[numbers.random() >= RELATED]
        *examples, begun = numbers.sample(part, EXAMPLES + 1)
        shown = [example.text or " ".join(example.tokens) for example in examples]
        words: list[str] = []
        if numbers.random() < BEGUN:
            tokens = changed(begun, names, {}, numbers)
            words = tokens[: numbers.randrange(1, max(2, len(tokens) // 2))]
        yield "\n".join(shown) + "\n", " ".join(words)


@torch.inference_mode()
def written(folder: Path, asked: Iterator[tuple[str, str]], count: int, device: str) -> Iterator[str]:
    """So many sentences."""
    tokenizer = AutoTokenizer.from_pretrained(str(folder), padding_side="left")
    kind = torch.float32 if device == "cpu" else torch.bfloat16
    model = AutoModelForCausalLM.from_pretrained(str(folder), dtype=kind).to(device)
    [line_end] = tokenizer("\n", add_special_tokens=False)["input_ids"]
    torch.manual_seed(1)
    for first in range(0, count, TOGETHER):
        batch = [next(asked) for _ in range(min(TOGETHER, count - first))]
        given = tokenizer(["".join(both) for both in batch], return_tensors="pt", padding=True).to(device)
        found = model.generate(
            **given,
            max_new_tokens=LONGEST,
            do_sample=True,
            temperature=TEMPERATURE,
            top_k=LIKELIEST,
            eos_token_id=[tokenizer.eos_token_id, line_end],
            pad_token_id=tokenizer.eos_token_id,
        )
        new = tokenizer.batch_decode(found[:, given["input_ids"].shape[1] :], skip_special_tokens=True)
        for (_, begun), text in zip(batch, new, strict=True):
            # One that does not end with its line was cut off.
            if text.endswith("\n"):
                yield (begun + text).strip()


def prepare(gold: Path, names: Path, folder: Path, out: Path, count: int, device: str) -> None:
    """Write every sentence once."""
    asked = prompts(list(formats.read(gold)), names_by_type(formats.read(names)), random.Random(1))
    seen: set[str] = {""}
    with writing(out) as file:
        for number, text in enumerate(written(folder, asked, count, device), start=1):
            if text not in seen:
                seen.add(text)
                file.write(json.dumps({"id": f"written-{number}", "text": text}, ensure_ascii=False) + "\n")
                file.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("gold", type=Path, help="the gold sentences")
    parser.add_argument("names", type=Path, help="sentences whose entities are the names to draw from")
    parser.add_argument("writer", type=Path, help="the folder of recipes/writer.py")
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument("--sentences", type=int, default=SENTENCES, help=f"how many ({SENTENCES:,})")
    parser.add_argument("--device", default="cpu", help="cpu or cuda (cpu)")
    arguments = parser.parse_args()
    prepare(
        arguments.gold,
        arguments.names,
        arguments.writer,
        arguments.out,
        arguments.sentences,
        arguments.device,
    )
