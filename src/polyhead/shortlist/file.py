"""A shortlist's file in a model directory: a few arrays, and nothing that executes.

shortlist.safetensors       of a model that writes one language: offsets [V source + 1] int64, tokens [entries] int32
                            metadata: format (1), vocabularies (SHA-256 of their pieces)
shortlist.fr.safetensors    of a model that writes several languages: one file for each, here for French

Older versions wrote one file for all languages that the text was in. It is read for the languages that have no
file of their own: the row of a language's tag says whether there was text in that language.
"""

import hashlib
from pathlib import Path
from typing import cast

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from polyhead.errors import ModelError
from polyhead.manifest import check_listed, listed_file, remove_listed
from polyhead.reading import check_tensors
from polyhead.shortlist.by_language import AnyShortlist, ShortlistsByLanguage
from polyhead.shortlist.shortlist import Shortlist
from polyhead.symbols import SPECIAL_PIECES
from polyhead.tokenizers.protocol import Tokenizer

NAME = "shortlist.safetensors"
FORMAT = "1"
_KINDS = {"offsets": "I64", "tokens": "I32"}
"""The arrays of a file → their kinds of numbers, by the names of safetensors."""
_MOST_DIGITS = 9
"""The most digits of a format that is compared."""


def name_of_file(language: str | None = None) -> str:
    """The file's name, for one of several target languages or for a model that writes a single one."""
    return NAME if language is None else f"shortlist.{language}.safetensors"


def save_shortlist(
    directory: Path,
    shortlist: Shortlist,
    source_tokenizer: Tokenizer,
    target_tokenizer: Tokenizer,
    language: str | None = None,
) -> Path:
    """Writes a shortlist into a model directory, atomically, and lists the file's digest → the path of the file.

    language: the one that the shortlist is for, if the model writes several. When every language has a file of its
    own, an older version's file for all of them is removed.
    """
    metadata = {"format": FORMAT, "vocabularies": _fingerprint(source_tokenizer, target_tokenizer)}
    path = directory / name_of_file(language)
    with listed_file(path) as temporary:
        save_file({"offsets": shortlist.offsets, "tokens": shortlist.tokens}, temporary, metadata)
    languages = source_tokenizer.languages
    if (
        languages
        and (directory / NAME).exists()
        and all((directory / name_of_file(each)).exists() for each in languages)
    ):
        remove_listed(directory, [NAME])
    return path


def load_shortlist(directory: Path, source_tokenizer: Tokenizer, target_tokenizer: Tokenizer) -> AnyShortlist:
    """A model directory's shortlist, or one for each of its target languages, checked against its vocabularies.

    Raises ModelError if there is none, if one is damaged, newer than this version or made for other vocabularies.
    """
    tokenizers = source_tokenizer, target_tokenizer
    tags = {source_tokenizer.tag(language): language for language in source_tokenizer.languages}
    found: dict[int, Shortlist] = {}
    for tag, language in tags.items():
        if (directory / name_of_file(language)).exists():
            found[tag] = _load(directory, language, *tokenizers)
    if (directory / NAME).exists() and len(found) < len(tags or " "):
        for_all = _load(directory, None, *tokenizers)
        if not tags:
            return for_all
        found = {**{tag: for_all for tag in tags if for_all.offsets[tag] < for_all.offsets[tag + 1]}, **found}
    if not found:
        raise ModelError(f"{directory} has no shortlist; make one with `polyhead shortlist {directory}`")
    return ShortlistsByLanguage(found, tags)


def _load(directory: Path, language: str | None, source_tokenizer: Tokenizer, target_tokenizer: Tokenizer) -> Shortlist:
    path = directory / name_of_file(language)
    again = f"make it again with `polyhead shortlist {directory}`"
    try:
        check_tensors(path)
        check_listed(path)
        with safe_open(path, framework="numpy") as file:
            metadata = cast("dict[str, str]", file.metadata() or {})
            names = cast("list[str]", file.keys())
            # NumPy has no name for some kinds of numbers, so what is no shortlist's is not asked for.
            arrays: dict[str, np.ndarray] = {
                name: file.get_tensor(name)
                for name, kind in _KINDS.items()
                if name in names and file.get_slice(name).get_dtype() == kind
            }
    except ModelError as error:
        raise ModelError(f"{error}, or {again}") from error
    except (OSError, SafetensorError, ValueError) as error:  # ValueError: of a shape that no array has
        raise ModelError(f"{path} cannot be read: {error}; {again}") from error
    written = metadata.get("format", "")
    if written.isdecimal() and len(written) <= _MOST_DIGITS and int(written) > int(FORMAT):
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
    """The shortlist that the arrays are; None where one is missing, or does not fit the other or the vocabularies."""
    offsets, tokens = arrays.get("offsets"), arrays.get("tokens")
    if offsets is None or tokens is None:
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
