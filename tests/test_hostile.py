"""Absurd and hostile model directories, recipes and command lines: one sentence, at once, with little memory."""

import json
import os
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import example, given
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from polyhead.bundle.load import load_bundle
from polyhead.errors import PolyheadError
from polyhead.model.config import RNNAttentionConfig, RNNConfig, TransformerConfig
from polyhead.recipe.load import make_recipe, read_toml
from polyhead.recipe.room import check_room
from tests.small import write_small

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits and pipes as POSIX has them")

SHAPE = TransformerConfig(encoder_layers=1, decoder_layers=1, d_model=16, d_ff=32, num_heads=2, max_length=40)
PROCESS = Path(__file__).with_name("hostile_process.py")
LONGEST = 300
SECONDS = 5.0
"""A second on a machine of one's own."""

Make = Callable[[Path], None]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A small model directory of each kind."""
    root = tmp_path_factory.mktemp("models")
    shapes = {
        "transformer": SHAPE,
        "rnn": RNNConfig(d_model=8, hidden_size=8),
        "rnn-attention": RNNAttentionConfig(d_model=8, hidden_size=8),
    }
    return {name: write_small(root / name, shape) for name, shape in shapes.items()}


def changed(*keys: str, to: Any) -> Make:
    """`config.json` with another value at `keys`."""

    def make(directory: Path) -> None:
        path = directory / "config.json"
        values = json.loads(path.read_text(encoding="utf-8"))
        inner = values
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = to
        path.write_text(json.dumps(values), encoding="utf-8")

    return make


def written(name: str, content: bytes) -> Make:
    def make(directory: Path) -> None:
        (directory / name).write_bytes(content)

    return make


def replaced(name: str, by: Callable[[Path], Any]) -> Make:
    def make(directory: Path) -> None:
        (directory / name).unlink()
        by(directory / name)

    return make


def as_pipe(name: str) -> Make:
    return replaced(name, os.mkfifo)


def as_zeros(name: str) -> Make:
    return replaced(name, lambda path: path.symlink_to("/dev/zero"))


def as_directory(name: str) -> Make:
    return replaced(name, Path.mkdir)


def as_terabyte(name: str) -> Make:
    def make(path: Path) -> None:
        with path.open("wb") as file:
            file.truncate(1 << 40)

    return replaced(name, make)


def with_header(header: Any, size: int = 0) -> Make:
    """`model.safetensors` of that header and so many bytes after it, which take no room."""

    def make(directory: Path) -> None:
        text = json.dumps(header).encode()
        with (directory / "model.safetensors").open("wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            file.truncate(8 + len(text) + size)

    return make


def without_shape(directory: Path) -> None:
    path = directory / "model.safetensors"
    weights = load_file(path)
    save_file({name: weight.reshape(-1) for name, weight in weights.items()}, path)


WEIGHTS, VOCABULARY = "model.safetensors", "shared.spm"
TENSOR = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
DIRECTORIES: dict[str, Make] = {
    **{f"{name} is a pipe": as_pipe(name) for name in ("config.json", WEIGHTS, VOCABULARY)},
    **{f"{name} is /dev/zero": as_zeros(name) for name in ("config.json", WEIGHTS, VOCABULARY)},
    **{f"{name} is a directory": as_directory(name) for name in ("config.json", WEIGHTS, VOCABULARY)},
    **{f"{name} has a terabyte": as_terabyte(name) for name in ("config.json", WEIGHTS, VOCABULARY)},
    **{f"{name} is empty": written(name, b"") for name in ("config.json", WEIGHTS, VOCABULARY)},
    **{f"{name} is NULs": written(name, bytes(1000)) for name in ("config.json", WEIGHTS, VOCABULARY)},
    **{
        f"{key} is {value:.0e}": changed("model", key, to=value)
        for key in ("encoder_layers", "decoder_layers", "d_model", "d_ff", "num_heads", "max_length")
        for value in (10**5, 10**6, 10**7, 10**9, 10**21)
        if (key, value) != ("max_length", 10**5)  # of so narrow a model the table is small
    },
    **{
        f"{key} is {value!r}": changed("model", key, to=value)
        for key in ("encoder_layers", "d_model", "max_length")
        for value in (0, -1, True, 1.5, "x", None, [], {}, "9" * 5000)
    },
    "sizes that belong together but not to the weights": changed(
        "model", to={"kind": "transformer", "encoder_layers": 1000, "decoder_layers": 1000, "d_model": 65536}
    ),
    "an enormous whole number": written("config.json", b'{"format": 1, "source_vocabulary": ' + b"9" * 4000 + b"}"),
    "a number too long to be read": written("config.json", b'{"format": ' + b"9" * 100_000 + b"}"),
    "an enormous format": written("config.json", b'{"format": ' + b"9" * 4000 + b"}"),
    "a format that is a long text": written("config.json", b'{"format": "' + b"x" * 100_000 + b'"}'),
    "no object": written("config.json", b"[1]"),
    "nested lists": written("config.json", b"[" * 100_000),
    "nested objects": written("config.json", b'{"a":' * 40_000),
    "a byte order mark": written("config.json", b"\xef\xbb\xbf{}"),
    "UTF-16": written("config.json", '{"format": 1}'.encode("utf-16")),
    "a very long key": written("config.json", b'{"format": 1, "' + b"k" * 100_000 + b'": 1}'),
    "very many keys": written("config.json", json.dumps({"format": 1, **{str(i): i for i in range(20_000)}}).encode()),
    "a long language": changed("source_language", to="x" * 100_000),
    "half a surrogate pair": changed("source_language", to="\ud800"),
    "very many languages": changed("target_languages", to=["x"] * 20_000),
    "a beam of 10^9": changed("decoding", "beam_size", to=10**9),
    "a beam of 10^5": changed("decoding", "beam_size", to=10**5),
    "a ratio of 1e308": changed("decoding", "max_length_ratio", to=1e308),
    "an infinite ratio": changed("decoding", "max_length_ratio", to=float("inf")),
    "a ratio that is no number": changed("decoding", "max_length_ratio", to=float("nan")),
    "an offset of 10^9": changed("decoding", "max_length_offset", to=10**9),
    "a patience of 1e308": changed("decoding", "patience", to=1e308),
    "a vocabulary of 10^21": changed("source_vocabulary", to=10**21),
    "a larger vocabulary": changed("source_vocabulary", to=900_000),
    "a longest source of 10^12": changed("longest_source", to=10**12),
    "a vocabulary of other pieces": written(VOCABULARY, b"\x0a\x00" * 2_000_000),
    "a vocabulary of noise": written(VOCABULARY, b"\xff" * 1_000_000),
    "weights of no shape": without_shape,
    "a header of a gigabyte": written(WEIGHTS, struct.pack("<Q", 1 << 30) + b"{}"),
    "a header longer than can be": written(WEIGHTS, b"\xff" * 16),
    "a header nested deeply": written(WEIGHTS, struct.pack("<Q", 100_000) + b"[" * 100_000),
    "no weights at all": with_header({}),
    "very many weights": with_header(
        {f"w{i}": {**TENSOR, "shape": [0], "data_offsets": [0, 0]} for i in range(60_000)}
    ),
    "a weight of another name": with_header({"x" * 10_000: TENSOR}, 4),
    "a weight of very many axes": with_header({"source_embedding.tokens.weight": {**TENSOR, "shape": [1] * 50_000}}, 4),
    "a weight of no numbers and impossible sizes": with_header(
        {"x": {**TENSOR, "shape": [0, 1 << 62, 4], "data_offsets": [0, 0]}}
    ),
    "a shape whose product overflows": with_header({"x": {**TENSOR, "shape": [1 << 32, 1 << 32, 1 << 32]}}, 4),
    "a weight of a terabyte": with_header(
        {"x": {"dtype": "F32", "shape": [1 << 38], "data_offsets": [0, 1 << 40]}}, 1 << 40
    ),
    "weights of whole numbers": with_header({"x": {**TENSOR, "dtype": "I32"}}, 4),
}
READER = {"kind": "lines", "source": "a", "target": "b"}
RECIPE: dict[str, Any] = {"out": "model", "data": {"train": [READER]}, "model": {}}


def recipe(**tables: Any) -> bytes:
    return tomli_w.dumps({**RECIPE, **tables}).encode()


RECIPES: dict[str, bytes] = {
    "lists nested 10^5 deep": b"x = " + b"[" * 100_000,
    "tables nested 10^5 deep": b"x = " + b"{a=" * 50_000,
    "a key of 10^5 parts": b"a." * 100_000 + b"a = 1",
    "many keys of 100 parts": b"".join(b"k%d." % i + b"a." * 95 + b"a = 1\n" for i in range(1200)),
    "a number of 10^5 digits": b"seed = " + b"9" * 100_000,
    "a number of 10^5 digits to base 16": b"seed = 0x" + b"f" * 100_000 + b"\n" + recipe(),
    "very many keys": b"".join(b"k%d = 1\n" % i for i in range(15_000)) + recipe(),
    "a long key": b"k" * 200_000 + b" = 1\n" + recipe(),
    "a long value": b'seed = "' + b"x" * 200_000 + b'"\n' + recipe(),
    "more than a recipe": b"#" * 2_000_000,
    "NULs": bytes(1000),
    "UTF-16": "seed = 1".encode("utf-16"),
    "a NUL in a path": b'out = "a\\u0000b"\n[data]\ntrain = []\n',
    "a seed below 0": recipe(seed=-1),
    "a vocabulary of 10^18": recipe(tokenizer={"vocabulary_size": 10**18}),
    "a vocabulary of 10^21": b"[tokenizer]\nvocabulary_size = 1000000000000000000000\n",
    "10^5 layers": recipe(model={"encoder_layers": 10**5}),
    "a d_ff of 10^9": recipe(model={"d_ff": 10**9}),
    "infinite dropout": recipe(model={"dropout": float("inf")}),
    "a beam of 10^9": recipe(decoding={"beam_size": 10**9}),
    "a truth for a number": recipe(model={"d_model": True}),
    "a preset that is a list": recipe(model={"preset": [[1]]}),
}
COMMANDS: dict[str, list[str]] = {
    "a seed below 0": ["translate", "M", "--seed", "-1"],
    "a beam of 10^9": ["translate", "M", "--beam", "1000000000"],
    "a beam of 1.5": ["translate", "M", "--beam", "1.5"],
    "a beam of 10^5 digits": ["translate", "M", "--beam", "9" * 100_000],
    "a temperature that is no number": ["translate", "M", "--sample", "--temperature", "nan"],
    "an infinite penalty": ["translate", "M", "--length-penalty", "inf"],
    "10^9 threads": ["translate", "M", "--threads", "1000000000"],
    "10^12 batch tokens": ["translate", "M", "--batch-tokens", "1000000000000"],
    "a long option": ["translate", "M", "--" + "x" * 100_000],
    "a long command": ["x" * 100_000],
    "a long directory": ["translate", "x" * 100_000],
    "a directory in a long path": ["info", "x/" * 1000],
    "a directory that would drive the terminal": ["info", "\x1b[2J"],
    "a key of many parts": ["train", "--a" + ".a" * 50_000, "1"],
    "a key with a nested value": ["train", "--source", "a", "--target", "b", "--seed", "[" * 50_000],
    "a seed of the demo below 0": ["demo", "--seed", "-5"],
    "10^9 best": ["shortlist", "M", "--best", "1000000000"],
    "an infinite timeout": ["serve", "M", "--timeout", "inf"],
    "10^30 MiB": ["serve", "M", "--memory", "1" + "0" * 30],
    "a port of 10^9": ["serve", "M", "--port", "1000000000"],
    "a layer of -10^9": ["look", "M", "x", "--html", "y", "--layer", "-1000000000"],
    "a recipe without an end": ["train", "/dev/zero"],
    "a corpus without an end": ["check", "--source", "/dev/zero", "--target", "/dev/zero"],
    "an API key without an end": ["serve", "M", "--api-key-file", "/dev/zero"],
}


@pytest.fixture(scope="module")
def answers(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What the commands did, each by its name."""
    root = tmp_path_factory.mktemp("hostile")
    asked: dict[str, list[str]] = {}
    for number, (name, make) in enumerate(DIRECTORIES.items()):
        shutil.copytree(models["transformer"], root / str(number))
        make(root / str(number))
        asked[f"directory: {name}"] = ["info", str(root / str(number))]
    for number, (name, content) in enumerate(RECIPES.items()):
        (root / f"{number}.toml").write_bytes(content)
        asked[f"recipe: {name}"] = ["train", str(root / f"{number}.toml"), "--out", str(root / "out")]
    asked |= {f"command: {name}": words for name, words in COMMANDS.items()}
    done = subprocess.run(
        [sys.executable, str(PROCESS)],
        input=json.dumps(list(asked.values())),
        capture_output=True,
        text=True,
        check=True,
        cwd=root,
        timeout=400,
    )
    return dict(zip(asked, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize(
    "name",
    [
        *(f"directory: {name}" for name in DIRECTORIES),
        *(f"recipe: {name}" for name in RECIPES),
        *(f"command: {name}" for name in COMMANDS),
    ],
)
def test_it_is_refused_in_a_sentence(name: str, answers: dict[str, dict[str, Any]]) -> None:
    answer = answers[name]
    said = answer["said"]
    assert "Traceback" not in said, said
    assert answer["status"] in (1, 2), said
    assert said.startswith("polyhead: ")
    assert said.isprintable() or said.replace("\n", "").isprintable()
    assert len(said.rstrip("\n")) < LONGEST, said
    assert said.rstrip("\n").count("\n") <= (answer["status"] == 2), said
    assert answer["seconds"] < SECONDS


HOSTILE_NUMBERS = st.sampled_from(
    [0, -1, 1, 2, 3, 255, 10**4, 10**6, 2**31, 2**63, 10**21, 10**400, 1e308, 5e-324, float("inf"), float("nan"), -0.0]
)
VALUES = st.recursive(
    st.one_of(
        HOSTILE_NUMBERS, st.integers(), st.floats(), st.text(max_size=20), st.booleans(), st.none(),
        st.just("x" * 10_000), st.just("\0"), st.just("none"),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=5,
)  # fmt: skip


def places(values: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The keys to every value within values."""
    inner = values.items() if isinstance(values, dict) else enumerate(values) if isinstance(values, list) else ()
    return [found for key, value in inner for found in [(*above, key), *places(value, (*above, key))]]


def put(values: Any, place: tuple[Any, ...], value: Any) -> Any:
    """Values with another one at that place."""
    if not place:
        return value
    copy = dict(values) if isinstance(values, dict) else list(values)
    copy[place[0]] = put(copy[place[0]], place[1:], value)
    return copy


def mutated(values: Any, data: st.DataObject) -> Any:
    """One to three values replaced."""
    for _ in range(data.draw(st.integers(1, 3))):
        if choices := places(values):
            values = put(values, data.draw(st.sampled_from(choices)), data.draw(VALUES))
    return values


@pytest.mark.parametrize("kind", ["transformer", "rnn", "rnn-attention"])
@given(data=st.data())
def test_any_settings_in_a_model_directory_load_or_are_refused_at_once(
    kind: str, models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    directory = tmp_path_factory.getbasetemp() / f"mutated-{kind}"
    if not directory.exists():
        shutil.copytree(models[kind], directory)
    original = json.loads((models[kind] / "config.json").read_text(encoding="utf-8"))
    (directory / "config.json").write_text(json.dumps(mutated(original, data)), encoding="utf-8")
    began = time.monotonic()
    try:
        load_bundle(directory)
    except PolyheadError as error:
        assert len(str(error)) < LONGEST  # noqa: PT017  it may be refused, and need not be
    assert time.monotonic() - began < SECONDS


@given(data=st.data())
def test_any_header_of_weights_loads_or_is_refused_at_once(
    models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    directory = tmp_path_factory.getbasetemp() / "mutated-weights"
    if not directory.exists():
        shutil.copytree(models["transformer"], directory)
    whole = (models["transformer"] / WEIGHTS).read_bytes()
    begin = 8 + struct.unpack("<Q", whole[:8])[0]
    header = json.dumps(mutated(json.loads(whole[8:begin]), data)).encode()
    (directory / WEIGHTS).unlink()  # the pages of what was loaded before stay as they are
    (directory / WEIGHTS).write_bytes(struct.pack("<Q", len(header)) + header + whole[begin:])
    began = time.monotonic()
    try:
        load_bundle(directory)
    except PolyheadError as error:
        assert len(str(error)) < LONGEST  # noqa: PT017
    assert time.monotonic() - began < SECONDS


FULL: dict[str, Any] = make_recipe(
    {
        **RECIPE,
        "data": {
            "train": [READER, {"kind": "tsv", "path": "c"}],
            "dev": [READER],
            "test": [READER],
            "source_language": "en",
            "target_language": "fr",
        },
    }
).model_dump(mode="json", exclude_none=True)


@given(data=st.data())
def test_any_values_in_a_recipe_are_taken_or_refused_at_once(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    import torch

    values, path = mutated(FULL, data), tmp_path_factory.getbasetemp() / "mutated.toml"
    try:
        path.write_text(tomli_w.dumps(values), encoding="utf-8")
    except (TypeError, ValueError, AttributeError, UnicodeError):
        return  # TOML can't say it
    began = time.monotonic()
    try:
        check_room(make_recipe(read_toml(path)).model, torch.device("cpu"))
    except PolyheadError as error:
        assert len(str(error)) < LONGEST  # noqa: PT017
    assert time.monotonic() - began < SECONDS


@given(text=st.text(max_size=300))
@example(text="a = 1\na.b = 2")
@example(text="[[a]]\n[a]")
@example(text='"" = 1')
@example(text="a = 0000-00-00")
@example(text="x = 1e999999999")
def test_any_text_is_a_recipe_or_refused(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PolyheadError):
        make_recipe(read_toml(path))
