"""Commands that train by several processes: what they are given, what they say, and what they leave."""

import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import tomli_w


def recipe(toy, out: str, **keys) -> str:
    """Writes a recipe for the toy corpus → its path."""
    file = toy.directory / f"{out}.toml"
    keys = {"training__max_updates": 60, "training__validate_every": 10, "model__dropout": 0.2, **keys}
    file.write_text(tomli_w.dumps(toy.values(out, **keys)))
    return str(file)


def weights(directory: Path) -> bytes:
    """The file of a model's weights."""
    return (directory / "model.safetensors").read_bytes()


@dataclass
class Launch:
    """A command that runs, and what it has said."""

    process: subprocess.Popen
    file: Path
    """Where its output goes."""
    patience: float
    """Seconds after which it is taken to hang."""

    @property
    def said(self) -> str:
        """All that was said until now."""
        return self.file.read_text(encoding="utf-8")

    @property
    def sentences(self) -> list[str]:
        """How polyhead said that it ended: not what the launcher says of that."""
        return [line for line in self.said.splitlines() if line.startswith("polyhead: ")]

    def until(self, words: str, times: int = 1) -> None:
        """Waits until that is said so often."""
        end = time.monotonic() + self.patience
        while self.said.count(words) < times:
            assert time.monotonic() < end, f"{words!r} is not said, but {self.said}"
            assert self.process.poll() is None, self.said
            time.sleep(0.01)

    def status(self) -> int:
        """Waits for the end."""
        return self.process.wait(self.patience)
