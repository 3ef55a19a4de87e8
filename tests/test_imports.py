"""What a first import may cost: a command line that answers at once loads no framework."""

import importlib.util
import subprocess
import sys

import pytest

from polyhead.engine.kernel_engine import has_int8_products
from polyhead.kernels.code import is_supported
from polyhead.model.config import TransformerConfig
from tests.small import write_small

LIGHT = ("text", "symbols", "errors", "config", "files", "demo.grammar", "tokenizers", "cli")
LIGHT += ("engine.kernel_engine", "engine.output_subset", "shortlist")
HEAVY = ("torch", "torch._dynamo", "sympy", "matplotlib", "fastapi", "sacrebleu", "numba", "llvmlite.binding")
HEAVY += ("polyhead.formats.readers",)


def loaded(code: str) -> set[str]:
    """The heavy modules in memory after `code` has run in a Python of its own."""
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


@pytest.mark.parametrize("module", LIGHT)
def test_what_needs_no_tensors_loads_none(module: str) -> None:
    assert loaded(f"import polyhead.{module}") == set()


def test_training_loads_no_compiler_of_pytorchs_and_no_reader_of_documents(toy) -> None:
    """It takes a second and 70 MiB, for instance where `torch.nn.init` fills a weight of device "meta".

    Nor does it load what reads documents, which takes 0.1 s and 10 MiB.
    """
    values = toy.values("model", training__max_updates=10)
    code = f"from polyhead.recipe.train import train\nassert train({values!r}).finished"
    assert {"torch", "torch._dynamo", "sympy", "polyhead.formats.readers"} & loaded(code) == {"torch"}


translates_by_itself = pytest.mark.skipif(
    not (has_int8_products() and is_supported()), reason="PyTorch or a compiler is needed here to translate"
)


@translates_by_itself
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_translating_loads_no_framework(tmp_path, dtype: str) -> None:
    model = write_small(tmp_path / "model", TransformerConfig(encoder_layers=1, decoder_layers=1, d_model=32, d_ff=32))
    lines = [
        "import polyhead",
        f"translator = polyhead.Translator.load({str(model)!r}, dtype={dtype!r})",
        "assert len(translator.translate(['bado kilu', 'mera'] * 40, beam_size=3, target_language='xb')) == 80",
        "assert translator.translate(['bado'], beam_size=1, target_language='xc')",
    ]
    assert "torch" not in loaded("\n".join(lines)), "the first time there may be something to compile"
    assert loaded("\n".join(lines)) == {"llvmlite.binding"}, "LLVM's loader, and no compiler of Python"


@translates_by_itself
def test_the_command_translates_without_a_framework(tmp_path) -> None:
    model = write_small(tmp_path / "model", TransformerConfig(encoder_layers=1, decoder_layers=1, d_model=32, d_ff=32))
    (tmp_path / "lines").write_text("bado kilu\nmera\n")
    words = ["polyhead", "translate", str(model), str(tmp_path / "lines"), "--to", "xb", "--threads", "2"]
    run = f"import runpy; sys.argv = {words!r}\ntry: runpy.run_module('polyhead', run_name='__main__')"
    run += "\nexcept SystemExit as end: assert not end.code"
    assert "torch" not in loaded(run), "the first time there may be something to compile"
    assert loaded(run) == {"llvmlite.binding"}
