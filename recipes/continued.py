"""Gold sentences begun and gone on with by a language model of news, for teachers to label.

    python recipes/continued.py train.jsonl names.jsonl build/encoders/news-writer OUT [--device cuda]

Little text is near the corpus: newswire of its years can hardly be had. A language model of newswire writes
more of it (as He et al. 2022, "Generate, annotate, and learn", do for other tasks): each gold sentence, its
names exchanged for others of their type (of ``names.jsonl``), is cut somewhere and written to its end anew.
What comes out need not be true, nor quite make sense, but firms have spokesmen there, and senators a state.
It carries no labels: teachers read it as any other text.

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
from news_writer import CHARACTERS, WEIGHTS
from safetensors.torch import load_file
from torch import Tensor
from variants import changed, names_by_type

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.files import writing

#: Continuations of a sentence with a relation, and of one without.
RELATED, UNRELATED = 16, 6
#: Below 1 likely characters become likelier: at 1 words are made up, at 0.5 all sentences are alike.
TEMPERATURE = 0.7
#: What is longer has lost its thread.
LONGEST = 400
#: Sentences that are written side by side.
TOGETHER = 4096
END = "\n"


class NewsWriter:
    """A character LSTM, a step at a time for many sentences."""

    def __init__(self, folder: Path, device: str) -> None:
        weights = {name: tensor.to(device) for name, tensor in load_file(folder / WEIGHTS).items()}
        self.characters: list[str] = json.loads((folder / CHARACTERS).read_text(encoding="utf-8"))
        self.numbers = {character: number for number, character in enumerate(self.characters)}
        bias = weights["rnn.bias_ih_l0"] + weights["rnn.bias_hh_l0"]
        #: What each character adds to the gates, [characters, 4 * hidden].
        self.inputs = weights["encoder.weight"] @ weights["rnn.weight_ih_l0"].T + bias
        self.recurrent = weights["rnn.weight_hh_l0"].T.contiguous()
        self.output, self.output_bias = weights["decoder.weight"].T.contiguous(), weights["decoder.bias"]
        self.hidden = len(self.recurrent)

    def step(self, read: Tensor, state: Tensor, memory: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Characters [batch] and the states before them -> scores of the next one, and the states after."""
        entering, forgetting, new, leaving = (self.inputs[read] + state @ self.recurrent).chunk(4, 1)
        memory = forgetting.sigmoid() * memory + entering.sigmoid() * new.tanh()
        state = leaving.sigmoid() * memory.tanh()
        return state @ self.output + self.output_bias, state, memory


def beginnings(
    gold: Sequence[Sentence], names: dict[str, list[Sequence[str]]], numbers: random.Random
) -> Iterator[tuple[str, str]]:
    """Name and first words of every sentence to be written."""
    for sentence in gold:
        for number in range(RELATED if sentence.relations else UNRELATED):
            tokens = changed(sentence, names, {}, numbers)
            words = tokens[: numbers.randrange(1, max(2, len(tokens)))]
            yield f"{sentence.id}+{number + 1}", " ".join(words) + " "


@torch.inference_mode()
def continued(
    writer: NewsWriter, begun: Iterator[tuple[str, str]], device: str, seed: int = 1
) -> Iterator[tuple[str, str]]:
    """Name and text of every sentence, written to its end; those that find none are left out.

    As soon as one is done the next takes its place, so that no step is spent on what is over.
    """
    generator = torch.Generator(device).manual_seed(seed)
    end = writer.numbers[END]
    read = torch.full((TOGETHER,), end, device=device)
    state, memory = torch.zeros(2, TOGETHER, writer.hidden, device=device)
    names: list[str | None] = [None] * TOGETHER
    texts: list[list[int]] = [[] for _ in range(TOGETHER)]
    given: list[list[int]] = [[] for _ in range(TOGETHER)]  # what is left of the beginning, last first
    free, waiting = list(range(TOGETHER)), True
    while waiting or any(name is not None for name in names):
        for place in free:
            name, text = next(begun, (None, ""))
            waiting = name is not None
            names[place], texts[place] = name, []
            given[place] = [writer.numbers[c] for c in reversed(text) if c in writer.numbers]
        if free:
            places = torch.tensor(free, device=device)
            read[places], state[places], memory[places] = end, 0.0, 0.0
        scores, state, memory = writer.step(read, state, memory)
        drawn = torch.multinomial((scores / TEMPERATURE).softmax(1), 1, generator=generator)[:, 0].tolist()
        free = []
        for place, name in enumerate(names):
            if name is None:
                continue
            if given[place]:
                drawn[place] = given[place].pop()
            if drawn[place] == end:
                yield name, "".join(writer.characters[number] for number in texts[place]).strip()
            texts[place].append(drawn[place])
            if drawn[place] == end or len(texts[place]) == LONGEST:
                names[place] = None
                free.append(place)
        read = torch.tensor(drawn, device=device)


def prepare(gold: Path, names: Path, folder: Path, out: Path, device: str) -> None:
    """Write every sentence once."""
    begun = beginnings(list(formats.read(gold)), names_by_type(formats.read(names)), random.Random(1))
    seen: set[str] = set()
    with writing(out) as file:
        for name, text in continued(NewsWriter(folder, device), begun, device):
            if text not in seen:
                seen.add(text)
                file.write(json.dumps({"id": name, "text": text}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("gold", type=Path, help="the gold sentences")
    parser.add_argument("names", type=Path, help="sentences whose entities are the names to draw from")
    parser.add_argument("writer", type=Path, help="the folder of recipes/news_writer.py")
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument("--device", default="cpu", help="cpu or cuda (cpu)")
    arguments = parser.parse_args()
    prepare(arguments.gold, arguments.names, arguments.writer, arguments.out, arguments.device)
