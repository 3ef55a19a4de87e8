"""The token ids of a stored text: what encoding in memory gives, made by several processes and mapped from its files.

The files of `EncodedCorpus`, and
kept.int64            [N] which of the pairs to learn from are encoded: all but those with too many tokens
source.spm target.spm the vocabularies
report.json           how many pairs were too long, where the first of them stands, and the longest source
"""

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from polyhead.data.encode import Encoder, EncodingReport
from polyhead.data.store import ARRAYS, EncodedCorpus
from polyhead.data.stored.arrays import mapped, write
from polyhead.data.stored.processes import Share
from polyhead.data.stored.room import check_free
from polyhead.data.stored.texts import ROWS, StoredPairs
from polyhead.limits import LARGEST_SETTINGS
from polyhead.reading import read_text
from polyhead.tokenizers.build import load
from polyhead.tokenizers.config import TokenizerConfig

KEPT, REPORT = "kept.int64", "report.json"
_SAMPLED = 1_000
"""How many pairs, about, are encoded to tell how much room all of them will take."""


def encode_all(texts: Path, encoder: Encoder, directory: Path, share: Share) -> None:
    """Writes the token ids of the pairs to learn from that a directory of texts holds into another directory."""
    pairs = StoredPairs(texts, mapped(texts / ROWS))
    check_free(directory, 2 * _bytes_of(pairs, encoder))  # the parts stay until they are joined
    encoder.source.save(directory / "source.spm")
    encoder.target.save(directory / "target.spm")
    parts = directory / "parts"
    parts.mkdir()
    task = {
        "task": "encode",
        "texts": str(texts),
        "tokenizers": [
            (str(directory / f"{side}.spm"), tokenizer.config.model_dump(mode="json"))
            for side, tokenizer in (("source", encoder.source), ("target", encoder.target))
        ],
        "tagged": encoder.tagged,
        "max_tokens": encoder.max_tokens,
    }
    reports = share(task, len(pairs), parts)
    folders = sorted(parts.iterdir())
    for name in ARRAYS:
        _join([folder / f"{name}.npy" for folder in folders], directory / f"{name}.npy")
    write(directory / KEPT, (mapped(folder / KEPT) for folder in folders))
    shutil.rmtree(parts)
    (directory / REPORT).write_text(json.dumps(_joined(reports)), encoding="utf-8")


def open_tokens(directory: Path) -> tuple[EncodedCorpus, EncodingReport]:
    """What `encode_all` wrote, mapped into memory. Raises DataError where it is damaged."""
    report = json.loads(read_text(directory / REPORT, LARGEST_SETTINGS))
    return EncodedCorpus.open(directory), EncodingReport(**report, rows=mapped(directory / KEPT))


def encoding(task: Mapping[str, Any]) -> partial[dict[str, Any]]:
    """The work of a process: rows → a folder with their token ids, and the report on them."""
    texts = Path(task["texts"])
    source, target = (load(Path(path), TokenizerConfig.model_validate(config)) for path, config in task["tokenizers"])
    encoder = Encoder(source, target, task["tagged"], task["max_tokens"])
    return partial(_encode, StoredPairs(texts, mapped(texts / ROWS)), encoder)


def _encode(pairs: StoredPairs, encoder: Encoder, first: int, last: int, folder: Path) -> dict[str, Any]:
    corpus, report = encoder(pairs[first:last])
    corpus.save(folder)
    write(folder / KEPT, [first + report.rows])
    found = asdict(report)
    del found["rows"]
    return found


def _joined(reports: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "kept": sum(each["kept"] for each in reports),
        "too_long": sum(each["too_long"] for each in reports),
        "example": next((each["example"] for each in reports if each["example"]), None),
        "longest_source": max((each["longest_source"] for each in reports), default=0),
    }


def _join(parts: Sequence[Path], path: Path) -> None:
    """Writes the arrays of some files one after the other into one; offsets go on where those before them ended."""
    arrays: list[NDArray[Any]] = [np.load(part, mmap_mode="r", allow_pickle=False) for part in parts]
    with path.open("wb") as file:
        if path.stem.endswith("offsets"):
            ends = list(accumulate((int(each[-1]) for each in arrays), initial=0))
            _header(file, np.dtype(np.int64), 1 + sum(len(each) - 1 for each in arrays))
            file.write(np.int64(0).tobytes())
            moved: Iterable[NDArray[Any]] = (each[1:] + end for each, end in zip(arrays, ends, strict=False))
        else:
            _header(file, arrays[0].dtype, sum(map(len, arrays)))
            moved = arrays
        for each in moved:
            file.write(each.tobytes())


def _header(file: BinaryIO, dtype: np.dtype[Any], count: int) -> None:
    npy.write_array_header_1_0(file, {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": (count,)})


def _bytes_of(pairs: StoredPairs, encoder: Encoder) -> float:
    """About how much room the token ids take, by some pairs that stand at even distances."""
    some = pairs[:: max(1, len(pairs) // _SAMPLED)]
    corpus, _ = encoder(some)
    ids = corpus.source_ids.nbytes + corpus.target_ids.nbytes
    return len(pairs) * (ids / max(1, len(some)) + 24)
