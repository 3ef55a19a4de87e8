"""Subword regularisation: random segmentations that are the same for the same seed, in every process.

sentencepiece can sample too, but its generator cannot be seeded so that two processes draw the same. Pieces never
reach over a space, so a text is sampled word by word.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


class Sampler(Protocol):
    """Draws segmentations of texts into the pieces of a vocabulary."""

    def sample(self, texts: Sequence[str], seed: int) -> list[list[int]]:
        """The ids of one segmentation of each text."""
        ...


@dataclass(frozen=True)
class Inventory:
    """The pieces that text may turn into."""

    scores: Mapping[str, float]
    """Piece → log P, or minus the rank of a BPE merge; bytes have none."""
    ids: Mapping[str, int]
    """Piece → id, those of the bytes, written <0x00> to <0xFF>, among them."""

    def spelled(self, piece: str) -> list[int]:
        """The piece's id; a character without a score is spelled in bytes."""
        if piece in self.scores:
            return [self.ids[piece]]
        return [self.ids[f"<0x{byte:02X}>"] for byte in piece.encode()]


def marked(text: str) -> str:
    """The text with the mark "▁" for each space and one before its first word; nothing for no text."""
    return "▁" + text.replace(" ", "▁") if text else ""
