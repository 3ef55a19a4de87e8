"""Object files that LLVM writes, made to run."""

import ctypes
from threading import Event
from threading import enumerate as enumerate_threads

import llvmlite.binding as llvm
import pytest

from polyhead.kernels import code
from polyhead.kernels.code import loader
from polyhead.kernels.code.loader import Loaded

pytestmark = pytest.mark.skipif(not code.is_supported(), reason="this system's object files are not known")

NEXT = "define i64 @next(i64 %x) { %y = add i64 %x, 1 ret i64 %y }"
CALLS = "declare i64 @elsewhere(i64)\ndefine i64 @calls(i64 %x) { %y = call i64 @elsewhere(i64 %x) ret i64 %y }"
TABLE = """
@table = internal constant [4 x i64] [i64 2, i64 3, i64 5, i64 7]
define i64 @prime(i64 %n) {
  %place = getelementptr [4 x i64], ptr @table, i64 0, i64 %n
  %found = load i64, ptr %place
  ret i64 %found
}
"""
ASKS = """
@given = common global ptr null, align 8
@nothing = common global ptr null, align 8
define i64 @whose(i64 %x) {
  %place = load ptr, ptr @given
  %other = load ptr, ptr @nothing
  %a = ptrtoint ptr %place to i64
  %b = ptrtoint ptr %other to i64
  %sum = add i64 %a, %b
  ret i64 %sum
}
"""


def made(text: str) -> bytes:
    """The object file that LLVM makes of its own language."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple().create_target_machine(jit=True)
    return target.emit_object(llvm.parse_assembly(text))


def run(loaded: Loaded, name: str, x: int) -> int:
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(loaded.address(name))(x)


def test_a_function_runs() -> None:
    assert run(Loaded(made(NEXT), {}), "next", 41) == 42


def test_it_finds_its_constants() -> None:
    loaded = Loaded(made(TABLE), {})
    assert [run(loaded, "prime", n) for n in range(4)] == [2, 3, 5, 7]


def test_it_calls_what_is_elsewhere() -> None:
    other = Loaded(made(NEXT), {})
    assert run(Loaded(made(CALLS), {"elsewhere": other.address("next")}), "calls", 1) == 2


def test_functions_of_one_name_in_two_files_are_two() -> None:
    one, other = Loaded(made(NEXT), {}), Loaded(made(NEXT.replace("%x, 1", "%x, 2")), {})
    assert (run(one, "next", 41), run(other, "next", 41)) == (42, 43)


def test_a_variable_has_the_value_that_it_is_given() -> None:
    loaded = Loaded(made(ASKS), {})
    loaded.set_variable("given", 5)
    assert run(loaded, "whose", 0) == 5
    loaded.set_variable("nothing", 7)
    assert run(loaded, "whose", 0) == 12


def test_variables_of_one_name_in_two_files_are_two() -> None:
    one, other = Loaded(made(ASKS), {}), Loaded(made(ASKS), {})
    one.set_variable("given", 5)
    other.set_variable("given", 6)
    assert (run(one, "whose", 0), run(other, "whose", 0)) == (5, 6)


def test_a_file_may_have_no_such_variable() -> None:
    loaded = Loaded(made(NEXT), {})
    loaded.set_variable("given", 5)
    assert run(loaded, "next", 41) == 42


def test_of_another_name_there_is_nothing() -> None:
    with pytest.raises(KeyError):
        Loaded(made(NEXT), {}).address("previous")


def test_a_process_without_llvm_gets_ready_in_silence(monkeypatch: pytest.MonkeyPatch, capfd) -> None:
    asked = Event()

    def missing(name: str) -> None:
        asked.set()
        raise ImportError(name)

    monkeypatch.setattr(loader, "import_module", missing)
    loader._llvm.cache_clear()
    loader.begin()
    assert asked.wait(60)
    for thread in enumerate_threads():
        if thread.name == "llvm":
            thread.join(60)
    assert capfd.readouterr().err == ""
