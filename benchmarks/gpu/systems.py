"""What is measured on a GPU, and the Python that each peer runs in: only what is installed takes part."""

from importlib.util import find_spec
from pathlib import Path

from benchmarks.environments import Environment, InstallationError, own_python, standing
from benchmarks.plan import Say
from benchmarks.systems import OURS, Setting, System

ITS_MODULE = {"eole": "eole", "huggingface": "transformers"}
"""Environment → what is imported in it."""
CPU_FLOAT32 = "CPU engine, float32"
"""The setting whose translations the others' are compared with: those of our plain float32 model."""


def training_systems(device: str, bfloat16: bool) -> tuple[System, ...]:
    """Ours as it chooses by itself; the peers with bfloat16 autocast where the device multiplies that."""
    ours = Setting("auto", {"precision": "auto", "device": device})
    name, precision = ("bf16 autocast", "bf16-autocast") if bfloat16 else ("float32", "float32")
    theirs = (Setting(name, {"precision": precision, "device": device}),)
    return (
        System(OURS, None, "polyhead_training.py", (ours,)),
        System("Eole", "eole", "eole_training.py", theirs),
        System("Hugging Face", "huggingface", "huggingface_training.py", theirs),
        System("torch.nn.Transformer", None, "torch_training.py", theirs),
    )


def translation_systems(device: str, bfloat16: bool, tokens: int, sentences: int) -> tuple[System, ...]:
    """Ours as it translates on a CPU, which comes first, then on the device; Hugging Face with the same weights.

    tokens, sentences: decoded together by our plain model, and by a peer
    """
    cpu = Setting(CPU_FLOAT32, {"engine": "auto", "dtype": "float32", "patience": 1})
    formats = ("bfloat16", "float32") if bfloat16 else ("float32",)

    def on_device(precision: str) -> dict[str, object]:
        return {"precision": precision, "device": device, "patience": 1, "batch_tokens": tokens}

    return (
        System(OURS, None, "polyhead_translation.py", (cpu,)),
        *(
            System(OURS, None, "polyhead_translation.py", (Setting(f"plain model, {each}", on_device(each)),))
            for each in formats
        ),
        System(
            "Hugging Face",
            "huggingface",
            "huggingface_translation.py",
            (Setting(formats[0], {"precision": formats[0], "device": device}, batches=(sentences,)),),
            "huggingface",
        ),
    )


def installed(environment: Environment, folder: Path, say: Say) -> Path:
    """The Python of a peer's environment, or the one that runs this where the peer is installed there.

    Nothing is installed: the machine may reach no network. Raises InstallationError where the peer is nowhere.
    """
    del say
    if (python := standing(environment, folder)) is not None:
        return python
    module = ITS_MODULE[environment.name]
    if find_spec(module) is not None:
        return own_python()
    raise InstallationError(
        f"{module} is installed neither in {folder / environment.name} nor beside polyhead; call this with --install "
        "where there is a network"
    )
