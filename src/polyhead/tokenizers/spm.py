"""The one place that talks to sentencepiece."""

import io
import re
from collections.abc import Iterable, Sequence
from typing import cast

import sentencepiece

from polyhead.cores import cores
from polyhead.symbols import EOS, EOS_PIECE, PAD, PAD_PIECE, SOS, SOS_PIECE, SPECIAL_PIECES, UNK, UNK_PIECE
from polyhead.tokenizers.config import Kind
from polyhead.tokenizers.serialised import check_fields

# A trained model must not depend on how many cores the machine has, and unigram training does on its threads.
_THREADS = 1
_TOO_SMALL = re.compile(r"smaller than required_chars\. \d+ vs (\d+)")
_NOT_TRAINABLE = re.compile("[\0\r\n\u2585]")
_LONGEST_WORD = 200  # characters; sentencepiece writes longer pieces than it can read
# Lists are encoded and decoded by threads that sentencepiece starts each time, so fewer texts are done one by one.
_FEWEST_TEXTS = 32
_TEXTS_A_THREAD = 64
_LOG_NOTHING = 4

sentencepiece.set_min_log_level(_LOG_NOTHING)


class TrainingFailed(Exception):
    """sentencepiece could not make a model of the text given."""


class Damaged(Exception):
    """The bytes are no sentencepiece model."""


def train_model(
    lines: Sequence[str], kind: Kind, vocabulary_size: int, controls: Sequence[str], character_coverage: float
) -> bytes:
    """A serialised model. Its size is `vocabulary_size`, or the nearest that the lines allow.

    lines: as `trainable` leaves them; at least one
    controls: pieces that text never turns into; their ids follow the four specials
    """
    size = max(vocabulary_size, len(SPECIAL_PIECES) + len(controls) + (1 if kind == "word" else 257))
    if kind == "word":
        character_coverage = 1.0  # a word with a rare letter is a word all the same
        lines = [" ".join(word for word in line.split(" ") if len(word) <= _LONGEST_WORD) for line in lines]
        if not any(line.strip(" ") for line in lines):
            raise TrainingFailed(f"every word has more than {_LONGEST_WORD} characters")
    try:
        return _train(lines, kind, size, controls, character_coverage)
    except RuntimeError as error:
        too_small = _TOO_SMALL.search(str(error))
        if not too_small:
            raise TrainingFailed(str(error)) from error
    return _train(lines, kind, int(too_small[1]), controls, character_coverage)


def _train(lines: Sequence[str], kind: Kind, size: int, controls: Sequence[str], character_coverage: float) -> bytes:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=model,
        model_type=kind,
        vocab_size=size,
        hard_vocab_limit=False,  # a size that the lines do not yield is a wish, no error
        control_symbols=list(controls),
        character_coverage=character_coverage,
        byte_fallback=kind != "word",
        normalization_rule_name="identity",  # normalising is `text.normalise`'s, once and for all kinds
        remove_extra_whitespaces=False,
        max_sentence_length=1 << 30,  # bytes; longer lines would be left out without a word
        num_threads=_THREADS,
        minloglevel=_LOG_NOTHING,
        pad_id=PAD,
        unk_id=UNK,
        bos_id=SOS,
        eos_id=EOS,
        pad_piece=PAD_PIECE,
        unk_piece=UNK_PIECE,
        bos_piece=SOS_PIECE,
        eos_piece=EOS_PIECE,
        unk_surface="⁇",
    )
    return model.getvalue()


def trainable(texts: Iterable[str]) -> list[str]:
    """What `train_model` takes: no empty lines, nor the characters at which sentencepiece leaves out the line."""
    return [line for text in texts if (line := _NOT_TRAINABLE.sub(" ", text)).strip(" ")]


class Model:
    """A trained sentencepiece model, typed."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._processor = sentencepiece.SentencePieceProcessor()
        try:
            check_fields(data)
            self._processor.LoadFromSerializedProto(data)
            self.pieces: list[str] = self._processor.IdToPiece(list(range(len(self._processor))))
        except (RuntimeError, ValueError) as error:
            raise Damaged(str(error)) from error

    def is_control(self, piece_id: int) -> bool:
        """Whether a piece is one that text never turns into."""
        return self._processor.IsControl(piece_id)

    def is_byte(self, piece_id: int) -> bool:
        """Whether a piece is one byte of a character that has no piece."""
        return self._processor.IsByte(piece_id)

    def encode(self, text: str) -> list[int]:
        """The ids of the best segmentation of a text."""
        return cast(list[int], self._processor.Encode(text, num_threads=1))

    def encode_many(self, texts: list[str]) -> list[list[int]]:
        """The ids of the best segmentation of each text."""
        if len(texts) < _FEWEST_TEXTS:
            return list(map(self.encode, texts))
        threads = max(1, min(cores(), len(texts) // _TEXTS_A_THREAD))
        return cast(list[list[int]], self._processor.Encode(texts, num_threads=threads))

    def scores(self) -> dict[str, float]:
        """The pieces that text turns into, without bytes and specials, and their scores."""
        is_text = [not (self._processor.IsControl(i) or self.is_byte(i)) for i in range(len(self.pieces))]
        return {
            piece: self._processor.GetScore(i)
            for i, piece in enumerate(self.pieces)
            if is_text[i] and i >= len(SPECIAL_PIECES)
        }

    def decode(self, ids: list[int]) -> str:
        """The text of some ids."""
        return cast(str, self._processor.Decode(ids))

    def decode_many(self, ids: list[list[int]]) -> list[str]:
        """The text of each list of ids."""
        if len(ids) < _FEWEST_TEXTS:
            return list(map(self.decode, ids))
        return cast(list[str], self._processor.Decode(ids, num_threads=1))

    def encoded_places(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """The ids of the best segmentation of a text, and the span of each piece in the text."""
        mapping = self._processor.Encode(text, return_type="offset_mapping")
        return cast(list[int], mapping["ids"]), cast(list[tuple[int, int]], mapping["offsets"])

    def decoded_places(self, ids: list[int]) -> list[tuple[int, int]]:
        """The span of each id in `decode(ids)`."""
        return cast(list[tuple[int, int]], self._processor.Decode(ids, return_type="offset_mapping")["offsets"])
