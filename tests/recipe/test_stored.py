"""A corpus that is prepared on disk is the one that would be in memory, whatever happens to its files and processes."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyhead.data.encode import Encoder
from polyhead.data.stored import read_lock
from polyhead.data.stored.processes import Share
from polyhead.data.stored.worker import TASKS
from polyhead.data.suspicions import of_validation
from polyhead.errors import PolyheadError, RecipeError, WriteError
from polyhead.recipe import stored as module
from polyhead.recipe import stored_text
from polyhead.recipe.load import make_recipe
from polyhead.recipe.prepare import Pairs, make_tokenizers, read_pairs
from polyhead.recipe.schema import DataConfig
from polyhead.recipe.stored import read_stored, store_for, stored_tokenizers, stored_tokens
from polyhead.recipe.train import train
from polyhead.tokenizers.config import TokenizerConfig

TOKENIZER = TokenizerConfig(vocabulary_size=300)


@pytest.fixture
def here(monkeypatch):
    """Lets this process do the work of the others, which takes a second to start one."""

    def work(self, task, rows, parts):
        do = TASKS[task["task"]](json.loads(json.dumps(task)))
        starts = range(0, rows, self.rows_at_a_time)
        return [do(start, min(rows, start + self.rows_at_a_time), parts / f"{start:012d}") for start in starts]

    monkeypatch.setattr(Share, "__call__", work)


def config_of(directory: Path, pairs, name="train", **more) -> DataConfig:
    """The settings of a corpus of these (source, target) in a file of JSON, which holds any text."""
    path = directory / f"{name}.jsonl"
    path.write_text("".join(json.dumps({"en": one, "fr": other}) + "\n" for one, other in pairs), encoding="utf-8")
    reader = {"kind": "pairs", "path": str(path), "source_language": "en", "target_language": "fr"}
    return DataConfig.model_validate({"train": [reader], **more})


def read(config: DataConfig, store: Path, seed: int = 1) -> tuple[Pairs, list[str]]:
    said: list[str] = []
    return read_stored(config, seed, store, said.append), said


def toy_pairs(number: int = 300) -> list[tuple[str, str]]:
    return [(f"the dog number {n} runs", f"le chien numéro {n} court") for n in range(number)]


def encoders(pairs: Pairs, tokenizer: TokenizerConfig = TOKENIZER, max_tokens: int = 12) -> Encoder:
    return Encoder(*make_tokenizers(pairs.train, tokenizer, pairs.languages), len(pairs.languages) > 1, max_tokens)


TEXT = st.text(
    st.characters(codec=None, exclude_categories=["Cs"]) | st.sampled_from("ab \t\u2028é한\ud800"), max_size=8
)
WORDS = st.sampled_from(["", " ", "a dog", "a cat sat", "le chien", "x" * 90, "number " * 12])
SIDES = st.tuples(WORDS | TEXT, WORDS | TEXT)


@pytest.mark.usefixtures("here")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(
    st.lists(SIDES, min_size=1, max_size=40),
    st.lists(SIDES, max_size=5),
    st.sampled_from([1.0, 0.5, 2.0]),
    st.booleans(),
    st.booleans(),
    st.integers(1, 9),
)
def test_what_is_read_from_the_disk_is_what_would_be_in_memory(
    tmp_path_factory, texts, others, weight, both, duplicates, seed
):
    directory = tmp_path_factory.mktemp("store")
    pairs = [("a dog", "un chien"), ("a cat", "un chat"), *texts]
    data = config_of(directory, pairs, cleaning={"drop_duplicates": duplicates}).model_dump(mode="json")
    if others:
        more = config_of(directory, [("more", "plus"), *others], "more").model_dump(mode="json")["train"][0]
        data["train"].append({**more, "weight": weight})
    config = DataConfig.model_validate({
        **data, "both_directions": both, "source_language": "en", "target_language": "fr",
    })  # fmt: skip
    in_memory = read_pairs(config, seed)
    on_disk, _ = read(config, directory / "store", seed)
    assert list(on_disk.train) == list(in_memory.train)
    assert (on_disk.dev, on_disk.report, on_disk.held_out) == (in_memory.dev, in_memory.report, in_memory.held_out)
    assert on_disk.facts == in_memory.facts
    assert np.array_equal(on_disk.contents, in_memory.contents)
    assert of_validation(on_disk.dev, on_disk.contents) == of_validation(in_memory.dev, in_memory.contents)
    assert (on_disk.weights is None) == (in_memory.weights is None)
    assert on_disk.weights is None or np.array_equal(on_disk.weights, in_memory.weights)
    encoder = encoders(in_memory)
    corpus, report = stored_tokens(on_disk.stored, encoder, print)
    expected, expected_report = encoder(in_memory.train)
    for name in ("source_ids", "source_offsets", "target_ids", "target_offsets"):
        assert np.array_equal(getattr(corpus, name), getattr(expected, name))
        assert getattr(corpus, name).dtype == getattr(expected, name).dtype
    assert np.array_equal(report.rows, expected_report.rows)
    assert (report.kept, report.too_long, report.example, report.longest_source) == (
        expected_report.kept, expected_report.too_long, expected_report.example, expected_report.longest_source,
    )  # fmt: skip


def test_several_processes_make_what_one_would(tmp_path, monkeypatch):
    monkeypatch.setattr(Share, "rows_at_a_time", 70)
    monkeypatch.setattr(Share.__init__, "__defaults__", (70, *Share.__init__.__defaults__[1:]))
    monkeypatch.setattr(module, "cores", lambda: 3)
    monkeypatch.setattr(stored_text, "cores", lambda: 3)
    config = config_of(tmp_path, toy_pairs())
    pairs, _ = read(config, tmp_path / "store")
    in_memory = read_pairs(config, 1)
    assert list(pairs.train) == list(in_memory.train)
    encoder = encoders(in_memory, max_tokens=40)
    corpus, report = stored_tokens(pairs.stored, encoder, print)
    assert np.array_equal(corpus.source_ids, encoder(in_memory.train)[0].source_ids)
    assert np.array_equal(corpus.target_offsets, encoder(in_memory.train)[0].target_offsets)
    assert report.rows.tolist() == list(range(len(pairs.train)))


@pytest.mark.usefixtures("here")
def test_the_second_run_finds_everything_whatever_its_model(tmp_path, monkeypatch):
    config, store = config_of(tmp_path, toy_pairs()), tmp_path / "store"
    first, _ = read(config, store)
    tokenizers = stored_tokenizers(
        first.stored, TOKENIZER, (), lambda: make_tokenizers(first.train, TOKENIZER, ()), print
    )
    stored_tokens(first.stored, Encoder(*tokenizers, False, 12), print)
    before = sorted(path.relative_to(store) for path in store.rglob("*"))
    monkeypatch.setattr(stored_text, "TextWriter", None)
    monkeypatch.setattr(module, "encode_all", None)
    second, _ = read(config, store)
    again = stored_tokenizers(second.stored, TOKENIZER.model_copy(update={"dropout": 0.1}), (), lambda: 1 / 0, print)
    assert again[0].config.dropout == 0.1
    stored_tokens(second.stored, Encoder(*again, False, 12), print)
    assert sorted(path.relative_to(store) for path in store.rglob("*")) == before


def directories(store: Path) -> set[str]:
    return {path.name for path in store.glob("*") if path.is_dir()}


@pytest.mark.usefixtures("here")
def test_each_part_of_the_fingerprint_makes_another_corpus(tmp_path, monkeypatch):
    pairs, store = toy_pairs(), tmp_path / "store"
    config, path = config_of(tmp_path, pairs), tmp_path / "train.jsonl"
    seen = [read(config, store)[0].stored.directory.name]
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns

    def changed(config: DataConfig, seed: int = 1) -> None:
        name = read(config, store, seed)[0].stored.directory.name
        assert name not in seen
        seen.append(name)

    changed(config, seed=2)
    changed(config.model_copy(update={"cleaning": config.cleaning.model_copy(update={"max_words": 5})}))
    changed(config.model_copy(update={"target_language": "fr-CA"}))
    changed(config.model_copy(update={"train": (config.train[0].model_copy(update={"weight": 2.0}),)}))
    changed(config.model_copy(update={"train": (config.train[0].model_copy(update={"swapped": True}),)}))
    os.utime(path, ns=(times[0], times[1] + 1))
    changed(config)
    config_of(tmp_path, [("THE dog number 0 runs", pairs[0][1]), *pairs[1:]])  # of the same size
    os.utime(path, ns=times)
    changed(config)
    config_of(tmp_path, [*pairs, pairs[0]])
    os.utime(path, ns=times)
    changed(config)
    monkeypatch.setattr("polyhead.__version__", "999")
    changed(config)


@pytest.mark.usefixtures("here")
def test_other_vocabularies_and_limits_make_other_token_ids(tmp_path):
    pairs, _ = read(config_of(tmp_path, toy_pairs()), tmp_path / "store")
    encoder = encoders(pairs)
    for each in (
        encoder,
        encoders(pairs, TokenizerConfig(vocabulary_size=290)),
        encoders(pairs, TOKENIZER.model_copy(update={"lowercase": True})),
        Encoder(*make_tokenizers(pairs.train, TOKENIZER, ("en", "fr")), True, encoder.max_tokens),
        Encoder(*make_tokenizers(pairs.train, TOKENIZER, ("en", "fr")), False, encoder.max_tokens),
        Encoder(encoder.source, encoder.target, False, 11),
    ):
        stored_tokens(pairs.stored, each, print)
    assert len(list(pairs.stored.directory.glob("tokens-*"))) == 6


@pytest.mark.usefixtures("here")
def test_what_was_made_of_files_that_changed_since_is_removed(tmp_path):
    config, store = config_of(tmp_path, toy_pairs()), tmp_path / "store"
    read(config, store, seed=1)
    read(config, store, seed=2)
    config_of(tmp_path, toy_pairs(301))
    pairs, _ = read(config, store, seed=1)
    assert pairs.report.read == 301
    assert len(directories(store)) == 2
    assert pairs.stored.directory.name in directories(store)


@pytest.mark.usefixtures("here")
def test_what_another_process_still_reads_is_not_removed_before_that_ends(tmp_path):
    config, store = config_of(tmp_path, toy_pairs()), tmp_path / "store"
    reading, _ = read(config, store)
    changed = config_of(tmp_path, toy_pairs(301))
    read(changed, store)
    assert reading.stored.directory.is_dir()
    encoder = encoders(reading)
    corpus, _ = stored_tokens(reading.stored, encoder, print)
    assert np.array_equal(corpus.source_ids, encoder(reading.train)[0].source_ids)
    outdated = reading.stored.directory
    del reading, corpus
    read(changed, store)
    assert not outdated.exists()
    assert len(directories(store)) == 1


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("when", ["before it is opened", "before it is locked"])
def test_a_corpus_that_is_removed_as_it_is_taken_up_is_made_again(tmp_path, monkeypatch, when):
    config, store = config_of(tmp_path, toy_pairs()), tmp_path / "store"
    read(config, store)
    (record,) = store.glob("corpus-*/record.json")
    place = {"before it is opened": "open_regular", "before it is locked": "_lock"}[when]
    usual = getattr(read_lock, place)

    def late(*arguments, **named):
        monkeypatch.setattr(read_lock, place, usual)
        read_lock.delete_unused(record)
        return usual(*arguments, **named)

    monkeypatch.setattr(read_lock, place, late)
    pairs, _ = read(config, store)
    assert list(pairs.train) == list(read_pairs(config, 1).train)
    assert pairs.stored.directory.is_dir()


@pytest.mark.usefixtures("here")
def test_without_locks_a_corpus_is_read_and_none_is_removed(tmp_path, monkeypatch):
    def lock(descriptor, operation):
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr("fcntl.flock", lock)
    config, store = config_of(tmp_path, toy_pairs()), tmp_path / "store"
    read(config, store)
    read(config_of(tmp_path, toy_pairs(301)), store)
    assert len(directories(store)) == 2


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("kind", ["changed", "cut", "gone"])
def test_damage_is_found_in_every_file_and_mended(tmp_path, kind):
    config, store = config_of(tmp_path, [*toy_pairs(), ("", "")]), tmp_path / "store"
    pairs, _ = read(config, store)
    encoder = encoders(pairs)
    expected = list(pairs.train), stored_tokens(pairs.stored, encoder, print)[0].source_ids.tolist()
    files = [path for path in sorted(store.rglob("*")) if path.is_file() and path.stat().st_size]
    assert len(files) > 14
    for path in files:
        whole = path.read_bytes()
        if kind == "gone":
            path.unlink()
        else:
            path.write_bytes(whole[:-9] if kind == "cut" else bytes([whole[0] ^ 1]) + whole[1:])
        again, said = read(config, store)
        corpus, _ = stored_tokens(again.stored, encoder, said.append)
        assert (list(again.train), corpus.source_ids.tolist()) == expected, path
        assert sum("it is made anew" in sentence for sentence in said) == 1, (path, said)
        path.write_bytes(whole)  # whatever was made anew is the same but for the origin of the digests


def test_killed_at_any_moment_it_leaves_nothing_that_is_believed(tmp_path):
    config, store = config_of(tmp_path, toy_pairs(2000)), tmp_path / "store"
    code = (
        "import json, sys; from pathlib import Path; from polyhead.recipe.schema import DataConfig\n"
        "from polyhead.recipe.stored import read_stored\n"
        "read_stored(DataConfig.model_validate_json(sys.argv[1]), 1, Path(sys.argv[2]), print)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", code, config.model_dump_json(), str(store)]
    expected = list(read_pairs(config, 1).train)
    killed = 0
    for wait in (0.0, 0.1, 0.4):
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        limit = time.monotonic() + 60
        while not list(store.glob(".corpus-*")) and process.poll() is None and time.monotonic() < limit:
            time.sleep(0.005)
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        killed += process.wait() != 0
        assert all(name.startswith(".corpus-") for name in directories(store)) or not process.returncode
    assert killed
    pairs, _ = read(config, store)
    assert list(pairs.train) == expected
    assert directories(store) == {pairs.stored.directory.name}


def test_a_process_that_is_killed_is_said_and_nothing_stays(tmp_path, monkeypatch):
    config, store = config_of(tmp_path, toy_pairs()), tmp_path / "store"
    monkeypatch.setattr("polyhead.data.stored.processes.sys.executable", shutil.which("false"))
    with pytest.raises(PolyheadError, match="a process that prepared the corpus ended with exit status 1"):
        read(config, store)
    assert not store.exists()


def test_what_a_process_cannot_write_is_said(tmp_path, monkeypatch):
    config = config_of(tmp_path, toy_pairs())
    pairs, _ = read(config, tmp_path / "store")
    encoder = encoders(pairs)

    def blocked(self, task, rows, parts, share=Share.__call__):
        (parts / f"{0:012d}").write_text("a file where a folder is to be")
        return share(self, task, rows, parts)

    monkeypatch.setattr(Share, "__call__", blocked)
    with pytest.raises(PolyheadError, match="0{12} cannot be written"):
        stored_tokens(pairs.stored, encoder, print)
    assert not list(pairs.stored.directory.glob("*tokens*"))


@pytest.mark.usefixtures("here")
def test_a_disk_without_room_is_refused_before_anything_is_written(tmp_path, monkeypatch):
    config, store = config_of(tmp_path, toy_pairs()), tmp_path / "store"
    usage = namedtuple("usage", "total used free")(10**9, 10**9, 100)  # noqa: PYI024
    monkeypatch.setattr("polyhead.data.stored.room.shutil.disk_usage", lambda path: usage)
    with pytest.raises(WriteError, match="takes about 0.0 GB.*--data.store") as refused:
        read(config, store)
    assert len(str(refused.value)) < 300
    assert not store.exists()


@pytest.mark.usefixtures("here")
def test_a_mistake_in_the_text_is_said_as_ever_and_leaves_nothing(tmp_path):
    source, target = tmp_path / "a.en", tmp_path / "a.fr"
    source.write_text("one\ntwo\n", encoding="utf-8")
    target.write_text("un\n", encoding="utf-8")
    config = DataConfig.model_validate({"train": [{"kind": "lines", "source": str(source), "target": str(target)}]})
    with pytest.raises(PolyheadError, match="not aligned"):
        read(config, tmp_path / "store")
    target.write_text("\n\n", encoding="utf-8")
    with pytest.raises(RecipeError, match=r"nothing is left to train on after cleaning 2 pairs \(empty: 2\)"):
        read(config, tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_of_two_that_begin_together_one_waits_and_finds_what_the_other_made(tmp_path, monkeypatch):
    config, store = config_of(tmp_path, toy_pairs()), tmp_path / "store"
    made = []
    make = module.make_text

    def slowly(*arguments):
        made.append(arguments)
        time.sleep(2)
        make(*arguments)

    monkeypatch.setattr(module, "make_text", slowly)
    found: list[tuple[Pairs, list[str]]] = []
    threads = [threading.Thread(target=lambda: found.append(read(config, store))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert list(found[0][0].train) == list(found[1][0].train)
    assert sum("waiting for another process" in " ".join(said) for _, said in found) == 1


def test_the_store_is_used_for_large_files_and_where_it_is_asked_for(tmp_path, monkeypatch):
    values = {"out": str(tmp_path / "models" / "one"), "model": {}}
    data = config_of(tmp_path, toy_pairs()).model_dump(mode="json")
    assert store_for(make_recipe({**values, "data": data})) is None
    asked = make_recipe({**values, "data": {**data, "store": str(tmp_path / "mine")}})
    assert store_for(asked) == (tmp_path / "mine", "as it is asked for")
    monkeypatch.setattr(module, "LARGE", 1000)
    place, why = store_for(make_recipe({**values, "data": data}))
    assert place == tmp_path / "models" / "polyhead-store"
    assert "are read from the disk and not kept in memory" in why


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("dropout", [0.0, 0.2])
def test_a_model_trained_from_the_disk_is_the_one_trained_from_memory(toy, dropout, capsys):
    weights = []
    for store in (None, str(toy.directory / "store")):
        values = toy.values(
            out=str(toy.directory / f"model-{store is None}"), training__max_updates=8, training__validate_every=4
        )
        values["tokenizer"] = {**values.get("tokenizer", {}), "kind": "bpe", "dropout": dropout, "vocabulary_size": 300}
        values["data"] = {**values["data"], "dev": [], **({} if store is None else {"store": store})}
        outcome = train(values)
        weights.append((outcome.directory / "model.safetensors").read_bytes())
        data = json.loads((outcome.directory / "training" / "data.json").read_text())
        weights.append(data)
    assert weights[0] == weights[2]
    assert weights[1] == weights[3]
    assert "chosen: data.store = " in capsys.readouterr().err


@pytest.mark.usefixtures("here")
def test_a_run_from_the_disk_is_gone_on_with_from_another_store(toy):
    values = toy.values(training__max_updates=4, training__validate_every=2)
    values["data"] = {**values["data"], "dev": [], "store": str(toy.directory / "store")}
    train(values)
    shutil.rmtree(toy.directory / "store")
    values["data"]["store"] = str(toy.directory / "elsewhere")
    values["training"]["max_updates"] = 6
    assert train(values, resume=True).finished
