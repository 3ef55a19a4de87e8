"""BPE, unigram and character tokenizers: any text becomes ids and comes back unchanged, spelled in bytes if need be."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from random import Random

from polyhead.text import without_surrogates
from polyhead.tokenizers.base import BaseTokenizer
from polyhead.tokenizers.lattice import Lattice
from polyhead.tokenizers.offsets import escape, escaped, normalised, unescape, unescaped_places
from polyhead.tokenizers.protocol import Token
from polyhead.tokenizers.sampling import Inventory, Sampler

Span = tuple[int, int]


class SubwordTokenizer(BaseTokenizer):
    """A tokenizer whose tokens are pieces of words. A space is part of the piece after it, written "▁"."""

    def encode(self, text: str) -> list[int]:
        """The ids of a text."""
        return self._model.encode(self._written(text))

    def encode_many(self, texts: Sequence[str]) -> list[list[int]]:
        """`encode` of each text."""
        return self._model.encode_many([self._written(text) for text in texts])

    def decode(self, ids: Iterable[int]) -> str:
        """The text of some ids."""
        return unescape(self._model.decode(list(ids)))  # which leaves out specials and tags by itself

    def decode_many(self, ids: Sequence[Sequence[int]]) -> list[str]:
        """`decode` of each list of ids."""
        return list(map(unescape, self._model.decode_many(list(map(list, ids)))))

    def sample(self, text: str) -> list[int]:
        """One of the possible encodings, at random if `config.dropout` is above 0."""
        return self.sample_many([text], Random().getrandbits(64))[0]

    def sample_many(self, texts: Sequence[str], seed: int) -> list[list[int]]:
        """`sample` of each text; the same for the same seed."""
        if self._sampler is None:
            return self.encode_many(texts)
        return self._sampler.sample([self._written(text) for text in texts], seed)

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
        """What samples; None: nothing does. A unigram model's sharpness is Kudo's 0.2 at dropout 0.1, 1 at 0.02."""
        kind, dropout = self.config.kind, self.config.dropout
        if not dropout or kind not in ("bpe", "unigram"):
            return None
        inventory = Inventory(self._model.scores(), {piece: i for i, piece in enumerate(self._model.pieces)})
        if kind == "unigram":
            return Lattice(inventory, sharpness=0.02 / dropout)
        from polyhead.tokenizers.merges import MergeDropout  # it loads a compiler, which translating doesn't need

        return MergeDropout(inventory, dropout)

    def _written(self, text: str) -> str:
        return escape(self.normalise(text))

    def _whole_characters(self, ids: Sequence[int], spans: Sequence[Span]) -> list[Span]:
        """Gives each byte its character's span: sentencepiece gives it to the last byte, and nothing to the others."""
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
