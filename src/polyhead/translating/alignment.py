"""Word alignments read off the cross-attention (Garg et al. 2019, section 3.1), in Pharaoh's form `i-j`."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polyhead.inline.placing import units
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


def unit_weights(
    weights: NDArray[np.float32], source: Sequence[Token], target: Sequence[Token], source_text: str, target_text: str
) -> NDArray[np.float32]:
    """weights [T, S] between tokens → between the units of the two texts (`inline.placing.units`), rows of sum 1.

    A token that belongs to several units is shared between them. A unit of no token has a row of zeros.
    """
    read, written = _shares(source, source_text), _shares(target, target_text)
    table = written.T @ weights[: len(target), : len(source)] @ read
    total = table.sum(1, keepdims=True)
    found: NDArray[np.float32] = np.divide(table, total, out=np.zeros_like(table), where=total > 0)
    return found


def _shares(tokens: Sequence[Token], text: str) -> NDArray[np.float32]:
    """[tokens, units of the text]: the share of each token that belongs to each unit."""
    spans = units(text)
    table = np.zeros((len(tokens), len(spans)), np.float32)
    first = 0
    for row, token in enumerate(tokens):
        while first < len(spans) and spans[first][1] <= token.start:
            first += 1
        last = first
        while last < len(spans) and spans[last][0] < token.end:
            last += 1
        if last > first:
            table[row, first:last] = 1 / (last - first)
    return table
