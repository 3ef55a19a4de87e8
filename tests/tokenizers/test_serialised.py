import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.tokenizers.config import Kind
from polyhead.tokenizers.serialised import check_fields
from polyhead.tokenizers.spm import Damaged, Model, train_model

LINES = ["bado kilu mera noti pasu", "rovi sela tugo vani zeko", "fimo gura hepi jola wuto", "The cat sat down."]


def field(number: int, value: bytes) -> bytes:
    """A field as a message of protocol buffers writes it; short values only."""
    assert len(value) < 0x80
    return bytes([number << 3 | 2, len(value)]) + value


def model(kind: Kind = "bpe") -> bytes:
    return train_model(LINES, kind, 300, [], 0.9999)


@pytest.mark.parametrize("kind", ["bpe", "unigram", "char", "word"])
def test_what_is_trained_here_is_taken(kind: Kind) -> None:
    check_fields(model(kind))


@pytest.mark.parametrize("normaliser", [3, 5])
def test_a_table_of_replacements_is_refused_wherever_it_is(normaliser: int) -> None:
    table = field(normaliser, field(1, b"nfkc") + field(2, b"\xff" * 40))
    for data in (table + model(), model() + table):
        with pytest.raises(ValueError, match="table of its own"):
            check_fields(data)
        with pytest.raises(Damaged):
            Model(data)
    check_fields(model() + field(normaliser, field(1, b"identity") + field(2, b"")))


@pytest.mark.parametrize("piece", [b"\x0a\x00", b"\x8a\x00\x00", b"\x0a\x80\x00", b"\x0a\x80\x01" + b"a" * 128])
def test_absurdly_many_pieces_are_refused_before_sentencepiece_sees_them(piece: bytes) -> None:
    """However a piece is written: its key or its length in more bytes than are needed, or more than 127 bytes long."""
    with pytest.raises(ValueError, match="more than 1,000,000 pieces"):
        check_fields(piece * 1_000_001)
    check_fields(piece * 1_000)


@pytest.mark.parametrize(
    "data", [b"\x0a", b"\x0a\x05abc", b"\x1a\xff", b"\x08" + b"\xff" * 20, b"\x0b\x00", b"\x1a\x03\x0a\x05a"]
)
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        check_fields(data)


@given(st.binary(max_size=200))
def test_any_bytes_are_taken_or_refused(data: bytes) -> None:
    try:
        check_fields(data)
    except ValueError as error:
        assert len(str(error)) < 200  # noqa: PT017  they may be a message


@given(st.data())
def test_a_vocabulary_with_changed_bytes_loads_or_is_damaged(data: st.DataObject) -> None:
    changed = bytearray(model("char"))
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    try:
        loaded = Model(bytes(changed))
    except Damaged:
        return
    assert loaded.pieces
