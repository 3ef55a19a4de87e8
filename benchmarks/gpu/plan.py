"""How much is measured in eight minutes on a GPU, and how little where the command is only tried."""

from dataclasses import dataclass, replace

from benchmarks.plan import QUICK, Plan


@dataclass(frozen=True)
class Amounts:
    """Of one call."""

    plan: Plan
    """What the runner of drivers is told."""
    minutes: float
    """After which no further part begins."""
    equality_seconds: float
    """The most that the equality tests may take."""
    training_seconds: float
    """Of training for each size, shared out among all systems."""
    max_tokens: int
    """The most tokens in a training batch, padding included; the paper has about as many on each side."""
    pairs: int
    """Of the made-up corpus, where there is no other."""
    translation_tokens: int
    """Padded source tokens × hypotheses that our plain model decodes together."""
    translation_sentences: int
    """That a peer decodes together."""
    translation_rounds: int
    """Turns of each system with each search."""
    judged_sentences: int
    """Held-out sentences whose likelihood says what was learnt."""


FULL = Amounts(
    plan=replace(
        QUICK,
        name="gpu",
        training_sizes=("tiny", "base"),
        rounds=3,
        warm_up=20,
        updates=10,
        sentences=300,
        seconds=120.0,
    ),
    minutes=8.0,
    equality_seconds=150.0,
    training_seconds=60.0,
    max_tokens=25_000,
    pairs=30_000,
    translation_tokens=16_384,
    translation_sentences=256,
    translation_rounds=2,
    judged_sentences=400,
)
TRIAL = Amounts(
    plan=replace(
        QUICK,
        name="trial",
        training_sizes=("tiny",),
        rounds=2,
        warm_up=1,
        updates=1,
        sentences=4,
        seconds=300.0,
    ),
    minutes=20.0,
    equality_seconds=500.0,
    training_seconds=8.0,
    max_tokens=400,
    pairs=400,
    translation_tokens=256,
    translation_sentences=4,
    translation_rounds=1,
    judged_sentences=8,
)
"""For `--quick`: it shows that the command works, also where other work slows it; its figures say nothing."""
