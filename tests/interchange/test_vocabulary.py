"""The tokenizer's files: transformers, where it is installed, must make the same ids of a text."""

import json
import warnings

import pytest

from polyhead.interchange.vocabulary import write_marian_tokenizer

TEXTS = ["bado kilu mera", "two  spaces", "안녕 😀 <2fr> bado", "", "noti, pasu!"]


@pytest.mark.parametrize("languages", [(), ("fr", "ko")])
@pytest.mark.parametrize("shared", [True, False])
def test_the_same_ids(make_bundle, tmp_path, languages, shared):
    transformers = pytest.importorskip("transformers", reason="the package transformers is not installed")
    bundle = make_bundle(languages=languages, shared=shared, tie_embeddings="none")
    write_marian_tokenizer(bundle, tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # theirs: that sacremoses would be nice to have
        tokenizer = transformers.MarianTokenizer.from_pretrained(tmp_path)
    source, target = bundle.source_tokenizer, bundle.target_tokenizer
    for text in TEXTS:
        assert tokenizer(text)["input_ids"] == [*source.encode(text), 3]
        assert tokenizer(text_target=text)["input_ids"] == [*target.encode(text), 3]
        assert tokenizer.decode([*target.encode(text), 3], skip_special_tokens=True) == text.strip()

    if languages:
        assert tokenizer(">>ko<< bado kilu")["input_ids"] == [source.tag("ko"), *source.encode("bado kilu"), 3]


def test_tags_are_written_as_marian_writes_them(make_bundle, tmp_path):
    bundle = make_bundle(languages=("fr", "ko"))
    write_marian_tokenizer(bundle, tmp_path)
    ids = json.loads((tmp_path / "vocab.json").read_text(encoding="utf-8"))
    assert ids[">>fr<<"] == bundle.source_tokenizer.tag("fr")
    assert "<2fr>" not in ids
    assert len(ids) == bundle.config.source_vocabulary
    assert not (tmp_path / "target_vocab.json").exists()
    assert (tmp_path / "source.spm").read_bytes() == (tmp_path / "target.spm").read_bytes()
