"""The largest numbers that settings, files and commands may hold.

Nobody who means to translate comes near them. They are there so that a damaged or hostile file, or a slip of the
keyboard, is refused in a sentence before it costs memory or time.
"""

import os
from collections.abc import Mapping

from polyhead.container import memory_limit

MOST_LAYERS = 1_000
"""Layers of an encoder or a decoder."""
MOST_RECURRENT_LAYERS = 100
"""Layers of a recurrent network, which take PyTorch much longer to make."""
WIDEST = 65_536
"""The size of an embedding or a hidden state: d_model, hidden_size."""
WIDEST_INSIDE = 262_144
"""The inner size of a feed-forward network: d_ff."""
MOST_HEADS = 4_096
"""Attention heads of a layer."""
LONGEST = 1_000_000
"""Tokens of a source or a target."""
LARGEST_TABLE = 1 << 23
"""Numbers in a table of positions, max_length × d_model: 32 MiB, and a fraction of a second to compute."""
LARGEST_VOCABULARY = 1_000_000
"""Pieces of a vocabulary."""
WIDEST_BEAM = 1_000
"""Hypotheses of a beam: the memory of a search is this × sentences × vocabulary."""
MOST_TOKENS_DECODED = 262_144
"""Padded source tokens × hypotheses that are translated together."""
MOST_TOKENS_LEARNT = 4_000_000
"""Tokens of a batch in training, padding included."""
MOST_SENTENCES = 1_000_000
"""Sentences, texts or requests that are handled together."""
MOST_THREADS = 1_024
"""Threads of a process."""
MOST_MINUTES = 10_000_000
MOST_COUNTED = 1_000_000_000
"""The largest number that is only counted to and compared, so that it costs nothing: updates, epochs, characters."""
LARGEST_SEED = 2**63 - 1
"""The largest seed of random numbers, which TOML, NumPy and PyTorch all can hold."""
LARGEST_BYTES = 1 << 50
"""Bytes of memory that somebody may allow: 1 PiB."""
LONGEST_WAIT = 1_000_000
"""Seconds of a wait or a lifetime that settings may allow: eleven and a half days."""
LONGEST_TEXT = 4_096
"""Characters of a setting that is text, such as a language code."""
HEAVIEST = 1_000
"""The weight of a corpus: how often an epoch has each of its pairs."""
MOST_LISTED = 10_000
"""Entries of a list in settings."""

LARGEST_SETTINGS = 1 << 18
"""Bytes of a file of settings, such as a recipe or `config.json`."""
LARGEST_RECORD = 64 << 20
"""Bytes of a record that grows with training, such as `metrics.jsonl`, and of a part of a distilled corpus."""
LARGEST_KEY = 1 << 16
"""Bytes of a file with an API key."""
LARGEST_PIECES = 64 << 20
"""Bytes of a vocabulary file."""
LARGEST_HEADER = 8 << 20
"""Bytes of the header of a safetensors file; a model of 1,000 layers on both sides has about 5 MB."""
LARGEST_ARCHIVE = 1 << 29
"""Bytes of a document that is a zip archive, unpacked."""
LARGEST_PART = 64 << 20
"""Bytes of a part of a zipped document that is read as XML."""
MOST_PARTS = 20_000
"""Files in the zip archive of a document."""
LONGEST_LINE = 64 << 20
"""Bytes of a line of text, decompressed."""
MOST_EXPANSION, UNDOUBTED_EXPANSION = 200, 256 << 20
"""How many times its size a compressed file may become when it is read, and the bytes that any of them may become."""
LARGEST_DOCUMENT = 512 << 20
"""Bytes of a file that is read whole, since its format can't be read piece by piece."""
MOST_MEMBERS = 100_000
"""Files of a directory or an archive that are looked at."""
LONGEST_MESSAGE = 289
"""Characters of an error message: with the program's name before it that is below 300."""
DEEPEST = 20
"""Tables and lists within each other in a file of settings."""


def usable_memory() -> int | None:
    """Bytes of main memory that this process can have: the machine's, or fewer in a container; None if unknown."""
    known = [each for each in (_physical_memory(), memory_limit()) if each is not None]
    return min(known, default=None)


def _physical_memory() -> int | None:
    names: Mapping[str, int] = getattr(os, "sysconf_names", {})  # Windows has none
    if "SC_PHYS_PAGES" not in names or "SC_PAGE_SIZE" not in names:
        return None
    found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return found if found > 0 else None
