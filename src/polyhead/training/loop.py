"""The training loop: batches in, better weights out, able to stop and go on at any update.

Everything that changes from update to update is in `Progress`, the optimizer and the running mean; a checkpoint holds
exactly these, and chance follows from the seed and the update's number. So a resumed run computes what the
uninterrupted one would have.
"""

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import torch
from pydantic import Field
from torch import Tensor

from polyhead.batch import Batch
from polyhead.config import Config
from polyhead.data.loader import Position
from polyhead.errors import TrainingError
from polyhead.limits import MOST_COUNTED, MOST_THREADS
from polyhead.manifest import remove_listed
from polyhead.memory import trim
from polyhead.model.dropout import drawing_from
from polyhead.model.seq2seq import Seq2SeqModel
from polyhead.training.averaging import AveragingConfig, RunningMean, kept_snapshots, save_snapshot, snapshot_path
from polyhead.training.checkpoint import Progress, checkpoints, save_checkpoint
from polyhead.training.log import Display, MetricsFile
from polyhead.training.loss import label_smoothed_loss
from polyhead.training.meter import Meter
from polyhead.training.optimizer import Optimizer, OptimizerConfig
from polyhead.training.parallel import Workers, seed_of
from polyhead.training.precision import Arithmetic, Precision
from polyhead.training.schedule import Schedule, ScheduleConfig
from polyhead.training.watch import LossWatch

Weights = Mapping[str, Tensor]
Validate = Callable[[Weights], dict[str, float]]
"""Weights → dev_loss, dev_bleu, dev_chrf …"""
Batches = Generator[tuple[Position, Batch], None, None]
"""Endless batches, each with the position after it."""
Stream = Callable[[Position], Batches]


class TrainingConfig(Config):
    """How long, how fast and how carefully to train."""

    max_updates: int = Field(default=100_000, ge=1, le=MOST_COUNTED)
    """Updates of the weights after which training ends."""
    max_epochs: int | None = Field(default=None, ge=1, le=MOST_COUNTED)
    """Passes over the corpus after which training ends, if that is sooner."""
    label_smoothing: float = Field(default=0.1, ge=0, lt=1)
    """ε_ls (section 5.4)."""
    optimizer: OptimizerConfig = OptimizerConfig()
    schedule: ScheduleConfig = ScheduleConfig()
    averaging: AveragingConfig = AveragingConfig()
    precision: Precision = "auto"
    """float32; bfloat16 with float32 master weights; int16 and int8, one of these with products of 16- or 8-bit whole
    numbers; or auto: what the hardware multiplies fastest."""
    workers: int = Field(default=1, ge=1, le=MOST_THREADS)
    """Shares that every batch is cut into, differentiated at the same time by threads with CPU cores of their own."""
    validate_every: int = Field(default=500, ge=1, le=MOST_COUNTED)
    """Updates between validations; each takes a snapshot and a checkpoint."""
    metric: Literal["dev_bleu", "dev_chrf", "dev_loss"] = "dev_bleu"
    """What decides which weights are best."""
    patience: int | None = Field(default=None, ge=1, le=MOST_COUNTED)
    """Validations without a new best after which training ends; none: never."""
    log_every: int = Field(default=50, ge=1, le=MOST_COUNTED)
    """Updates between lines of metrics."""


@dataclass
class Interrupt:
    """Set from outside (a signal) to stop after the update under way."""

    requested: bool = False


@dataclass
class Trainer:
    """One run. B batch, S source, T target, V vocabulary."""

    model: Seq2SeqModel[Any]
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
    workers: Workers = field(default_factory=Workers)
    arithmetic: Arithmetic = field(default_factory=Arithmetic)
    """The model's."""
    seed: int = 1
    """Decides dropout, together with the number of the update."""
    running_mean: RunningMean | None = None
    on_best: Callable[[Weights], None] | None = None

    def run(self) -> bool:
        """Trains until done (True) or interrupted (False); either way a checkpoint stands on disk.

        Raises TrainingError when the loss is no number or explodes; the last good checkpoint is kept.
        """
        self.model.train()
        watch = LossWatch(self.model.output_layer.weight.size(0))
        progress, meter = self.progress, Meter(self.progress.seconds)
        progress.finished = self.is_over()  # a run that is resumed may have been given another end
        if progress.finished and not progress.scores:
            self._validate()
        with self.arithmetic.chosen(), closing(self.stream(progress.position)) as batches:
            while not progress.finished:
                self._advance(batches, watch, meter)
                if self.interrupt.requested and not progress.finished:
                    return False
        return True

    def _advance(self, batches: Batches, watch: LossWatch, meter: Meter) -> None:
        """One update and whatever is due after it: metrics, validation, a checkpoint."""
        progress, config = self.progress, self.config
        loss, tokens = self._update(batches, watch)
        meter.add(tokens)
        progress.loss_sum, progress.tokens = progress.loss_sum + loss, progress.tokens + tokens
        progress.seconds = meter.seconds()
        if progress.update % config.log_every == 0:
            self._report(meter)
        if self.is_over() or progress.update % config.validate_every == 0:
            meter.validation(self._validate)
            trim()
            progress.seconds = meter.seconds()
            progress.finished = self.is_over()
            self._checkpoint()
        elif self.interrupt.requested:
            self._checkpoint()

    def _update(self, batches: Batches, watch: LossWatch) -> tuple[float, int]:
        """One step of the optimizer → plain loss (a sum, in nats) and target tokens."""
        total, tokens, draws = 0.0, 0, 0
        torch.manual_seed(seed_of(self.seed, self.progress.update))
        for _ in range(self.config.optimizer.accumulation):
            self.progress.position, batch = next(batches)
            shares = batch.split(self.workers.count)
            seeds = [seed_of(self.seed, self.progress.update, draws + share) for share in range(len(shares))]
            for gradients, loss, count in self.workers.map(self._differentiate, list(zip(shares, seeds, strict=True))):
                total, tokens = total + loss, tokens + count
                self.optimizer.collect(gradients)
            draws += len(shares)
        update = self.progress.update + 1
        norm = self.optimizer.step(self.schedule(update), tokens)
        problem = watch.problem(total / tokens, float(norm))
        if problem is not None:
            raise TrainingError(self._advice(update, problem))
        self.progress.update = update
        if self.running_mean is not None:
            self.running_mean.add(self.optimizer.masters, update)
        return total, tokens

    def _advice(self, update: int, problem: str) -> str:
        kept = checkpoints(self.directory / "checkpoints")
        good = f"the last good checkpoint is {kept[-1]}" if kept else "there is no checkpoint from before it"
        return (
            f"training stopped at update {update}: {problem}; {good}. Start again with a lower "
            "--training.schedule.learning_rate, a longer --training.schedule.warmup, or --training.precision float32"
        )

    def _differentiate(self, share: tuple[Batch, int]) -> tuple[Sequence[Tensor | None], float, int]:
        """Teacher forcing; a share of a batch and a seed → gradients of its summed loss, plain loss (a sum), tokens."""
        batch, seed = share
        output = self.model.output_layer
        batch = batch.to(output.weight.device)
        with drawing_from(seed):
            features = self.model.features(batch)
        targets = batch.target_out[batch.target_mask]
        loss, likelihood = label_smoothed_loss(features, output.weight, targets, self.config.label_smoothing)
        gradients = torch.autograd.grad(loss, self.optimizer.parameters, allow_unused=True)
        return gradients, float(likelihood.detach()), len(targets)

    def _report(self, meter: Meter) -> None:
        """A line of metrics: means and sums since the last one."""
        progress = self.progress
        numbers = {
            "update": progress.update,
            "epoch": progress.position.epoch,
            "seconds": round(progress.seconds, 3),
            "learning_rate": self.schedule(progress.update),
            "loss": progress.loss_sum / max(1, progress.tokens),
            "target_tokens": progress.tokens,
            "target_tokens_per_second": round(meter.speed(), 1),
        }
        progress.loss_sum, progress.tokens = 0.0, 0
        self.metrics.write(numbers)
        updates = self._updates_left()
        self.display.update(numbers, meter.remaining(updates, -(-updates // self.config.validate_every)))

    def _updates_left(self) -> int:
        """As far as it can be told: how many updates an epoch has is known once one is over."""
        config, progress = self.config, self.progress
        end = config.max_updates
        if config.max_epochs is not None and progress.position.epoch > 0:
            end = min(end, progress.update * config.max_epochs // progress.position.epoch)
        return max(0, end - progress.update)

    def is_over(self) -> bool:
        """Whether updates, epochs or patience are used up; on a resumed run before anything is computed too."""
        config, progress = self.config, self.progress
        return (
            progress.update >= config.max_updates
            or (config.max_epochs is not None and progress.position.epoch >= config.max_epochs)
            or (config.patience is not None and progress.stale >= config.patience)
        )

    def _validate(self) -> None:
        """Scores the weights, keeps a snapshot for the average, and counts patience."""
        progress, config = self.progress, self.config
        weights = self.weights()
        numbers = self.validate(weights)
        if not all(math.isfinite(value) for value in numbers.values()):
            raise TrainingError(self._advice(progress.update, f"the dev set's loss is {numbers.get('dev_loss')}"))
        score = -numbers[config.metric] if config.metric == "dev_loss" else numbers[config.metric]
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
        self.model.train()

    def weights(self) -> Weights:
        """The weights to judge and to keep: the running mean where there is one, else the newest."""
        return self.running_mean.weights if self.running_mean is not None else self.optimizer.masters

    def _keep_snapshot(self, weights: Weights, score: float) -> None:
        scores = self.progress.scores
        save_snapshot(self.directory / "snapshots", self.progress.update, weights)
        scores[str(self.progress.update)] = score
        kept = kept_snapshots(scores, self.config.averaging)
        self.progress.scores = {update: value for update, value in scores.items() if int(update) in kept}

    def _checkpoint(self) -> None:
        """Writes everything that a resumed run needs, and only then deletes what no checkpoint asks for any more."""
        tensors = self.optimizer.tensors()
        if self.running_mean is not None:
            tensors |= {f"mean.{name}": weight for name, weight in self.running_mean.weights.items()}
        save_checkpoint(self.directory / "checkpoints", self.progress, tensors)
        directory = self.directory / "snapshots"
        kept = {snapshot_path(directory, int(update)) for update in self.progress.scores}
        remove_listed(directory, [path.name for path in directory.glob("update-*.safetensors") if path not in kept])
