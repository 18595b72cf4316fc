"""The training loop: a generator of events, with a state that can be taken out and put back.

It writes nothing; whoever consumes the events keeps history, models and checkpoints.
"""

from __future__ import annotations

import contextlib
import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from biaffinity.annotation import Sentence
from biaffinity.encoding.batches import shuffled_batches
from biaffinity.encoding.vectors import WordVectors
from biaffinity.errors import BiaffinityError, DataError
from biaffinity.model.config import Config
from biaffinity.model.folder import owned_tensors
from biaffinity.model.prediction import predict
from biaffinity.scoring import ScoreSheet, score
from biaffinity.training.build import build_model, left_out
from biaffinity.training.events import EpochEnded, Event, Progress, Started
from biaffinity.training.optimiser import Optimiser


class DivergedError(BiaffinityError):
    """The loss is no longer a number."""


@dataclass(frozen=True, slots=True)
class TrainingData:
    """What a run learns from and is judged by."""

    train: Sequence[Sentence]
    dev: Sequence[Sentence]
    test: Sequence[Sentence] | None = None
    vectors: WordVectors | None = None
    #: What the readers changed or left out, a line per kind.
    changes: Sequence[str] = ()


class Trainer:
    """One run: a model, its optimiser, its random numbers, and how far it has come."""

    def __init__(self, config: Config, data: TrainingData, *, seed: int, device: str | torch.device) -> None:
        self.config = config
        self.data = data
        sentences = [sentence for sentence in data.train if len(sentence)]
        if not sentences:
            raise DataError("the training data has no sentence", remedy="run: biaffinity check TRAIN")
        torch.manual_seed(seed)
        self.generator = np.random.default_rng(seed)
        self.model, self.coverage = build_model(config, sentences, data.dev, data.vectors)
        self.model.to(device)
        self.sentences = sentences
        self.examples = [self.model.encoder.encode(sentence) for sentence in sentences]
        related = np.array([bool(sentence.relations) for sentence in sentences])
        self._related, self._unrelated = np.flatnonzero(related), np.flatnonzero(~related)
        self._drawn = round(len(self._unrelated) * config.training.unrelated_share)
        #: Sentences that one epoch reads.
        self.epoch_size = len(self._related) + self._drawn
        if not self.epoch_size:
            raise DataError(
                "training.unrelated_share leaves no sentence: none of the training data has a relation",
                remedy="set it to 1",
            )
        self.steps_per_epoch = math.ceil(self.epoch_size / config.training.batch_size)
        total = self.steps_per_epoch * config.training.epochs
        self.optimiser = Optimiser(self.model, config.training, total)
        self.epoch = 0
        self.best_epoch = 0
        self.best_selection = -1.0

    def events(self) -> Iterator[Event]:
        """Train to the last epoch, telling what happens."""
        yield Started(
            epoch=self.epoch,
            epochs=self.config.training.epochs,
            parameters=sum(parameter.numel() for parameter in self.optimiser.parameters.values()),
            sentences=self.epoch_size,
            steps_per_epoch=self.steps_per_epoch,
            coverage=self.coverage,
            left_out=left_out(self.data.train),
            changes=tuple(self.data.changes),
        )
        while self.epoch < self.config.training.epochs:
            started = time.perf_counter()
            losses = np.zeros(2)
            for progress, parts in self._train_epoch():
                losses += parts
                yield progress
            trained = time.perf_counter()
            with self.kept_weights():
                sheet = self.evaluate(self.data.dev)
            self.epoch += 1
            yield self._end_epoch(sheet, losses / self.epoch_size, started, trained)

    def _train_epoch(self) -> Iterator[tuple[Progress, tuple[float, float]]]:
        self.model.train()
        read = self._draw_sentences()
        lengths = [len(self.examples[row]) for row in read]
        batches = shuffled_batches(lengths, self.config.training.batch_size, self.generator)
        share = self._predicted_share()
        for step, rows in enumerate((read[batch] for batch in batches), start=1):
            batch = self.model.encoder.batch([self.examples[row] for row in rows])
            predicted = self.generator.random(len(rows)) < share
            tagger_loss, relation_loss = self.model.losses(batch, predicted)
            parts = tagger_loss.item(), relation_loss.item()
            if not all(map(math.isfinite, parts)):
                raise self._diverged(step, rows.tolist(), parts)
            self.optimiser.step((tagger_loss + relation_loss) / len(rows))
            yield Progress(self.epoch + 1, step, len(rows), sum(parts) / len(rows)), parts

    def _draw_sentences(self) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        """The rows that this epoch reads: all with a relation, and a share of those without."""
        if self._drawn == len(self._unrelated):
            return np.arange(len(self.examples))
        drawn = self.generator.choice(self._unrelated, self._drawn, replace=False)
        return np.sort(np.concatenate([self._related, drawn]))

    def _predicted_share(self) -> float:
        """The share of sentences whose relations are learnt from predicted labels in this epoch."""
        fed = self.config.training.relation_labels
        if fed == "scheduled":
            return self.epoch / max(1, self.config.training.epochs - 1)
        return float(fed == "predicted")

    def _end_epoch(
        self,
        sheet: ScoreSheet,
        losses: np.ndarray[tuple[int], np.dtype[np.float64]],
        started: float,
        trained: float,
    ) -> EpochEnded:
        given = self.config.model.setup == 2
        selection = sheet.headline(boundaries_given=given)
        best = selection > self.best_selection
        if best:
            self.best_selection, self.best_epoch = selection, self.epoch
        return EpochEnded(
            epoch=self.epoch,
            tagger_loss=float(losses[0]),
            relation_loss=float(losses[1]),
            entities=sheet["paper", "ec" if given else "ner"].f1,
            relations=sheet["paper", "rc"].f1,
            selection=selection,
            best=best,
            learning_rate=self.optimiser.learning_rate,
            train_seconds=trained - started,
            dev_seconds=time.perf_counter() - trained,
        )

    def evaluate(self, sentences: Sequence[Sentence]) -> ScoreSheet:
        """The score sheet of the model as it stands."""
        return score(sentences, predict(self.model, sentences, scores=False))

    @contextlib.contextmanager
    def kept_weights(self) -> Iterator[None]:
        """Inside, the model has the weights that are judged and kept: the running mean if there is one."""
        averaged = self.optimiser.averaged
        if averaged is None:
            yield
            return
        current = {name: parameter.data for name, parameter in self.optimiser.parameters.items()}
        for name, parameter in self.optimiser.parameters.items():
            parameter.data = averaged[name]
        try:
            yield
        finally:
            for name, parameter in self.optimiser.parameters.items():
                parameter.data = current[name]

    def state(self) -> tuple[dict[str, Tensor], dict[str, str]]:
        """All that is needed to go on exactly from the end of this epoch: tensors and plain facts."""
        tensors = {f"model.{name}": tensor for name, tensor in self._trained_tensors().items()}
        tensors |= self.optimiser.state()
        tensors["random.torch"] = torch.get_rng_state()
        if self.model.device.type == "cuda":
            tensors["random.cuda"] = torch.cuda.get_rng_state(self.model.device)
        facts = {
            "epoch": self.epoch,
            "best_epoch": self.best_epoch,
            "best_selection": self.best_selection,
            "random.numpy": self.generator.bit_generator.state,
        }
        return tensors, {"state": json.dumps(facts)}

    def load_state(self, tensors: dict[str, Tensor], facts: dict[str, str]) -> None:
        """The inverse of `state`."""
        model = {name[6:]: tensor for name, tensor in tensors.items() if name.startswith("model.")}
        with torch.no_grad():
            for name, target in self._trained_tensors().items():
                target.copy_(model[name])
        self.optimiser.load_state(tensors)
        torch.set_rng_state(tensors["random.torch"])
        if "random.cuda" in tensors:
            torch.cuda.set_rng_state(tensors["random.cuda"], self.model.device)
        plain = json.loads(facts["state"])
        self.epoch, self.best_epoch = plain["epoch"], plain["best_epoch"]
        self.best_selection = plain["best_selection"]
        self.generator.bit_generator.state = plain["random.numpy"]

    def _trained_tensors(self) -> dict[str, Tensor]:
        """The model's tensors that training changes."""
        return {n: t for n, t in owned_tensors(self.model).items() if n in self.optimiser.parameters}

    def _diverged(self, step: int, rows: Sequence[int], parts: tuple[float, float]) -> DivergedError:
        part = "tagger" if not math.isfinite(parts[0]) else "relation"
        ids = ", ".join(self.sentences[row].id for row in rows[:3])
        largest = {name: float(p.detach().abs().max()) for name, p in self.optimiser.parameters.items()}
        broken = [name for name, value in largest.items() if not math.isfinite(value)]
        cause = (
            f"weights are not finite: {broken[0]}"
            if broken
            else f"weights are finite, the largest is {max(largest.values()):.3g}"
        )
        kept = f"the model of epoch {self.best_epoch} is kept" if self.best_epoch else "there is no model yet"
        return DivergedError(
            f"the {part} loss is {parts[0] if part == 'tagger' else parts[1]} ({cause})",
            where=f"epoch {self.epoch + 1}, update {step}, sentences {ids}",
            remedy=f"lower training.learning_rate or set training.clip=5; {kept}",
        )
