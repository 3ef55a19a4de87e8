"""The wheel in an environment of its own, outside the source tree."""

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_without_extras_it_translates_and_has_no_pytorch(toy_model, tmp_path):
    """Installed from the package index with what it depends on, and nothing of this environment."""
    home = tmp_path / "venv"
    venv.create(home, with_pip=True)
    python = str(home / "bin" / "python")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    install = [python, "-m", "pip", "install", "-q", "-c", str(ROOT / "constraints.txt"), str(ROOT)]
    subprocess.run(install, check=True, capture_output=True, env=environment)
    imported = subprocess.run([python, "-c", "import torch"], capture_output=True, check=False, cwd=tmp_path)
    assert b"ModuleNotFoundError" in imported.stderr
    command = [python, "-m", "polyhead", "translate", str(toy_model)]
    done = subprocess.run(
        command, check=True, cwd=tmp_path, env=environment, capture_output=True, text=True, input="bado\n\nkilu\n"
    )
    assert done.stdout.count("\n") == 3


@pytest.mark.slow
def test_the_wheel_trains_and_translates(toy):
    """Its dependencies are this environment's; polyhead itself must come from the wheel."""
    dist, home = toy.directory / "dist", toy.directory / "venv"
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(dist), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    venv.create(home, with_pip=False)
    site = next(home.glob("lib/python*/site-packages"))
    wheel = next(dist.glob("polyhead-*.whl"))
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", str(site), str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    (site / "dependencies.pth").write_text(f"{sysconfig.get_paths()['purelib']}\n")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    def polyhead(*arguments: object, text: str | None = None) -> str:
        command = [str(home / "bin" / "python"), "-m", "polyhead", *map(str, arguments)]
        result = subprocess.run(
            command, check=True, cwd=toy.directory, env=environment, capture_output=True, text=True, input=text
        )
        return result.stdout

    where = [str(home / "bin" / "python"), "-c", "import polyhead; print(polyhead.__file__)"]
    found = subprocess.run(where, check=True, cwd=toy.directory, env=environment, capture_output=True, text=True)
    assert found.stdout.startswith(str(site))
    corpus = [
        str(home / "bin" / "python"),
        "-c",
        "import polyhead.demo.grammar as g; print(len(g.generate(1, 2, 1, 1).train))",
    ]
    made = subprocess.run(corpus, check=True, cwd=toy.directory, env=environment, capture_output=True, text=True)
    assert made.stdout == "4\n", "the demo's tables of words are in the wheel"
    assert "Usage: polyhead" in polyhead("--help")
    assert "Subword regularisation" in polyhead("train", "--keys"), "the meaning of keys is read from the sources"
    reader = toy.write("train", 60)
    keys = ["--training.max_updates=3", "--model.encoder_layers=1", "--model.decoder_layers=1"]
    polyhead("train", "--source", reader["source"], "--target", reader["target"], "--out", "model", *keys)
    assert polyhead("translate", "model", text="bado\n\nkilu\n").count("\n") == 3
