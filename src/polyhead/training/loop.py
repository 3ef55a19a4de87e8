"""The training loop: batches in, better weights out, able to stop and go on at any update.

Everything that changes from update to update is in `Progress`, the optimizer and the running mean. A checkpoint holds
exactly these, and chance follows from the seed and the update's number, so a resumed run computes the same numbers.
"""

import math
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field

import torch

from polyhead.batch import Batch
from polyhead.data.loader import Position
from polyhead.errors import TrainingError, counted
from polyhead.memory.freed import trimmed
from polyhead.training.averaging import RunningMean
from polyhead.training.checkpoint import Progress
from polyhead.training.config import TrainingConfig
from polyhead.training.course import Course
from polyhead.training.divergence import LossWatch
from polyhead.training.ending import Budget
from polyhead.training.interrupt import Interrupt, Interrupted
from polyhead.training.judging import Judge, Part, Weights
from polyhead.training.log import Display, duration
from polyhead.training.meter import Meter
from polyhead.training.optimizer import Optimizer
from polyhead.training.output import Output
from polyhead.training.parallel import seed_of
from polyhead.training.schedule import Schedule
from polyhead.training.shares import Collecting, TooLarge
from polyhead.training.state import tensors_of
from polyhead.training.world import ALONE, World, of_process_0

Batches = Generator[tuple[Position, Batch], None, None]
"""An endless sequence of batches, each with the position after it."""
Stream = Callable[[Position, int | None], Batches]
"""The position to begin at, and the number of epochs with BPE dropout (None: the recipe's) → the batches from there."""

FORETOLD = 2
"""The line of metrics after which the end is announced, as the pace of one line alone is not sure."""


@dataclass
class Trainer:
    """One training run. Shapes: B batch, S source, T target, V vocabulary."""

    differentiation: Collecting
    """What gives the optimizer its gradients."""
    optimizer: Optimizer
    words: int
    """V, the size of the target vocabulary."""
    schedule: Schedule
    stream: Stream
    judge: Judge
    config: TrainingConfig
    output: Output
    display: Display
    progress: Progress
    interrupt: Interrupt
    world: World = ALONE
    """The processes that train together. What a clock, a signal or a validation decides is the same for all of them."""
    seed: int = 1
    """Decides dropout, together with the number of the update."""
    running_mean: RunningMean | None = None
    budget: Budget | None = None
    """The time of a run that may take only so many minutes; None: there is no such limit."""
    course: Course = field(init=False)
    """When the run ends."""
    _reports: int = field(default=0, init=False)
    """How many lines of metrics this sitting has written."""

    def __post_init__(self) -> None:
        self.course = Course(self.config, self.progress, self.display, self.budget)
        self.course.consider_limits()

    def run(self) -> bool:
        """Trains until done (True) or interrupted (False); either way a checkpoint stands on disk.

        Raises TrainingError when the loss is no number or explodes; the last good checkpoint is kept.
        """
        watch = LossWatch(self.words)
        progress, meter = self.progress, Meter(self.progress.seconds)
        progress.unjudged |= self.course.is_over() and progress.has_news  # resumed with a limit that is reached already
        progress.finished = self.course.is_done()
        if progress.finished and not progress.scores:
            with suppress(Interrupted):
                self._validate()
            if not progress.scores:
                return False
        while not progress.finished:
            with closing(self.stream(progress.position, progress.sampled_epochs)) as batches:
                if not self._train(batches, watch, meter):
                    return False
        self.course.advise()
        return True

    def _train(self, batches: Batches, watch: LossWatch, meter: Meter) -> bool:
        """Trains until done, until the end begins, or until interrupted (False)."""
        progress = self.progress
        last = progress.last
        while not progress.finished and progress.last == last:
            if not progress.unjudged:
                self._advance(batches, watch, meter)
            if to_be_judged := progress.unjudged:
                self._judge(meter)
            asked = self._is_asked_to_stop()
            if asked and not to_be_judged:
                self.optimizer.check_alike(progress.update)
                self._checkpoint()
            if asked and not progress.finished:
                return False
        return True

    def _is_asked_to_stop(self) -> bool:
        """Whether any process is asked to stop."""
        return any(self.world.all_reduce([self.interrupt.requested or self.world.is_to_stop()]))

    def _advance(self, batches: Batches, watch: LossWatch, meter: Meter) -> None:
        """Makes one update, and writes a line of metrics if one is due."""
        progress = self.progress
        loss, tokens = self._update(batches, watch)
        meter.add(tokens)
        progress.loss_sum, progress.tokens = progress.loss_sum + loss, progress.tokens + tokens
        progress.seconds = of_process_0(self.world, meter.seconds())
        if progress.update % self.config.log_every == 0:
            self._report(meter)
        self.course.consider_limits()
        progress.unjudged = self.course.is_to_be_judged()

    def _judge(self, meter: Meter) -> None:
        """Validates and writes a checkpoint. A signal ends the validating at once; it is done again on resuming."""
        self.optimizer.check_alike(self.progress.update)
        with suppress(Interrupted), trimmed():
            self.course.validation_seconds = of_process_0(self.world, meter.validation(self._validate))
            self.course.consider_learning()
        self.progress.seconds = of_process_0(self.world, meter.seconds())
        self.progress.finished = self.course.is_done()
        self._checkpoint()

    def _update(self, batches: Batches, watch: LossWatch) -> tuple[float, int]:
        """Makes one step of the optimizer → plain loss (a sum, in nats) and the number of target tokens."""
        torch.manual_seed(seed_of(self.seed, self.progress.update))
        taken = [next(batches) for _ in range(self.config.optimizer.accumulation)]
        self.progress.position = taken[-1][0]
        total, tokens = self._collect([batch for _, batch in taken])
        update = self.progress.update + 1
        norm = self.optimizer.step(self.schedule(update, self.progress.last), tokens)
        problem = watch.problem(total / tokens, norm)
        if problem is not None:
            raise TrainingError(self._advice(update, problem))
        self.progress.update = update
        if self.running_mean is not None:
            self.running_mean.add(self.optimizer.masters, update)
        return total, tokens

    def _collect(self, batches: Sequence[Batch]) -> tuple[float, int]:
        """Collects the gradients of an update, its batches cut into as many parts as the memory asks for."""
        progress, update = self.progress, self.progress.update

        def seed(share: int) -> int:
            return seed_of(self.seed, update, share)

        try:
            found = self.differentiation.collect(batches, seed, progress.rounds)
        except TooLarge as error:
            raise TrainingError(f"update {update + 1}: {error}; {self.output.last_good()}") from None
        if found.rounds > progress.rounds:
            progress.rounds = found.rounds
            self.display.message(f"update {update + 1} did not fit the memory: {found.advice}")
        return found.loss, found.tokens

    def _advice(self, update: int, problem: str) -> str:
        return (
            f"training stopped at update {update}: {problem}; {self.output.last_good()}. Start again with a lower "
            "--training.schedule.learning_rate, a longer --training.schedule.warmup, or --training.precision float32"
        )

    def _report(self, meter: Meter) -> None:
        """Writes a line of metrics: means and sums since the line before."""
        progress = self.progress
        numbers = {
            "update": progress.update,
            "epoch": progress.position.epoch,
            "seconds": round(progress.seconds, 3),
            "learning_rate": self.schedule(progress.update, progress.last),
            "loss": progress.loss_sum / max(1, progress.tokens),
            "target_tokens": progress.tokens,
            "target_tokens_per_second": round(meter.speed(), 1),
        }
        progress.loss_sum, progress.tokens = 0.0, 0
        self.output.metrics(numbers)
        updates = (last := self.course.expected) - progress.update
        remaining = meter.remaining(updates, -(-updates // self.config.validate_every))
        self.display.update(numbers, remaining)
        self._reports += 1
        if self._reports == FORETOLD and progress.last is None and remaining is not None:
            sooner = "; sooner if it stops learning" if self.config.min_delta is not None else ""
            self.display.message(f"training ends at update {last:,}, in about {duration(remaining)}{sooner}")

    def _validate(self) -> None:
        """Scores the weights, keeps a snapshot for the average, and counts patience."""
        progress, config = self.progress, self.config
        weights = self.weights()
        numbers = self._scores(weights)
        if not all(math.isfinite(value) for value in numbers.values()):
            raise TrainingError(self._advice(progress.update, f"the dev set's loss is {numbers.get('dev_loss')}"))
        score = -numbers[config.metric] if config.metric == "dev_loss" else numbers[config.metric]
        self.output.metrics({"update": progress.update, "epoch": progress.position.epoch, **numbers})
        best = progress.best_score is None or score > progress.best_score
        if best:
            progress.best_score, progress.best_update, progress.stale = score, progress.update, 0
        else:
            progress.stale += 1
        if progress.last is None or not self.course.ending.decay:
            progress.history.append((progress.update, score))
        self.output.snapshot(progress, weights, score)
        shown = " · ".join(f"{name} {value:.3f}" for name, value in numbers.items())
        self.display.message(f"update {progress.update} · {shown}{' · best so far' if best else ''}")
        if best:
            self.output.best(weights)
        progress.unjudged, progress.judged = False, progress.update
        if config.patience is not None and progress.stale >= config.patience:
            self.display.message(f"no better for {counted(progress.stale, 'validation')}: training ends")

    def _scores(self, weights: Weights) -> dict[str, float]:
        """Judges weights, every process a part. Raises Interrupted, in all processes, where one is asked to stop."""
        own: Part | None = None
        with suppress(Interrupted), self.interrupt.at_once():
            own = self.judge.part(weights)
        parts = [part for part in self.world.all_gather(own) if part is not None]
        if len(parts) < self.world.size:
            raise Interrupted
        return self.world.broadcast(self.judge.scores(parts))

    def weights(self) -> Weights:
        """The weights to judge and to keep, whole: the running mean where there is one, else the newest."""
        averaged = self.averaged()
        return self.optimizer.whole(self.optimizer.masters) if averaged is None else averaged

    def averaged(self) -> Weights | None:
        """The running mean, whole, where there is one; to be asked for in all processes."""
        return None if self.running_mean is None else self.optimizer.whole(self.running_mean.weights)

    def _checkpoint(self) -> None:
        """Writes everything that a resumed run needs."""
        self.output.checkpoint(self.progress, tensors_of(self.optimizer, self.running_mean))
        self.world.kept(self.progress.in_numbers())
