"""Object files that LLVM writes, made to run, and those that need more of a linker."""

import ctypes
from collections.abc import Mapping
from typing import Any

import llvmlite.binding as llvm
import pytest

from polyhead.kernels import code
from polyhead.kernels.code.object_file import Loaded, UnknownForm

pytestmark = pytest.mark.skipif(not code.is_known(), reason="this system's object files are not known")

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
COUNTS = """
@count = internal global i64 1
define i64 @counts(i64 %x) {
  %before = load i64, ptr @count
  %after = add i64 %before, %x
  store i64 %after, ptr @count
  ret i64 %after
}
"""


def made(text: str, codemodel: str = "large") -> bytes:
    """The object file that LLVM makes of its own language."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple().create_target_machine(codemodel=codemodel, jit=True)
    return target.emit_object(llvm.parse_assembly(text))


def nowhere(name: str) -> int:
    raise LookupError(name)


def run(loaded: Loaded, name: str, x: int) -> int:
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(loaded.address(name))(x)


def load(file: bytes, variables: Mapping[str, int] | None = None) -> Loaded:
    return Loaded(file, nowhere, variables or {})


def test_a_function_runs() -> None:
    assert run(load(made(NEXT)), "next", 41) == 42


def test_it_finds_its_constants() -> None:
    loaded = load(made(TABLE))
    assert [run(loaded, "prime", n) for n in range(4)] == [2, 3, 5, 7]


def test_it_calls_what_is_elsewhere() -> None:
    other = load(made(NEXT))
    loaded = Loaded(made(CALLS), {"elsewhere": other.address("next")}.__getitem__, {})
    assert run(loaded, "calls", 1) == 2


def test_what_it_asks_for_has_the_values_that_it_is_given() -> None:
    assert run(load(made(ASKS), {"given": 5}), "whose", 0) == 5
    assert run(load(made(ASKS), {"given": 5, "nothing": 7, "other": 9}), "whose", 0) == 12


def test_of_another_name_there_is_nothing() -> None:
    with pytest.raises(KeyError):
        load(made(NEXT)).address("previous")


def test_what_is_nowhere_is_an_error() -> None:
    with pytest.raises(LookupError, match="elsewhere"):
        load(made(CALLS))


def _changed(file: bytes, place: int, value: int) -> bytes:
    return file[:place] + bytes([value]) + file[place + 1 :]


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(lambda: b"", id="nothing"),
        pytest.param(lambda: b"not an object file, but as long as the head of one: " * 2, id="another file"),
        pytest.param(lambda: _changed(made(NEXT), 16, 3), id="a shared library"),
        pytest.param(lambda: _changed(made(NEXT), 18, 183), id="for ARM"),
        pytest.param(lambda: made(COUNTS), id="variables of its own"),
        pytest.param(lambda: made(CALLS, "small").replace(b"\0elsewhere\0", b"\0elsewhere\0"), id="near addresses"),
        pytest.param(lambda: made("@room = common global [100 x i8] zeroinitializer\n" + NEXT), id="a large room"),
    ],
)
def test_what_is_not_known_is_refused(file: Any) -> None:
    with pytest.raises(UnknownForm):
        Loaded(file(), lambda name: 0, {})
