"""What is measured: every system, how it is started, and the settings among which it shows its best one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from polyhead.hardware import multiplies_bfloat16

OURS, FLOOR = "polyhead", "floor"


@dataclass(frozen=True)
class Setting:
    """One way to run a system."""

    name: str
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What its driver is told."""
    threads: int | None = None
    """Threads within one operation, if fewer than the machine has."""
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    """Environment variables."""
    batches: tuple[int | None, ...] = (None,)
    """For translation: sentences in a batch to choose from; None is the system's own way."""
    in_bfloat16: bool = False
    """Left out where the CPU has no such products: emulated, one turn may take an hour."""


@dataclass(frozen=True)
class System:
    """A program that trains or translates."""

    name: str
    environment: str | None
    """Its virtual environment; None for the one that this runs in."""
    script: str
    """Its driver, in `drivers/`."""
    settings: tuple[Setting, ...]
    """The one that is expected to be the best comes first: a quick run tries no other."""
    model: str = "."
    """For translation: the folder with the weights in its format, below the exported model."""
    variant_of: str | None = None
    """For translation: a system that this one is, but for its beam search; all else is measured there."""

    def takes_part(self, beam_size: int) -> bool:
        """Whether a search by so many hypotheses is measured."""
        return self.variant_of is None or beam_size > 1


AUTOCAST = Setting("bf16 autocast", {"precision": "bf16-autocast"}, in_bfloat16=True)
PRODUCTS = Setting("float32, products in bf16", {"precision": "bf16-products"}, in_bfloat16=True)
FLOAT32 = Setting("float32", {"precision": "float32"})
DTYPES = ("float32", "int8")
"""Of our prepared engine."""
PYTORCH = (AUTOCAST, PRODUCTS, FLOAT32)

TRAINING = (
    System(OURS, None, "polyhead_training.py", (Setting("auto", {"precision": "auto"}), FLOAT32)),
    System("torch.nn.Transformer", "huggingface", "torch_training.py", PYTORCH),
    System("Hugging Face", "huggingface", "huggingface_training.py", PYTORCH),
    System("JoeyNMT", "joeynmt", "joeynmt_training.py", PYTORCH),
    System("Eole", "eole", "eole_training.py", PYTORCH),
    System("Sockeye", "sockeye", "sockeye_training.py", (FLOAT32, PRODUCTS, AUTOCAST)),
    System(
        "pymarian",
        "pymarian",
        "marian_training.py",
        # Its MKL takes the slowest way on processors of another make, so it may have small batches and a hint.
        (
            Setting("float32, batches of 500 words", {"words": 500}, threads=1),
            Setting("the same, MKL_DEBUG_CPU_TYPE=5", {"words": 500}, threads=1, variables={"MKL_DEBUG_CPU_TYPE": "5"}),
        ),
    ),
)


OUR_TRANSLATIONS = (
    Setting("auto", {"engine": "auto", "dtype": "auto", "patience": 1}),
    Setting("plain", {"engine": "plain", "dtype": "float32", "patience": 1}),
    *(Setting(f"prepared {dtype}", {"engine": "prepared", "dtype": dtype, "patience": 1}) for dtype in DTYPES),
)
"""With patience 1 a beam search ends as the peers' do …"""
TO_THE_END = Setting("auto, no patience", {"engine": "auto", "dtype": "auto", "patience": None})
"""… and without, as ours does unless told otherwise, when nothing can win any more."""


def taking_part(systems: tuple[System, ...], peers: Sequence[str]) -> tuple[System, ...]:
    """Ours, and those peers, or all of them where none is named; in the settings that this CPU has products for."""
    chosen = (each for each in systems if OURS in (each.name, each.variant_of) or not peers or each.name in peers)
    return tuple(
        replace(
            system, settings=tuple(each for each in system.settings if not each.in_bfloat16 or multiplies_bfloat16())
        )
        for system in chosen
    )


def translation_systems(cores: int) -> tuple[System, ...]:
    """The same for translation; CTranslate2 in every sensible split of the cores over workers."""
    return (
        System(
            OURS,
            None,
            "polyhead_translation.py",
            OUR_TRANSLATIONS,
        ),
        System(f"{OURS}, to the end", None, "polyhead_translation.py", (TO_THE_END,), variant_of=OURS),
        System("CTranslate2", "ctranslate2", "ctranslate2_translation.py", ctranslate2_settings(cores), "ctranslate2"),
        System(
            "Hugging Face",
            "huggingface",
            "huggingface_translation.py",
            (
                Setting("bfloat16", {"precision": "bfloat16"}, batches=(64, 32), in_bfloat16=True),
                Setting("float32", {"precision": "float32"}, batches=(64, 32)),
            ),
            "huggingface",
        ),
        System(
            "JoeyNMT",
            "joeynmt",
            "joeynmt_translation.py",
            (
                Setting("bf16 autocast", {"precision": "bf16-autocast"}, batches=(64, 32), in_bfloat16=True),
                Setting("float32", {"precision": "float32"}, batches=(64, 32)),
            ),
        ),
    )


LEFT_OUT = {
    "pymarian": "its decoder begins with a zero vector where ours reads <sos>: with our weights it writes no "
    "translations, and a figure for outputs of other lengths would say nothing"
}
"""Peers that cannot translate with the same weights, and why; the results say so."""


def ctranslate2_settings(cores: int) -> tuple[Setting, ...]:
    """int8 and float32, each with all cores as workers of one thread, one worker of all threads, and halfway."""
    splits = {(cores, 1), (1, cores), (max(1, cores // 2), 2 if cores > 1 else 1), (1, 1)}
    return tuple(
        Setting(
            f"{kind}, {workers} × {threads} threads",
            {"compute_type": kind, "inter_threads": workers, "intra_threads": threads},
            threads=threads,
            batches=(64, 32),
        )
        for kind in ("int8", "float32")
        for workers, threads in sorted(splits, reverse=True)
    )
