"""The file: what is written comes back, and whatever is wrong with it is said."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from polyhead.errors import ModelError
from polyhead.manifest import accept
from polyhead.shortlist import file
from polyhead.shortlist.file import NAME, load_shortlist, save_shortlist
from tests.shortlist.conftest import SHAPE
from tests.small import small_bundle


@pytest.fixture
def written(bundle, some, tmp_path: Path) -> Path:
    save_shortlist(tmp_path, some, bundle.source_tokenizer, bundle.target_tokenizer)
    return tmp_path


def load(bundle, directory: Path):
    return load_shortlist(directory, bundle.source_tokenizer, bundle.target_tokenizer)


def test_round_trip(bundle, some, written) -> None:
    found = load(bundle, written)
    assert (found.offsets == some.offsets).all()
    assert (found.tokens == some.tokens).all()
    assert (found.fixed, found.target_vocabulary) == (4, some.target_vocabulary)
    assert sorted(path.name for path in written.iterdir()) == ["SHA256SUMS", NAME]


def test_a_tagged_models_tags_are_fixed_pieces_too(some, tmp_path) -> None:
    tagged = small_bundle(SHAPE)
    save_shortlist(tmp_path, some, tagged.source_tokenizer, tagged.target_tokenizer)
    assert load(tagged, tmp_path).fixed == 6


def test_none_there(bundle, tmp_path) -> None:
    with pytest.raises(ModelError, match=f"has no shortlist; make one with `polyhead shortlist {tmp_path}`"):
        load(bundle, tmp_path)


def test_other_vocabularies(bundle, written) -> None:
    with pytest.raises(ModelError, match="made for other vocabularies"):
        load(small_bundle(SHAPE), written)


def test_truncated_or_no_safetensors(bundle, written) -> None:
    data = (written / NAME).read_bytes()
    for wrong in (b"", data[:40], data[:-1], b"x" * 100):
        (written / NAME).write_bytes(wrong)
        with pytest.raises(ModelError, match=f"{NAME} (is damaged|cannot be read).*make it again"):
            load(bundle, written)
        accept(written)
        with pytest.raises(ModelError, match="cannot be read"):
            load(bundle, written)


def test_a_newer_format(bundle, some, written, monkeypatch) -> None:
    monkeypatch.setattr(file, "FORMAT", "2")
    save_shortlist(written, some, bundle.source_tokenizer, bundle.target_tokenizer)
    monkeypatch.undo()
    with pytest.raises(ModelError, match="format 2 is newer"):
        load(bundle, written)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("tokens", lambda tokens: tokens[:-1]),
        ("tokens", lambda tokens: tokens.astype(np.int64)),
        ("tokens", lambda tokens: np.append(tokens[:-1], 330).astype(np.int32)),
        ("tokens", lambda tokens: np.append(tokens[:-1], -1).astype(np.int32)),
        ("tokens", lambda tokens: tokens[:, None]),
        ("offsets", lambda offsets: offsets[:-1]),
        ("offsets", lambda offsets: offsets[::-1].copy()),
        ("offsets", lambda offsets: offsets + 1),
        ("offsets", None),
    ],
)
def test_numbers_that_cannot_be(bundle, written, name, change) -> None:
    arrays = load_file(written / NAME)
    changed = {**arrays, name: change(arrays[name])} if change else {"tokens": arrays["tokens"]}
    fingerprint = file._fingerprint(bundle.source_tokenizer, bundle.target_tokenizer)
    save_file(changed, written / NAME, {"format": "1", "vocabularies": fingerprint})
    with pytest.raises(ModelError, match="is damaged"):
        load(bundle, written)
