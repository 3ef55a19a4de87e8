"""The file: what is written comes back, and whatever is wrong with it is said."""

import json
import math
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


def test_a_tagged_model_has_one_for_each_language_whose_tags_are_fixed_pieces_too(some, tmp_path) -> None:
    tagged = small_bundle(SHAPE)
    tokenizers = tagged.source_tokenizer, tagged.target_tokenizer
    path = save_shortlist(tmp_path, some, *tokenizers, "xc")
    assert path.name == "shortlist.xc.safetensors"
    found = load_shortlist(tmp_path, *tokenizers)
    xb, xc = (tokenizers[0].tag(language) for language in ("xb", "xc"))
    assert set(found.of([xc, 7])) == {*range(6), *some.of([7]), *some.of([xc])}
    with pytest.raises(ModelError, match="no shortlist for xb, only for xc"):
        found.of([xb, 7])


def test_an_older_versions_file_for_all_languages_serves_those_it_has_text_of(make, some, tmp_path) -> None:
    tagged = small_bundle(SHAPE)
    tokenizers = tagged.source_tokenizer, tagged.target_tokenizer
    size = tagged.config.target_vocabulary
    xb, xc = (tokenizers[0].tag(language) for language in ("xb", "xc"))
    of_both, of_one = make({xb: [9], xc: [10], 20: [30]}, size), make({xb: [9], 20: [30]}, size)
    save_shortlist(tmp_path, of_both, *tokenizers)
    found = load_shortlist(tmp_path, *tokenizers)
    assert {9, 30} <= set(found.of([xb, 20]))
    assert {10, 30} <= set(found.of([xc, 20]))
    save_shortlist(tmp_path, of_one, *tokenizers)
    found = load_shortlist(tmp_path, *tokenizers)
    assert {9, 30} <= set(found.of([xb, 20]))
    with pytest.raises(ModelError, match="no shortlist for xc, only for xb"):
        found.of([xc, 20])
    save_shortlist(tmp_path, some, *tokenizers, "xc")
    found = load_shortlist(tmp_path, *tokenizers)
    assert {9, 30} <= set(found.of([xb, 20])), "a language without a file of its own keeps the old one"
    assert set(found.of([xc, 20])) >= set(some.of([xc, 20]))
    save_shortlist(tmp_path, some, *tokenizers, "xb")
    assert not (tmp_path / NAME).exists(), "each language has a file of its own"
    load_shortlist(tmp_path, *tokenizers)


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


@pytest.mark.parametrize("written_format", ["²", "9" * 5000, "", "x"])
def test_a_format_that_is_no_number(bundle, written, written_format) -> None:
    save_file(load_file(written / NAME), written / NAME, {"format": written_format, "vocabularies": "others"})
    accept(written)
    with pytest.raises(ModelError, match="made for other vocabularies"):
        load(bundle, written)


def foreign(path: Path, vocabularies: str, arrays: dict[str, tuple[str, list[int]]]) -> None:
    """Writes arrays (kind, shape) of zeros, of kinds and shapes that NumPy may not have."""
    header: dict[str, object] = {"__metadata__": {"format": "1", "vocabularies": vocabularies}}
    end = 0
    for name, (kind, shape) in arrays.items():
        begin, end = end, end + math.prod(shape) * int(kind.strip("BFI").partition("_")[0]) // 8
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + bytes(end))
    accept(path.parent)


@pytest.mark.parametrize("kind", ["BF16", "F8_E4M3", "F8_E8M0", "F16"])
def test_kinds_of_numbers_that_no_shortlist_has(bundle, written, kind) -> None:
    fingerprint = file._fingerprint(bundle.source_tokenizer, bundle.target_tokenizer)
    size = bundle.source_tokenizer.vocabulary_size + 1
    foreign(written / NAME, fingerprint, {"offsets": ("I64", [size]), "tokens": (kind, [0])})
    with pytest.raises(ModelError, match=f"{NAME} is damaged: its arrays do not belong together; make it again"):
        load(bundle, written)
    foreign(written / NAME, fingerprint, {"offsets": ("I64", [size]), "tokens": ("I32", [0]), "more": (kind, [4])})
    assert len(load(bundle, written).tokens) == 0
    foreign(written / NAME, "of a model", {"weights": (kind, [4])})
    with pytest.raises(ModelError, match="made for other vocabularies"):
        load(bundle, written)


@pytest.mark.parametrize("shape", [[0] * 70, [0, 2**62, 2**62], [0, 2**63], [], [0, 2]])
def test_shapes_that_no_shortlist_has(bundle, written, shape) -> None:
    fingerprint = file._fingerprint(bundle.source_tokenizer, bundle.target_tokenizer)
    for arrays in (
        {"offsets": ("I64", shape), "tokens": ("I32", [0])},
        {"offsets": ("I64", [3]), "tokens": ("I32", shape)},
    ):
        foreign(written / NAME, fingerprint, arrays)
        with pytest.raises(ModelError, match=f"{NAME} (is damaged|cannot be read): .*; make it again"):
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
