"""Word alignments read off the cross-attention (Garg et al. 2019, section 3.1), in Pharaoh's form `i-j`."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polyhead.tokenizers.protocol import Token

Alignment = tuple[tuple[int, int], ...]
"""Pairs (source word, target word), counted from 0 over the words that white space separates."""


def align_words(
    weights: NDArray[np.float32], source: Sequence[Token], target: Sequence[Token], source_text: str, target_text: str
) -> Alignment:
    """weights [T, S], row t the attention while token t was predicted → each target word's likeliest source word.

    The weights of a word's tokens are added up on the source side and averaged on the target side.
    """
    source_words, target_words = word_numbers(source, source_text), word_numbers(target, target_text)
    if not source_words or not target_words:
        return ()
    table = np.zeros((max(target_words) + 1, max(source_words) + 1), np.float32)
    for row, j in enumerate(target_words):
        np.add.at(table[j], source_words, weights[row, : len(source_words)])
    return tuple((int(i), j) for j, i in enumerate(table.argmax(1)))


def word_numbers(tokens: Sequence[Token], text: str) -> list[int]:
    """The number of the word in which each token's last visible character stands."""
    number, numbers, place = -1, [], 0
    inside = False
    for token in tokens:
        for character in text[place : token.end]:
            if character.isspace():
                inside = False
            elif not inside:
                inside, number = True, number + 1
        place = max(place, token.end)
        numbers.append(max(number, 0))
    return numbers


def pharaoh(alignment: Alignment) -> str:
    """`((0, 0), (2, 1))` → `0-0 2-1`."""
    return " ".join(f"{i}-{j}" for i, j in alignment)
