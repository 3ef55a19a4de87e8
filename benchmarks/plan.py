"""How much is measured: everything, or what fits into five minutes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

Say = Callable[[str], None]
SizeName = Literal["tiny", "small", "base"]
TextName = Literal["multi30k", "tatoeba", "pydocs"]
PeerName = Literal["CTranslate2", "Eole", "Hugging Face", "JoeyNMT", "Sockeye", "pymarian", "torch.nn.Transformer"]
Task = Literal["models", "floor", "training", "translation", "bleu"]


@dataclass(frozen=True)
class Plan:
    """Amounts. A round is one turn of every system."""

    name: str
    tasks: tuple[Task, ...]
    """What is done unless something else is asked for."""
    training_sizes: tuple[str, ...]
    translations: tuple[tuple[str, str], ...]
    """Test set and size of the model that translates it."""
    all_settings: bool
    """Whether every setting of a system is tried, or only the first that works."""
    probed: float
    """Seconds in which each setting shows how fast it is; 0: one turn."""
    rounds: int
    warm_up: int
    """Training updates before anything counts; PyTorch traces, compiles and allocates in them."""
    updates: int
    """Training updates a turn."""
    sentences: int
    """Of each test set, translated together."""
    single_sentences: int
    """Of them, translated one by one for the latency."""
    beams: tuple[int, ...]
    seconds: float
    """After which a single turn is broken off and its system left out."""
    budget: float
    """Seconds of turns after which a slow system takes no more of them."""
    peers: tuple[str, ...] = ()
    """All where none is named."""

    @property
    def translation_sizes(self) -> tuple[str, ...]:
        """Each once."""
        return tuple(dict.fromkeys(size for _, size in self.translations))

    def limited_to(self, sizes: Sequence[str] = (), texts: Sequence[str] = (), peers: Sequence[str] = ()) -> "Plan":
        """The plan for some sizes of model, test sets and peers alone; for all where none is named."""
        kept = tuple(
            (text, size)
            for text, size in self.translations
            if (not sizes or size in sizes) and (not texts or text in texts)
        )
        return replace(self, training_sizes=tuple(sizes) or self.training_sizes, translations=kept, peers=tuple(peers))


FULL = Plan(
    name="full",
    tasks=("models", "floor", "training", "translation"),
    training_sizes=("tiny", "small", "base"),
    translations=(
        ("multi30k", "tiny"),
        ("multi30k", "small"),
        ("multi30k", "base"),
        ("tatoeba", "small"),
        ("pydocs", "small"),
    ),
    all_settings=True,
    probed=6.0,
    rounds=5,
    warm_up=3,
    updates=4,
    sentences=1000,
    single_sentences=50,
    beams=(1, 5),
    seconds=600.0,
    budget=400.0,
)
QUICK = Plan(
    name="quick",
    tasks=("floor", "training", "translation"),
    training_sizes=("tiny",),
    translations=(("multi30k", "tiny"),),
    all_settings=False,
    probed=0.0,
    rounds=3,
    warm_up=2,
    updates=2,
    sentences=200,
    single_sentences=10,
    beams=(1, 5),
    seconds=60.0,
    budget=15.0,
)


@dataclass(frozen=True)
class Places:
    """Where things are."""

    data: Path
    """The corpora."""
    cache: Path
    """What is made once and kept: batches, exported models, logs."""
    environments: Path
    """The peers' virtual environments."""
    models: Path
    """Trained models to translate with, `TEST SET-SIZE` each, such as `multi30k-small`."""
    out: Path
    """Where the results go."""
