"""Where in a model directory a run writes."""

CHECKPOINTS = "training/checkpoints"
WRITTEN_BY_TRAINING = ("", "training", CHECKPOINTS, "training/snapshots")
"""The folders of a model directory in which a training writes."""
WRITTEN_BY_DISTILLING = ("distilled", "distilled/shards")
"""The further folders of a model directory in which a distillation writes."""
