"""Ways in which a file is damaged: what disks, copying and people do to files."""

import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

Change = Callable[[bytes, random.Random], bytes]
"""A file's bytes, and where chance comes from → its bytes once it is damaged."""


@dataclass(frozen=True)
class Damage:
    """One way, at one place."""

    way: str
    seed: str
    """Decides the place."""

    def do(self, path: Path, other: Path) -> bool:
        """Damages a file → whether it is another one now. other: the same file of another model."""
        before = path.read_bytes()
        if self.way == "deleted":
            path.unlink()
            return True
        if self.way == "that of another model":
            if not other.exists():
                return False
            shutil.copyfile(other, path)
        else:
            path.write_bytes(CHANGES[self.way](before, random.Random(self.seed)))
        return path.read_bytes() != before


def _flipped(content: bytes, draw: random.Random) -> bytes:
    changed = bytearray(content)
    if changed:
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _zeroed(size: int) -> Change:
    """A block of `size` bytes, as disks have them, or what the file has of it."""

    def change(content: bytes, draw: random.Random) -> bytes:
        start = draw.randrange(-(-len(content) // size)) * size if content else 0
        return content[:start] + bytes(min(size, len(content) - start)) + content[start + size :]

    return change


CHANGES: dict[str, Change] = {
    "cut to nothing": lambda content, draw: b"",
    "cut to a byte": lambda content, draw: content[:1],
    "cut in half": lambda content, draw: content[: len(content) // 2],
    "without its last byte": lambda content, draw: content[:-1],
    "with more at its end": lambda content, draw: content + draw.randbytes(16),
    "a bit flipped": _flipped,
    "a block of 512 bytes zeroed": _zeroed(512),
    "a block of 4096 bytes zeroed": _zeroed(4096),
}
ONCE = ["cut to nothing", "cut to a byte", "cut in half", "without its last byte", "with more at its end", "deleted"]
OFTEN = {"a bit flipped": 5, "a block of 512 bytes zeroed": 2, "a block of 4096 bytes zeroed": 1}


def damages(file: str, seed: int) -> Iterator[Damage]:
    """A campaign against one file."""
    for way in [*ONCE, "that of another model"]:
        yield Damage(way, f"{seed} {file} {way}")
    for way, number in OFTEN.items():
        for count in range(number):
            yield Damage(way, f"{seed} {file} {way} {count}")


def a_damage(file: str, seed: int) -> Damage:
    """One of them."""
    draw = random.Random(f"{seed} {file}")
    return draw.choice(list(damages(file, seed)))
