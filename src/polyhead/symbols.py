"""The special symbols and their fixed numbers, the same in every vocabulary."""

PAD, UNK, SOS, EOS = 0, 1, 2, 3
PAD_PIECE, UNK_PIECE, SOS_PIECE, EOS_PIECE = "<pad>", "<unk>", "<sos>", "<eos>"
SPECIAL_PIECES = (PAD_PIECE, UNK_PIECE, SOS_PIECE, EOS_PIECE)


def language_tag(language: str) -> str:
    """The piece that asks for a target language: `fr` → `<2fr>` (Johnson et al. 2017, section 3)."""
    return f"<2{language}>"
