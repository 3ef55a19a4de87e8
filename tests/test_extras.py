"""Without the packages of an extra: what needs none of them works, and what needs one says what to install."""

import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import polyhead
from polyhead.errors import PolyheadError
from polyhead.extras import EXTRAS, missing_extra, needing_extra
from polyhead.model.config import RNNConfig, TransformerConfig
from tests.small import write_small

WITHOUT = f"""
import importlib.abc, sys

class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {sorted(EXTRAS)!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""
"""What a Python runs first that has none of the extras' packages."""


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", f"{WITHOUT}\n{code}"], capture_output=True, text=True, check=False, timeout=120
    )


def command(*words: object) -> subprocess.CompletedProcess[str]:
    arguments = ["polyhead", *map(str, words)]
    return run(f"import runpy\nsys.argv = {arguments!r}\nrunpy.run_module('polyhead', run_name='__main__')")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    config = TransformerConfig(encoder_layers=1, decoder_layers=1, d_model=32, d_ff=32, num_heads=2)
    return write_small(tmp_path / "model", config)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.xa"
    path.write_text("bado kilu\nmera\n")
    return path


def test_the_packages_are_missing_there() -> None:
    assert "No module named 'torch'" in run("import torch").stderr


@pytest.mark.parametrize("options", [(), ("--align",)])
def test_translating_needs_none(model: Path, text: Path, options: tuple[str, ...]) -> None:
    done = command("translate", model, text, "--to", "xb", *options)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 2


@pytest.mark.parametrize("words", [("info",), ("translate", "--help"), ("train", "--help")])
def test_nor_does_what_only_reads_settings(model: Path, words: tuple[str, ...]) -> None:
    done = command(*words, *([model] if words == ("info",) else []))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "package"),
    [
        (("train", "--source", "TEXT", "--target", "TEXT", "--out", "OUT"), "torch"),
        (("train", "--keys"), "torch"),
        (("check", "--source", "TEXT", "--target", "TEXT"), "torch"),
        (("score", "MODEL", "--source", "TEXT", "--target", "TEXT", "--to", "xb"), "torch"),
        (("look", "MODEL", "bado", "--to", "xb", "--json", "OUT"), "torch"),
        (("translate", "MODEL", "TEXT", "--to", "xb", "--engine", "plain"), "torch"),
        (("evaluate", "--hypothesis", "TEXT", "--reference", "TEXT"), "sacrebleu"),
        (("demo", "--out", "OUT"), "torch"),
    ],
    ids=lambda value: "-".join(value[:2]) if isinstance(value, tuple) else None,
)
def test_what_needs_one_says_what_to_install(
    model: Path, text: Path, tmp_path: Path, words: tuple[str, ...], package: str
) -> None:
    places = {"MODEL": model, "TEXT": text, "OUT": tmp_path / "out"}
    done = command(*(places.get(word, word) for word in words))
    assert done.returncode == 1
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("polyhead: ")]
    assert f"needs the package {package}: pip install 'polyhead[train]'" in line
    assert "Traceback" not in done.stderr


def test_a_model_without_kernels_says_so_too(tmp_path: Path, text: Path) -> None:
    model = write_small(tmp_path / "rnn", RNNConfig(d_model=8, hidden_size=8))
    done = command("translate", model, text, "--to", "xb")
    assert done.returncode == 1
    assert "a model of kind rnn needs the package torch" in done.stderr


def test_the_public_names_say_so() -> None:
    done = run("import polyhead\ntry: polyhead.train\nexcept polyhead.PolyheadError as error: print(error)")
    assert done.stdout == "polyhead.train needs the package torch: pip install 'polyhead[train]'\n"


def test_the_server_translates_and_refuses_to_look_inside(model: Path) -> None:
    lines = [
        "from pathlib import Path",
        "from polyhead.server.app import build_app",
        "from polyhead.server.pool import open_directories",
        "from polyhead.server.services import Services",
        "from polyhead.server.settings import ServerConfig",
        "from starlette.testclient import TestClient",
        f"services = Services.start(open_directories([Path({str(model)!r})]), ServerConfig())",
        "with TestClient(build_app(services), 'http://localhost') as client:",
        "    found = client.post('/api/translate', json={'text': 'bado', 'target': 'xb'})",
        "    assert found.status_code == 200, found.text",
        "    refused = client.post('/api/traces', json={'text': 'bado', 'language': 'xb'})",
        "    print(refused.status_code, refused.json()['detail'])",
    ]
    done = run("\n".join(lines))
    assert done.stdout == "400 looking inside needs the package torch: pip install 'polyhead[train]'\n", done.stderr


def test_another_missing_package_is_a_fault_and_no_advice() -> None:
    assert missing_extra("this", ModuleNotFoundError("No module named 'x'", name="x")) is None
    assert missing_extra("this", ModuleNotFoundError("?")) is None
    with pytest.raises(ModuleNotFoundError, match="'x'"), needing_extra("this"):
        raise ModuleNotFoundError("No module named 'x'", name="x")
    with pytest.raises(PolyheadError, match="torch"), needing_extra("this"):
        raise ModuleNotFoundError("No module named 'torch.nn'", name="torch.nn")


def test_every_extra_that_is_named_is_one_of_the_projects() -> None:
    import tomllib

    project = tomllib.loads((Path(polyhead.__file__).parents[2] / "pyproject.toml").read_text())["project"]
    brought_by = packages_distributions()
    for package, extra in EXTRAS.items():
        name = brought_by.get(package, [package])[0].lower()  # Ray is no part of what tests need
        assert any(each.lower().startswith(name) for each in project["optional-dependencies"][extra])
        assert not any(each.lower().startswith(name) for each in project["dependencies"])


FORMATTED = """
from polyhead.formats.document import Source
from polyhead.formats.translating import translate_document
print(translate_document(Source({content!r}, {name!r}, "ko"), lambda texts: 1 / 0).content)
"""


@pytest.mark.parametrize(
    ("name", "content", "package"),
    [("x.po", b'msgid "a"', "polib"), ("x.yaml", b"a: b", "yaml"), ("x.md", b"a", "markdown_it")],
)
def test_formats_say_what_they_need(name: str, content: bytes, package: str) -> None:
    error = run(FORMATTED.format(name=name, content=content)).stderr.splitlines()[-1]
    assert error.endswith(f"needs the package {package}: pip install 'polyhead[files]'")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.html", b"<p>5"),
        ("x.json", b"{}"),
        ("x.vtt", b"WEBVTT"),
        ("x.xlf", b"<xliff/>"),
        ("x.tmx", b"<tmx/>"),
        ("x.txt", b"5"),
    ],
)
def test_other_formats_need_none(name: str, content: bytes) -> None:
    done = run(FORMATTED.format(name=name, content=content))
    assert (done.stdout, done.stderr) == (f"{content}\n", "")
