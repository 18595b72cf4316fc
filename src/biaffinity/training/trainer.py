"""The training loop: a generator of events, with a state that can be taken out and put back.

It writes nothing; whoever consumes the events keeps history, models and checkpoints.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from biaffinity.annotation import Sentence
from biaffinity.config.settings import Config
from biaffinity.decoding.arrays import Doubles, Ints
from biaffinity.decoding.prediction import predict
from biaffinity.encoders.recurrent.vectors import WordVectors
from biaffinity.errors import BiaffinityError, DataError
from biaffinity.model.folder import owned_tensors
from biaffinity.model.network import TorchNetwork
from biaffinity.scoring import ScoreSheet, score_with_confusions
from biaffinity.training.adversarial import gradients, moved
from biaffinity.training.build import build_model, left_out
from biaffinity.training.events import EpochEnded, Event, Progress, Started, StoppedEarly
from biaffinity.training.examples import Examples, Upcoming
from biaffinity.training.optimiser import Optimiser
from biaffinity.training.selection import Selection


class DivergedError(BiaffinityError):
    """The loss is no longer a number."""


@dataclass(frozen=True, slots=True)
class TrainingData:
    """What a run learns from and is judged by."""

    train: Sequence[Sentence]
    dev: Sequence[Sentence]
    test: Sequence[Sentence] | None = None
    vectors: WordVectors | None = None
    #: The folder of a model that goes on learning, in place of fresh weights.
    start: Path | None = None
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
        self.model, self.coverage = build_model(config, sentences, data.dev, data.vectors, data.start)
        self.model.to(device)
        self.sentences = sentences
        self.examples = Examples(self.model, sentences)
        self.selection = Selection.of(config)
        related = np.array([bool(sentence.relations) for sentence in sentences])
        self._related, self._unrelated = np.flatnonzero(related), np.flatnonzero(~related)
        self._drawn = round(len(self._unrelated) * config.training.negative_ratio)
        #: Sentences that one epoch reads.
        self.epoch_size = len(self._related) + self._drawn
        if not self.epoch_size:
            raise DataError(
                "training.negative_ratio leaves no sentence: none of the training data has a relation",
                remedy="set it to 1",
            )
        self.steps_per_epoch = math.ceil(
            self.epoch_size / (config.training.batch_size * config.training.accumulation)
        )
        total = self.steps_per_epoch * config.training.epochs
        self.optimiser = Optimiser(self.model, config.training, total, self.model.pretrained())
        #: What adversarial training moves; nothing where there is none.
        self.tables = list(self.model.tables()) if config.training.adversarial else []
        self.epoch = 0
        self.best_epoch = 0
        self.best_selection = -1.0

    def events(self) -> Iterator[Event]:
        """Train to the last epoch, telling what happens."""
        yield Started(
            epoch=self.epoch,
            epochs=self.epoch if self.ended else self.config.training.epochs,
            parameters=sum(parameter.numel() for parameter in self.optimiser.parameters.values()),
            sentences=self.epoch_size,
            steps_per_epoch=self.steps_per_epoch,
            coverage=self.coverage,
            left_out=left_out(self.data.train, several_relations=self.model.description.several_relations),
            changes=tuple(self.data.changes),
        )
        while not self.ended:
            started = time.perf_counter()
            losses = np.zeros(2)
            for progress, parts in self._train_epoch():
                losses += parts
                yield progress
            trained = time.perf_counter()
            sheet = self.evaluate(self.data.dev)
            self.epoch += 1
            yield self._end_epoch(sheet, losses / self.epoch_size, started, trained)
            if self.ended and self.epoch < self.config.training.epochs:
                yield StoppedEarly(self.epoch, self.best_epoch)

    @property
    def ended(self) -> bool:
        """Whether no epoch is left, or patience is lost."""
        patience, waited = self.config.training.patience, self.epoch - self.best_epoch
        return self.epoch >= self.config.training.epochs or 0 < patience <= waited

    def _train_epoch(self) -> Iterator[tuple[Progress, Doubles]]:
        self.model.train()
        read = self._draw_sentences()
        lengths = [len(self.sentences[row]) for row in read]
        training = self.config.training
        batches = [read[batch] for batch in shuffled_batches(lengths, training.batch_size, self.generator)]
        upcoming = Upcoming(self.examples, batches)
        for step, first in enumerate(range(0, len(batches), training.accumulation), start=1):
            together = batches[first : first + training.accumulation]
            sentences = sum(map(len, together))
            parts: list[Doubles] = []
            # Closed at once if an update is broken off, so that moved tables are back before anyone looks.
            with closing(self._losses(together, upcoming, step, parts)) as batch_losses:
                self.optimiser.step(batch_losses)
            losses = np.sum(parts, axis=0)
            yield Progress(self.epoch + 1, step, sentences, float(losses.sum()) / sentences), losses

    def _losses(
        self, together: Sequence[Ints], upcoming: Upcoming, step: int, parts: list[Doubles]
    ) -> Generator[Tensor]:
        """The losses of the batches of one update; once learnt from, their two parts go into ``parts``."""
        sentences = sum(map(len, together))
        predicted = self.config.training.relation_labels == "predicted"
        for rows in together:
            batch, gold = upcoming.take()
            both = self.model.losses(batch, gold, predicted=predicted)
            earlier = gradients(self.tables)
            yield (both[0] + both[1]) / sentences
            if self.tables:
                with moved(self.tables, earlier, self.config.training.adversarial):
                    worse = self.model.losses(batch, gold, predicted=predicted)
                    yield (worse[0] + worse[1]) / sentences
            # Read once the way back has been asked for and the next batch is there: a GPU does not wait.
            upcoming.prepare()
            parts.append(torch.stack(both).detach().double().cpu().numpy())
            if not np.isfinite(parts[-1]).all():
                raise self._diverged(step, rows.tolist(), (float(parts[-1][0]), float(parts[-1][1])))

    def _draw_sentences(self) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        """The rows that this epoch reads: all with a relation, and a share of those without."""
        if self._drawn == len(self._unrelated):
            return np.arange(len(self.sentences))
        drawn = self.generator.choice(self._unrelated, self._drawn, replace=False)
        return np.sort(np.concatenate([self._related, drawn]))

    def _end_epoch(
        self,
        sheet: ScoreSheet,
        losses: np.ndarray[tuple[int], np.dtype[np.float64]],
        started: float,
        trained: float,
    ) -> EpochEnded:
        entities, relations, selection = self.selection.scores(sheet)
        best = selection > self.best_selection or self.config.training.keep == "last"
        if best:
            self.best_selection, self.best_epoch = selection, self.epoch
        return EpochEnded(
            epoch=self.epoch,
            tagger_loss=float(losses[0]),
            relation_loss=float(losses[1]),
            metric=self.selection.name,
            entities=entities,
            relations=relations,
            selection=selection,
            best=best,
            learning_rate=self.optimiser.learning_rate,
            train_seconds=trained - started,
            dev_seconds=time.perf_counter() - trained,
        )

    def evaluate(self, sentences: Sequence[Sentence]) -> ScoreSheet:
        """The score sheet of the model as it stands."""
        predicted = predict(TorchNetwork(self.model), sentences, scores=False)
        return score_with_confusions(sentences, list(predicted))

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


def shuffled_batches(lengths: Sequence[int], size: int, generator: np.random.Generator) -> Iterator[Ints]:
    """Random batches of ``size`` of sentences of like length, in random order.

    Lengths are blurred by a twentieth before sorting, so that batches differ from epoch to epoch.
    """
    noise = generator.uniform(0.95, 1.05, len(lengths))
    order = np.argsort(np.asarray(lengths) * noise + generator.uniform(0, 1, len(lengths)), kind="stable")
    starts = np.arange(0, len(lengths), size)
    for start in generator.permutation(starts):
        yield order[start : start + size]
