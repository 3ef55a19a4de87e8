"""What a first import may cost: a command line that answers at once loads no framework."""

import importlib.util
import subprocess
import sys

import pytest

HEAVY = ("torch", "matplotlib", "fastapi", "sacrebleu")


def loaded(code: str) -> set[str]:
    """The heavy libraries in memory after `code` has run in a Python of its own."""
    report = f"import atexit, sys\natexit.register(lambda: print('LOADED', *(set({HEAVY!r}) & set(sys.modules))))"
    done = subprocess.run([sys.executable, "-c", f"{report}\n{code}"], capture_output=True, text=True, check=True)
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("LOADED"))
    return set(line.split()[1:])


def test_the_probe_sees_what_is_loaded() -> None:
    assert loaded("import matplotlib") == {"matplotlib"}


def test_importing_the_package_loads_no_framework() -> None:
    assert loaded("import polyhead") == set()


@pytest.mark.skipif(importlib.util.find_spec("polyhead.__main__") is None, reason="has no command line yet")
def test_asking_for_help_loads_no_framework() -> None:
    code = "import runpy; sys.argv = ['polyhead', '--help']\ntry: runpy.run_module('polyhead', run_name='__main__')"
    assert loaded(f"{code}\nexcept SystemExit as end: assert not end.code") == set()


@pytest.mark.parametrize(
    "module", ["text", "symbols", "errors", "config", "files", "demo.grammar", "tokenizers", "cli"]
)
def test_what_needs_no_tensors_loads_none(module: str) -> None:
    assert loaded(f"import polyhead.{module}") == set()
