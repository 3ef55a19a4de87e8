"""The shortlist's file in a model directory: a few arrays, and nothing that executes.

shortlist.safetensors    offsets [V source + 1] int64, tokens [entries] int32
                         metadata: format (1), vocabularies (SHA-256 of their pieces)
"""

import hashlib
from pathlib import Path
from typing import cast

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from polyhead.errors import ModelError
from polyhead.manifest import check_listed, listed_file
from polyhead.reading import check_tensors
from polyhead.shortlist.shortlist import Shortlist
from polyhead.symbols import SPECIAL_PIECES
from polyhead.tokenizers.protocol import Tokenizer

NAME = "shortlist.safetensors"
FORMAT = "1"


def save_shortlist(
    directory: Path, shortlist: Shortlist, source_tokenizer: Tokenizer, target_tokenizer: Tokenizer
) -> Path:
    """Writes the file into a model directory, atomically, and lists its digest → its path."""
    metadata = {"format": FORMAT, "vocabularies": _fingerprint(source_tokenizer, target_tokenizer)}
    path = directory / NAME
    with listed_file(path) as temporary:
        save_file({"offsets": shortlist.offsets, "tokens": shortlist.tokens}, temporary, metadata)
    return path


def load_shortlist(directory: Path, source_tokenizer: Tokenizer, target_tokenizer: Tokenizer) -> Shortlist:
    """A model directory's shortlist, checked against the model's vocabularies.

    Raises ModelError if there is none, if it is damaged, newer than this version or made for other vocabularies.
    """
    path = directory / NAME
    if not path.exists():
        raise ModelError(f"{directory} has no shortlist; make one with `polyhead shortlist {directory}`")
    again = f"make it again with `polyhead shortlist {directory}`"
    try:
        check_tensors(path)
        check_listed(path)
        with safe_open(path, framework="numpy") as file:
            metadata = cast("dict[str, str]", file.metadata() or {})
            arrays: dict[str, np.ndarray] = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  no dictionary
    except ModelError as error:
        raise ModelError(f"{error}, or {again}") from error
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path} cannot be read: {error}; {again}") from error
    written = metadata.get("format", "")
    if written.isdigit() and int(written) > int(FORMAT):
        raise ModelError(f"{path}: format {written} is newer than this version of polyhead reads; install a newer one")
    if metadata.get("vocabularies") != _fingerprint(source_tokenizer, target_tokenizer):
        raise ModelError(f"{path} was made for other vocabularies than this model's; {again}")
    shortlist = _checked(arrays, source_tokenizer, target_tokenizer)
    if shortlist is None:
        raise ModelError(f"{path} is damaged: its arrays do not belong together; {again}")
    return shortlist


def _checked(
    arrays: dict[str, np.ndarray], source_tokenizer: Tokenizer, target_tokenizer: Tokenizer
) -> Shortlist | None:
    """The shortlist, if every number in the arrays is one that can be."""
    offsets, tokens = arrays.get("offsets"), arrays.get("tokens")
    if offsets is None or tokens is None or (offsets.dtype, tokens.dtype) != (np.int64, np.int32):
        return None
    right = offsets.shape == (source_tokenizer.vocabulary_size + 1,) and tokens.ndim == 1
    right = right and offsets[0] == 0 and offsets[-1] == len(tokens) and bool(np.all(np.diff(offsets) >= 0))
    size = target_tokenizer.vocabulary_size
    if not right or (len(tokens) and not 0 <= int(tokens.min()) <= int(tokens.max()) < size):
        return None
    return Shortlist(offsets, tokens, len(SPECIAL_PIECES) + len(target_tokenizer.languages), size)


def _fingerprint(source_tokenizer: Tokenizer, target_tokenizer: Tokenizer) -> str:
    """SHA-256 of every piece and its number on both sides."""
    digest = hashlib.sha256()
    for tokenizer in (source_tokenizer, target_tokenizer):
        pieces = tokenizer.pieces(range(tokenizer.vocabulary_size))
        digest.update("\n".join([str(len(pieces)), *pieces]).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
