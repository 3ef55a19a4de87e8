"""The settings of a training."""

from typing import Literal

from pydantic import Field

from polyhead.config import Config
from polyhead.limits import MOST_COUNTED, MOST_MINUTES, MOST_THREADS
from polyhead.training.averaging import AveragingConfig
from polyhead.training.optimizer import OptimizerConfig
from polyhead.training.precision import Precision
from polyhead.training.schedule import ScheduleConfig


class TrainingConfig(Config):
    """How long, how fast and how carefully to train."""

    max_updates: int = Field(default=100_000, ge=1, le=MOST_COUNTED)
    """Updates of the weights after which training ends."""
    max_epochs: int | None = Field(default=None, ge=1, le=MOST_COUNTED)
    """Passes over the corpus after which training ends, if that is sooner."""
    minutes: float | None = Field(default=None, gt=0, le=MOST_MINUTES)
    """Minutes after which training ends, if that is sooner, those of reading and of the final scores included."""
    min_delta: float | None = Field(default=None, ge=0, lt=1)
    """Training ends once it has stopped learning: when the mean score of the validations in the newest quarter of all
    updates is not by this share better than that of the quarter before. Unset: it goes on to a limit."""
    label_smoothing: float = Field(default=0.1, ge=0, lt=1)
    """Label smoothing ε_ls (Vaswani et al. 2017, section 5.4)."""
    optimizer: OptimizerConfig = OptimizerConfig()
    schedule: ScheduleConfig = ScheduleConfig()
    averaging: AveragingConfig = AveragingConfig()
    precision: Precision = "auto"
    """float32; bfloat16 with float32 master weights; int8, one of these with products of 8-bit whole numbers; or auto:
    what the hardware multiplies fastest."""
    workers: int = Field(default=1, ge=1, le=MOST_THREADS)
    """Shares that every batch is cut into, differentiated at the same time by threads with CPU cores of their own."""
    sharded: bool = False
    """Divide the model among the processes that train it (FSDP2): each holds only a part of the weights, gradients and
    moments. For models that don't fit one device; checkpoints are written in parts, too."""
    validate_every: int = Field(default=500, ge=1, le=MOST_COUNTED)
    """Updates between validations; each takes a snapshot and a checkpoint."""
    metric: Literal["dev_bleu", "dev_chrf", "dev_loss"] = "dev_bleu"
    """What decides which weights are best."""
    patience: int | None = Field(default=None, ge=1, le=MOST_COUNTED)
    """Validations without a new best after which training ends at once; none: never."""
    log_every: int = Field(default=50, ge=1, le=MOST_COUNTED)
    """Updates between lines of metrics."""
