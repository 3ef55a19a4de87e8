"""The training loop: batches in, better weights out, able to stop and go on at any update.

Everything that changes from update to update is in `Progress`, the optimizer, the running mean and the random state;
a checkpoint holds exactly these, so a resumed run computes what the uninterrupted one would have.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from pydantic import Field
from torch import Tensor

from polyhead.batch import Batch
from polyhead.config import Config
from polyhead.data.loader import Position
from polyhead.errors import TrainingError
from polyhead.model.seq2seq import Seq2SeqModel
from polyhead.symbols import PAD
from polyhead.training.averaging import AveragingConfig, RunningMean, kept_snapshots, save_snapshot, snapshot_path
from polyhead.training.checkpoint import Progress, save_checkpoint
from polyhead.training.log import Display, MetricsFile
from polyhead.training.loss import label_smoothed_loss
from polyhead.training.optimizer import Optimizer, OptimizerConfig
from polyhead.training.precision import Precision
from polyhead.training.schedule import Schedule, ScheduleConfig
from polyhead.training.watch import LossWatch

Weights = Mapping[str, Tensor]
Validate = Callable[[Weights], dict[str, float]]
"""Weights → dev_loss, dev_bleu, dev_chrf …"""
Stream = Callable[[Position], Iterator[tuple[Position, Batch]]]


class TrainingConfig(Config):
    """How long, how fast and how carefully to train."""

    max_updates: int = Field(100_000, ge=1)
    """Updates of the weights after which training ends."""
    max_epochs: int | None = Field(None, ge=1)
    """Passes over the corpus after which training ends, if that is sooner."""
    label_smoothing: float = Field(0.1, ge=0, lt=1)
    """ε_ls (section 5.4)."""
    optimizer: OptimizerConfig = OptimizerConfig()
    schedule: ScheduleConfig = ScheduleConfig()
    averaging: AveragingConfig = AveragingConfig()
    precision: Precision = "auto"
    """float32, bfloat16 with float32 master weights, or auto: bfloat16 where the hardware has it."""
    validate_every: int = Field(500, ge=1)
    """Updates between validations; each takes a snapshot and a checkpoint."""
    metric: str = "dev_bleu"
    """What decides which weights are best: dev_bleu, dev_chrf or dev_loss."""
    patience: int | None = Field(None, ge=1)
    """Validations without a new best after which training ends; none: never."""
    log_every: int = Field(50, ge=1)
    """Updates between lines of metrics."""


@dataclass
class Interrupt:
    """Set from outside (a signal) to stop after the update under way."""

    requested: bool = False


@dataclass
class Trainer:
    """One run. B batch, S source, T target, V vocabulary."""

    model: Seq2SeqModel
    optimizer: Optimizer
    schedule: Schedule
    stream: Stream
    validate: Validate
    config: TrainingConfig
    directory: Path
    metrics: MetricsFile
    display: Display
    progress: Progress
    interrupt: Interrupt
    running_mean: RunningMean | None = None
    on_best: Callable[[Weights], None] | None = None

    def run(self) -> bool:
        """Trains until done (True) or interrupted (False); either way a checkpoint stands on disk.

        Raises TrainingError when the loss is no number or explodes; the last good checkpoint is kept.
        """
        self.model.train()
        watch = LossWatch(self.model.output_layer.weight.size(0))
        batches = self.stream(self.progress.position)
        meter = _Meter(self.progress.seconds)
        progress, config = self.progress, self.config
        try:
            while not progress.finished:
                loss, tokens = self._update(batches, watch)
                progress.seconds = meter.seconds()
                meter.add(loss, tokens)
                if progress.update % config.log_every == 0:
                    self._report(meter)
                progress.finished = self._reached_the_end()
                if progress.finished or progress.update % config.validate_every == 0:
                    meter.paused(self._validate)
                    progress.seconds = meter.seconds()
                    self._checkpoint()
                elif self.interrupt.requested:
                    self._checkpoint()
                if self.interrupt.requested and not progress.finished:
                    return False
        finally:
            close = getattr(batches, "close", None)
            if close is not None:
                close()
        return True

    def _update(self, batches: Iterator[tuple[Position, Batch]], watch: LossWatch) -> tuple[float, int]:
        """One step of the optimizer → plain loss a token, in nats, and tokens."""
        total, tokens = 0.0, 0
        for _ in range(self.config.optimizer.accumulation):
            self.progress.position, batch = next(batches)
            loss, count = self._differentiate(batch)
            total, tokens = total + loss, tokens + count
            self.optimizer.collect()
        update = self.progress.update + 1
        norm = self.optimizer.step(self.schedule(update), tokens)
        problem = watch.problem(total / tokens, float(norm))
        if problem is not None:
            raise TrainingError(
                f"Training stopped at update {update}: {problem}. The checkpoint before it is kept in "
                f"{self.directory / 'checkpoints'}; lower the learning rate, lengthen the warm-up, or train in float32 "
                "(--training.precision float32), then start again or go on with --resume."
            )
        self.progress.update = update
        if self.running_mean is not None:
            self.running_mean.add(self.optimizer.masters, update)
        return total / tokens, tokens

    def _differentiate(self, batch: Batch) -> tuple[float, int]:
        """Teacher forcing: the summed loss of a batch into the gradients → plain loss (a sum) and tokens."""
        device = self.model.output_layer.weight.device
        batch = batch.to(device)
        features = self.model.decode(batch.target_in, self.model.encode(batch.source, batch.source_mask))
        real = batch.target_out != PAD
        loss, likelihood = label_smoothed_loss(
            features[real], self.model.output_layer.weight, batch.target_out[real], self.config.label_smoothing
        )
        loss.backward()
        return float(likelihood.detach()), int(real.sum())

    def _report(self, meter: "_Meter") -> None:
        progress = self.progress
        numbers = {
            "update": progress.update,
            "epoch": progress.position.epoch,
            "seconds": round(progress.seconds, 3),
            "learning_rate": self.schedule(progress.update),
            **meter.take(),
        }
        self.metrics.write(numbers)
        pace = progress.seconds / progress.update
        self.display.update(numbers, pace * (self.config.max_updates - progress.update))

    def _reached_the_end(self) -> bool:
        config, progress = self.config, self.progress
        epochs_done = config.max_epochs is not None and progress.position.epoch >= config.max_epochs
        return progress.update >= config.max_updates or epochs_done

    def _validate(self) -> None:
        """Scores the weights, keeps a snapshot where the average may need it, and counts patience."""
        progress, config = self.progress, self.config
        weights = self.weights()
        numbers = self.validate(weights)
        if config.metric not in numbers:
            raise TrainingError(f"training.metric = {config.metric!r} is none of {', '.join(sorted(numbers))}")
        score = -numbers[config.metric] if config.metric.endswith("loss") else numbers[config.metric]
        self.metrics.write({"update": progress.update, "epoch": progress.position.epoch, **numbers})
        best = progress.best_score is None or score > progress.best_score
        if best:
            progress.best_score, progress.best_update, progress.stale = score, progress.update, 0
        else:
            progress.stale += 1
        self._keep_snapshot(weights, score)
        shown = " · ".join(f"{name} {value:.3f}" for name, value in numbers.items())
        self.display.message(f"update {progress.update} · {shown}{' · best so far' if best else ''}")
        if best and self.on_best is not None:
            self.on_best(weights)
        if config.patience is not None and progress.stale >= config.patience:
            self.display.message(f"no better for {progress.stale} validations: training ends")
            progress.finished = True
        self.model.train()

    def weights(self) -> Weights:
        """The weights to judge and to keep: the running mean where there is one, else the newest."""
        return self.running_mean.weights if self.running_mean is not None else self.optimizer.masters

    def _keep_snapshot(self, weights: Weights, score: float) -> None:
        progress = self.progress
        directory = self.directory / "snapshots"
        save_snapshot(directory, progress.update, weights)
        progress.scores[str(progress.update)] = score
        kept = kept_snapshots(progress.scores, self.config.averaging)
        for update in [int(update) for update in progress.scores]:
            if update not in kept:
                del progress.scores[str(update)]
                snapshot_path(directory, update).unlink(missing_ok=True)

    def _checkpoint(self) -> None:
        tensors = self.optimizer.tensors()
        if self.running_mean is not None:
            tensors |= {f"mean.{name}": weight for name, weight in self.running_mean.weights.items()}
        save_checkpoint(self.directory / "checkpoints", self.progress, tensors)


class _Meter:
    """Loss and speed since the last report; time spent validating doesn't count as training time a token."""

    def __init__(self, seconds_before: float) -> None:
        self._origin = time.perf_counter() - seconds_before
        self._start_again()

    def seconds(self) -> float:
        """Seconds of training, earlier sittings included."""
        return time.perf_counter() - self._origin

    def add(self, loss: float, tokens: int) -> None:
        self._loss += loss * tokens
        self._tokens += tokens

    def paused(self, work: Callable[[], None]) -> None:
        """Does `work` outside the clock of tokens a second."""
        before = time.perf_counter()
        work()
        self._since += time.perf_counter() - before

    def take(self) -> dict[str, float]:
        """The means since the last call."""
        tokens = max(1, self._tokens)
        elapsed = max(1e-9, time.perf_counter() - self._since)
        numbers = {
            "loss": self._loss / tokens,
            "target_tokens": self._tokens,
            "target_tokens_per_second": round(self._tokens / elapsed, 1),
        }
        self._start_again()
        return numbers

    def _start_again(self) -> None:
        self._loss, self._tokens = 0.0, 0
        self._since = time.perf_counter()
