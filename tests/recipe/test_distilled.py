"""The distilled corpus on disk: what is kept survives, what is not the same is refused."""

import json
import tracemalloc
from collections.abc import Sequence
from dataclasses import replace

import pytest

from polyhead.data.readers import Pair, read_all
from polyhead.errors import RecipeError
from polyhead.manifest import accept
from polyhead.recipe.distilled import Distilled, DistilledCorpus
from polyhead.recipe.load import make_recipe

PAIRS = [Pair(f"s{i}", f"t{i}", "fr" if i % 2 else "ko", f"file:{i}") for i in range(5)]
IDENTITY = {"teacher": ["ab"], "data": {"pairs": 5}, "settings": {"beam_size": 5}}


@pytest.fixture
def corpus(tmp_path):
    """Begun, with its two shards translated."""
    corpus = DistilledCorpus(tmp_path / "distilled")
    corpus.begin(IDENTITY, ["runs/teacher"])
    corpus.keep(0, [Distilled(f"d{i}", i, -1.0) for i in range(3)])
    corpus.keep(1, [Distilled("two\nlines\r", 0, -2.0), Distilled("t4", 0, -2.0)])
    return corpus


def read(corpus, name):
    """The pairs that a recipe with these readers sees."""
    recipe = make_recipe({"data": {"train": corpus.readers()[name]}, "model": {}})
    return [(pair.source, pair.target, pair.target_language) for pair in read_all(recipe.data.train)]


def test_halves_of_surrogate_pairs_are_written_as_what_stands_for_them(corpus):
    pairs = [Pair(f"s\ud800{i}", f"t{i}", "fr", f"file:{i}") for i in range(5)]
    corpus.finish({"train": pairs})
    assert {source for source, _, _ in read(corpus, "train")} == {f"s\ufffd{i}" for i in range(5)}


def test_it_reads_as_a_corpus_of_pairs(corpus):
    assert corpus.has(1)
    assert not corpus.has(2)
    assert not corpus.finished
    corpus.finish({"train": PAIRS, "dev": PAIRS[:1]})
    assert corpus.finished
    assert read(corpus, "train") == [
        ("s1", "d1", "fr"), ("s3", "two lines", "fr"), ("s0", "d0", "ko"), ("s2", "d2", "ko"), ("s4", "t4", "ko"),
    ]  # fmt: skip
    assert read(corpus, "dev") == [("s0", "t0", "ko")]
    assert not (corpus.directory / "shards").exists()


def test_the_record_counts(corpus):
    corpus.finish({"train": PAIRS})
    record = json.loads((corpus.directory / "record.json").read_text(encoding="utf-8"))
    assert record["identity"] == IDENTITY
    assert record["teachers"] == ["runs/teacher"]
    assert record["counts"] == {
        "pairs": 5, "equal_to_the_reference": 1, "of_each_rank": [3, 1, 1], "mean_log_probability": -1.4,
    }  # fmt: skip


def test_languages_that_nobody_names(tmp_path):
    corpus = DistilledCorpus(tmp_path)
    corpus.begin(IDENTITY, ["runs/teacher"])
    corpus.keep(0, [Distilled("d", 0, -1.0)])
    corpus.finish({"train": [Pair("s", "t", None, "file:1")]})
    assert read(corpus, "train") == [("s", "d", None)]
    assert {path.name for path in tmp_path.iterdir()} == {"SHA256SUMS", "record.json", "train.source", "train.target"}


def test_another_corpus_is_refused(corpus):
    corpus.check(IDENTITY)
    with pytest.raises(RecipeError, match="begun with another teacher and another settings, so"):
        corpus.check({**IDENTITY, "teacher": ["cd"], "settings": {"beam_size": 4}})


def test_beginning_again_keeps_what_is_there_but_leftovers(corpus):
    leftover = corpus.directory / "shards" / ".000002.jsonl.x.unfinished"
    leftover.write_text("half")
    corpus.begin({"other": 1}, [])
    assert not leftover.exists()
    corpus.check(IDENTITY)
    assert corpus.has(0)


def test_a_damaged_shard_is_translated_again(corpus):
    path = corpus.directory / "shards" / "000001.jsonl"
    path.write_text(path.read_text().replace("t4", "t5"))
    assert corpus.begin(IDENTITY, []) == 1
    assert corpus.has(0)
    assert not corpus.has(1)


@pytest.mark.parametrize("name", ["train.source", "dev.target"])
def test_damaged_text_is_not_learnt(corpus, name):
    corpus.finish({"train": [replace(pair, target_language=None) for pair in PAIRS], "dev": PAIRS[:1]})
    (path,) = corpus.directory.glob(name.replace(".", "*."))
    path.write_text(path.read_text() + "more\n")
    with pytest.raises(RecipeError, match=rf"{path.name} is damaged, or was changed by hand.*name another --out"):
        corpus.readers()


def test_damage_is_named(corpus):
    (corpus.directory / "shards" / "000001.jsonl").write_text('{"text": 3')
    with pytest.raises(RecipeError, match=r"000001\.jsonl cannot be read .* delete it and go on with --resume"):
        corpus.finish({"train": PAIRS})
    (corpus.directory / "record.json").write_text("{")
    with pytest.raises(RecipeError, match=r"record\.json is damaged"):
        corpus.check(IDENTITY)
    accept(corpus.directory)
    with pytest.raises(RecipeError, match=r"record\.json cannot be read"):
        corpus.check(IDENTITY)


class Lazy(Sequence):
    """Pairs that are in memory one at a time."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, row):
        if row >= self.count:
            raise IndexError
        return Pair(f"source {row} " + "s" * 200, f"target {row} " + "t" * 200, ["fr", "ko"][row % 2], f"file:{row}")


def peak(directory, shards):
    """Of the memory in use while that many shards of 1,000 become readable files."""
    corpus, pairs = DistilledCorpus(directory), Lazy(1000 * shards)
    corpus.begin(IDENTITY, ["runs/teacher"])
    for number in range(shards):
        corpus.keep(number, [Distilled(f"distilled {row} " + "d" * 200, 0, -1.0) for row in range(1000)])
    tracemalloc.start()
    try:
        corpus.finish({"train": pairs, "original": pairs})
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        assert len(read(corpus, "train")) == len(read(corpus, "original")) == len(pairs)


def test_the_end_holds_no_more_than_a_shard(tmp_path):
    few, many = peak(tmp_path / "few", 4), peak(tmp_path / "many", 16)
    assert many < few + 1_000_000, "of 8 MB more of text"


def test_what_was_begun_before_an_error_is_not_left(corpus):
    with pytest.raises(ValueError, match="zip"):
        corpus.finish({"train": PAIRS[:4]})
    assert {path.name for path in corpus.directory.iterdir()} == {"SHA256SUMS", "record.json", "shards"}
