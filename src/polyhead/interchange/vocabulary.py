"""The vocabularies beside the weights: what turns text into the pieces that an exported model reads, and back."""

import json
from pathlib import Path
from typing import Any

from polyhead.bundle.bundle import Bundle
from polyhead.files import write_text
from polyhead.symbols import EOS_PIECE, PAD_PIECE, SOS_PIECE, UNK_PIECE, language_tag
from polyhead.tokenizers.protocol import Tokenizer


def write_sentencepiece(bundle: Bundle, directory: Path) -> None:
    """Writes `source.spm` and `target.spm`, the same file twice where the vocabulary is shared."""
    bundle.source_tokenizer.save(directory / "source.spm")
    bundle.target_tokenizer.save(directory / "target.spm")


def write_marian_tokenizer(bundle: Bundle, directory: Path) -> None:
    """Writes what transformers' `MarianTokenizer` reads.

    There, `>>fr<<` at the start of a text asks for a target language, as our tag `<2fr>` does. It is a special token
    that takes in the space after it, so the text behind it is cut as if it stood alone.
    """
    write_sentencepiece(bundle, directory)
    source, target = bundle.source_tokenizer, bundle.target_tokenizer
    shared = bundle.config.tokenizer.shared
    write_json(directory / "vocab.json", _ids(source))
    if not shared:
        write_json(directory / "target_vocab.json", _ids(target))
    settings: dict[str, Any] = {
        "tokenizer_class": "MarianTokenizer",
        "separate_vocabs": not shared,
        "source_lang": bundle.config.source_language,
        "target_lang": next(iter(bundle.config.target_languages), None),
        "model_max_length": bundle.config.model.max_length,
        "pad_token": PAD_PIECE,
        "unk_token": UNK_PIECE,
        "bos_token": SOS_PIECE,
        "eos_token": EOS_PIECE,
        "clean_up_tokenization_spaces": False,
        "extra_special_tokens": [_code(language) for language in source.languages],
        "added_tokens_decoder": {
            str(source.tag(language)): {"content": _code(language), "rstrip": True, "special": True}
            for language in source.languages
        },
    }
    write_json(directory / "tokenizer_config.json", settings)


def write_json(path: Path, values: object) -> None:
    """Writes a value as indented JSON in UTF-8."""
    write_text(path, json.dumps(values, ensure_ascii=False, indent=2) + "\n")


def pieces(tokenizer: Tokenizer) -> list[str]:
    """All pieces of a vocabulary, in the order of their ids."""
    return tokenizer.pieces(range(tokenizer.vocabulary_size))


def _ids(tokenizer: Tokenizer) -> dict[str, int]:
    """Piece → id, tags as Marian writes them."""
    codes = {language_tag(language): _code(language) for language in tokenizer.languages}
    return {codes.get(piece, piece): number for number, piece in enumerate(pieces(tokenizer))}


def _code(language: str) -> str:
    """The tag of a target language, as Marian writes it."""
    return f">>{language}<<"
