"""BPE, unigram and character tokenizers: any text becomes ids and comes back unchanged, spelled in bytes if need be."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from random import Random

from polyhead.tokenizers.base import BaseTokenizer, without_surrogates
from polyhead.tokenizers.offsets import escape, escaped, normalised, unescape, unescaped_places
from polyhead.tokenizers.protocol import Token
from polyhead.tokenizers.sampling import Lattice, MergeDropout, Sampler

Span = tuple[int, int]


class SubwordTokenizer(BaseTokenizer):
    """Pieces of words. A space is part of the piece after it, written "▁"."""

    def encode(self, text: str) -> list[int]:
        """The ids of a text."""
        return self._model.encode(self._written(text))

    def encode_many(self, texts: Sequence[str]) -> list[list[int]]:
        """`encode` of each."""
        if len(texts) == 1:  # sentencepiece starts a thread for many
            return [self.encode(texts[0])]
        return self._model.encode_many([self._written(text) for text in texts])

    def decode(self, ids: Iterable[int]) -> str:
        """The text of some ids."""
        return unescape(self._model.decode(list(ids)))  # which leaves out specials and tags by itself

    def sample(self, text: str) -> list[int]:
        """One of the possible encodings, at random if `config.dropout` is above 0."""
        return self._sampled([text], Random())[0]

    def sample_many(self, texts: Sequence[str], seed: int) -> list[list[int]]:
        """`sample` of each, reproducibly."""
        return self._sampled(texts, Random(seed))

    def tokens(self, text: str) -> list[Token]:
        """`encode` with the place of each token in `text`."""
        written = escaped(normalised(without_surrogates(text), self.config.normalisation, self.config.lowercase))
        ids, spans = self._model.encoded_places(written.text)
        return self._make_tokens(ids, [written.span(*span) for span in self._whole_characters(ids, spans)])

    def decoded(self, ids: Sequence[int]) -> list[Token]:
        """The ids with the place of each in `decode(ids)`."""
        spoken = [i for i in ids if i not in self._silent]
        places = unescaped_places(self._model.decode(spoken))
        spans = iter(self._whole_characters(spoken, self._model.decoded_places(spoken)))
        at = 0
        placed: list[Span] = []
        for i in ids:
            if i not in self._silent:
                start, at = (places[place] for place in next(spans))
                placed.append((start, at))
            else:
                placed.append((at, at))
        return self._make_tokens(ids, placed)

    @cached_property
    def _sampler(self) -> Sampler | None:
        """How to sample, if at all. A unigram model's sharpness is Kudo's 0.2 at dropout 0.1, 1 at 0.02."""
        dropout = self.config.dropout
        if dropout and self.config.kind == "bpe":
            return MergeDropout(self._model.scores(), dropout)
        if dropout and self.config.kind == "unigram":
            return Lattice(self._model.scores(), sharpness=0.02 / dropout)
        return None

    @cached_property
    def _ids(self) -> dict[str, int]:
        """Piece → id; what has none is spelled in bytes, whose pieces are written <0x00> to <0xFF>."""
        return {piece: i for i, piece in enumerate(self._model.pieces)}

    def _sampled(self, texts: Sequence[str], random: Random) -> list[list[int]]:
        sampler = self._sampler
        if sampler is None:
            return self.encode_many(texts)
        return [self._spelled(sampler.sample(self._written(text), random), sampler) for text in texts]

    def _spelled(self, pieces: Iterable[str], sampler: Sampler) -> list[int]:
        ids: list[int] = []
        for piece in pieces:
            if piece in sampler.scores:
                ids.append(self._ids[piece])
            else:
                ids += [self._ids[f"<0x{byte:02X}>"] for byte in piece.encode()]
        return ids

    def _written(self, text: str) -> str:
        return escape(self.normalise(text))

    def _whole_characters(self, ids: Sequence[int], spans: Sequence[Span]) -> list[Span]:
        """Give each byte the span of its character: sentencepiece gives it to the last byte, and the others nothing."""
        whole = list(spans)
        end = None
        for index in range(len(ids) - 1, -1, -1):
            start, stop = spans[index]
            if not self._model.is_byte(ids[index]):
                end = None
            elif start < stop:
                end = stop
            elif end is not None and stop == start:
                whole[index] = (start, end)
        return whole
