"""What kernels call becomes part of them: its numbers and its errors come out, its own machine code is never made."""

import numpy as np
import pytest

from polyhead.kernels.kernel import Kernel, kernel


def halves() -> tuple[Kernel, Kernel]:
    """The half of an even number, and that of a sum of numbers."""

    @kernel
    def half(x: int) -> int:
        if x % 2:
            raise ValueError("odd")
        return x // 2

    @kernel
    def half_of_all(count: int) -> int:
        return half(np.arange(count).sum())

    assert isinstance(half, Kernel)
    assert isinstance(half_of_all, Kernel)
    return half, half_of_all


def test_numbers_and_errors_of_a_part_come_out() -> None:
    _, half_of_all = halves()
    assert half_of_all(4) == 3
    with pytest.raises(ValueError, match="odd"):
        half_of_all(3)


def test_it_may_be_called_from_python_too() -> None:
    half, half_of_all = halves()
    assert (half_of_all(4), half(6), half_of_all(5)) == (3, 3, 5)


def test_it_is_assembled_only_where_python_calls_it() -> None:
    half, half_of_all = halves()
    half_of_all(4)
    (compiled,) = half.part.overloads.values()
    engine, name = compiled.target_context.codegen()._engine, compiled.fndesc.llvm_func_name
    assert not engine.is_symbol_defined(name)
    (outer,) = half_of_all.dispatcher.overloads.values()
    assert engine.is_symbol_defined(outer.fndesc.llvm_func_name)
