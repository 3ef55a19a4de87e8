"""Tokens and their places."""

import pytest

from polyhead.inspection.sentence import (
    ShownToken,
    TooLong,
    check_length,
    given_target,
    labels,
    shown,
    source_tokens,
    written_target,
)
from polyhead.symbols import UNK
from polyhead.tokenizers.build import train
from polyhead.tokenizers.config import TokenizerConfig


def test_the_source_is_tag_pieces_end_and_padding(translator_of):
    translator = translator_of("paper")
    text = "mera 가\U0001f600 bado"
    ids = translator.encode_source(text, "xc")
    tokens = source_tokens(translator.bundle, text, ids, len(ids) + 3)
    assert [token.id for token in tokens] == [*ids, 3, 0, 0]
    assert [tokens[0].piece, *(token.piece for token in tokens[-3:])] == ["<2xc>", "<eos>", "<pad>", "<pad>"]
    assert [token.start is None for token in tokens] == [True, *[False] * (len(ids) - 1), True, True, True]
    assert {text[token.start : token.end] for token in tokens[1:-3]} >= {"가", "\U0001f600"}, (
        "bytes have their letter's place"
    )


def test_a_target_is_shifted_by_one(translator_of):
    bundle = translator_of("paper").bundle
    given = given_target(bundle, "koda bilu")
    assert given.tokens_in[0].piece == "<sos>"
    assert given.tokens_out[-1].piece == "<eos>"
    assert given.tokens_in[1:] == given.tokens_out[:-1]
    assert tuple(token.id for token in given.tokens_in[1:]) == given.ids
    written = written_target(bundle, given.ids)
    assert (written.text, written.tokens_in, written.given) == ("koda bilu", given.tokens_in, False)


def test_unknown_words_are_marked():
    tokenizer = train(["bado kilu"], TokenizerConfig(kind="word"), 64)
    assert [token.unknown for token in shown(tokenizer.tokens("bado nowhere"))] == [False, True]
    assert shown(tokenizer.tokens("nowhere"))[0].json() == {
        "id": UNK, "piece": "<unk>", "start": 0, "end": 7, "unknown": True,
    }  # fmt: skip


def test_tokens_are_named_as_people_read_them():
    def named(*pieces):
        return labels([ShownToken(5, piece, 0, 1, unknown=False) for piece in pieces])

    assert named("<2fr>", "▁chat", "s", "▁", "'", "▁a▁b") == ["<2fr>", "chat", "·s", "␣", "'", "a␣b"]
    assert named("bado", "kilu") == ["bado", "kilu"], "whole words have no marks"


def test_what_is_too_long_is_counted():
    check_length(7, 7, "text")
    with pytest.raises(TooLong, match="this text has 8 tokens, the model takes 7 at a time"):
        check_length(8, 7, "text")
