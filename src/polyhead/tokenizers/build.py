"""Making tokenizers: trained from text, or loaded from a file. A new kind is one line in `TOKENIZERS`."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from polyhead.errors import ModelError, PolyheadError
from polyhead.limits import LARGEST_PIECES
from polyhead.reading import read_bytes
from polyhead.symbols import language_tag
from polyhead.tokenizers.base import BaseTokenizer, check_model
from polyhead.tokenizers.config import Kind, TokenizerConfig
from polyhead.tokenizers.offsets import escape
from polyhead.tokenizers.protocol import Tokenizer
from polyhead.tokenizers.spm import Damaged, Model, TrainingFailed, train_model, trainable
from polyhead.tokenizers.subword import SubwordTokenizer
from polyhead.tokenizers.word import WordTokenizer

TOKENIZERS: Mapping[Kind, type[BaseTokenizer]] = {
    "bpe": SubwordTokenizer,
    "unigram": SubwordTokenizer,
    "char": SubwordTokenizer,
    "word": WordTokenizer,
}


def train(
    texts: Iterable[str], config: TokenizerConfig, vocabulary_size: int, languages: Sequence[str] = ()
) -> Tokenizer:
    """Learn a vocabulary from text. The same texts and settings give the same bytes on every machine.

    vocabulary_size: specials and tags included; what comes out is smaller where the texts have no more to give, larger
        where their alphabet alone needs more. The tokenizer's own `vocabulary_size` says how many there are.
    languages: the target languages to have tags for
    PolyheadError if there is no text.
    """
    tags = [language_tag(language) for language in dict.fromkeys(languages)]
    normal_form = TOKENIZERS[config.kind].normal_form
    lines = trainable(escape(normal_form(text, config)) for text in texts)
    if not lines:
        raise PolyheadError("There is no text to train a tokenizer on: every line is empty.")
    try:
        data = train_model(lines, config.kind, vocabulary_size, tags, config.character_coverage)
    except TrainingFailed as error:
        raise PolyheadError(f"No {config.kind} vocabulary can be made of these texts: {error}") from error
    return _make(data, config)


def load(path: Path, config: TokenizerConfig) -> Tokenizer:
    """The tokenizer of a vocabulary file and the settings it was trained with. ModelError says what is wrong."""
    try:
        return _make(read_bytes(path, LARGEST_PIECES), config)
    except OSError as error:
        raise ModelError(f"{path}: cannot read this vocabulary file: {error.strerror}.") from error
    except (Damaged, ValueError) as error:
        raise ModelError(
            f"{path}: not a vocabulary file of this model, or a damaged one ({error}). Copy the model directory again."
        ) from error


def _make(data: bytes, config: TokenizerConfig) -> Tokenizer:
    model = Model(data)
    check_model(model, config)
    return TOKENIZERS[config.kind](model, config)
