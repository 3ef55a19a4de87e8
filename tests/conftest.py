"""What every test shares: one thread, one seed, and the same hypothesis examples on every run."""

import gc
import os
import random
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# One thread a process, libraries loaded by subprocesses included: pytest-xdist already uses the cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
import torch
from hypothesis import settings

torch.set_num_threads(1)

# Who starts tests in the background of a script may have told them to ignore signals; what they start inherits that.
for _number, _usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_number) == signal.SIG_IGN:
        signal.signal(_number, _usual)
settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("searching", deadline=None, max_examples=400)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_collection_finish() -> None:
    """Garbage collection looks through what a test makes, and no longer through PyTorch and thousands of tests."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def seed() -> None:
    """Each test starts from the same random state, whatever ran before it."""
    torch.manual_seed(0)


WORDS = tuple("bado kilu mera noti pasu rovi sela tugo vani zeko fimo gura hepi jola wuto".split())  # noqa: SIM905
LATER = {"b": "k", "k": "b", "m": "n", "n": "m", "p": "t", "t": "p", "s": "z", "z": "s", "a": "o", "o": "a"}


@dataclass(frozen=True)
class Toy:
    """A toy language pair, translated word by word, and recipes that train on it in a second or two."""

    directory: Path

    def source(self, number: int, seed: int = 0) -> list[str]:
        """Distinct sentences of two to six words."""
        draw = random.Random(seed)
        found: dict[str, None] = {}
        while len(found) < number:
            found[" ".join(draw.choice(WORDS) for _ in range(draw.randint(2, 6)))] = None
        return list(found)

    def target(self, source: str) -> str:
        """The translation: each word spelled otherwise."""
        return "".join(LATER.get(letter, letter) for letter in source)

    def write(self, name: str, number: int, seed: int = 0) -> dict[str, str]:
        """Writes aligned files and returns the reader that reads them."""
        paths = self.directory / f"{name}.source", self.directory / f"{name}.target"
        lines = self.source(number, seed)
        paths[0].write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        paths[1].write_text("".join(f"{self.target(line)}\n" for line in lines), encoding="utf-8")
        return {"kind": "lines", "source": str(paths[0]), "target": str(paths[1])}

    def write_named(self, name: str, number: int, seed: int = 0) -> dict[str, str]:
        """`write`, into files that are English and Korean by their names."""
        reader = self.write(name, number, seed)
        for side, code in (("source", "en"), ("target", "ko")):
            reader[side] = str(Path(reader[side]).rename(self.directory / f"{name}.{code}"))
        return reader

    def values(self, out: str = "model", **keys: Any) -> dict[str, Any]:
        """A recipe's tables; `training__max_updates=5` sets training.max_updates."""
        from polyhead.recipe.load import merge, put

        values: dict[str, Any] = {
            "out": str(self.directory / out),
            "threads": 1,
            "data": {
                "train": [self.write("train", 150)],
                "dev": [self.write("dev", 12, seed=1)],
                "batching": {"max_tokens": 200},
            },
            "tokenizer": {"kind": "word"},
            "model": {"encoder_layers": 1, "decoder_layers": 1, "d_model": 16, "d_ff": 32, "num_heads": 2},
            "training": {
                "max_updates": 20,
                "validate_every": 8,
                "log_every": 3,
                "precision": "float32",
                "schedule": {"kind": "constant", "learning_rate": 0.01, "warmup": 10},
            },
            "decoding": {"beam_size": 2},
        }
        for key, value in keys.items():
            changed: dict[str, Any] = {}
            put(changed, key.split("__"), value)
            values = merge(values, changed)
        return values


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    """The toy language pair, its files in a directory of this test's own."""
    return Toy(tmp_path)


@pytest.fixture(scope="session")
def toy_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that has learnt the toy pair fairly well; no text above 20 tokens fits it."""
    from polyhead.recipe.train import train

    toy = Toy(tmp_path_factory.mktemp("toy"))
    values = toy.values(
        data__train=[toy.write("train", 300)],
        data__batching__max_tokens=600,
        data__source_language="xa",
        data__target_language="xb",
        tokenizer={"kind": "bpe", "vocabulary_size": 320},
        model__d_model=32,
        model__d_ff=64,
        model__dropout=0.0,
        model__max_length=20,
        training__max_updates=300,
        training__validate_every=150,
        training__log_every=50,
        training__averaging={"kind": "none"},
    )
    return train(values).directory


@pytest.fixture(scope="session")
def tagged_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hardly trained model of two target languages, xb and xc."""
    from polyhead.recipe.train import train

    toy = Toy(tmp_path_factory.mktemp("tagged"))
    readers = [
        {**toy.write(language, 60, seed), "target_language": language} for seed, language in enumerate(("xb", "xc"))
    ]
    return train(toy.values(data__train=readers, data__dev=readers, training__max_updates=4)).directory
