"""What inner loops are written with: lanes moved and reduced, and loops that carry values along, against NumPy."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from polyhead.kernels.compiler import cgutils
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, COUNT, F32, LANES, V16F32, Code, instructions, splat

Floats = NDArray[np.float32]
ROWS = 4


@instructions(ADDRESS, ADDRESS)
def _move(code: Code, x: Any, out: Any) -> None:
    """ROWS vectors → their transposes, the first two's lanes mixed, and halves exchanged."""
    rows = [code.load(V16F32, x, code.i64(4 * LANES * row)) for row in range(ROWS)]
    mixed = code.shuffle(rows[0], rows[1], range(0, 2 * LANES, 2))
    exchanged = code.concat(*reversed(code.split(rows[0])))
    for place, vector in enumerate([*code.transposed(rows), mixed, exchanged, code.maximum(rows[0], rows[1])]):
        code.store(vector, out, code.i64(4 * LANES * place))


@instructions(ADDRESS, COUNT, "float32", result=("float32", "float32"))
def _horner(code: Code, coefficients: Any, count: Any, x: Any) -> Any:
    """A polynomial's value, and how many coefficients it has, by one loop; the value by all lanes of a vector."""
    builder, xs = code.builder, code.broadcast(x)

    def step(index: Any, carried: list[Any]) -> list[Any]:
        value, seen = carried
        one = code.broadcast(code.load(F32, coefficients, builder.mul(index, code.i64(4))))
        return [code.multiply_add(value, xs, one), builder.fadd(seen, splat(1 / LANES))]

    value, seen = code.fori_loop(count, [splat(0.0)] * 2, step)
    return cgutils.pack_array(builder, [code.reduce(value, code.maximum), code.reduce(seen, builder.fadd)])


@kernel
def _moved(x: Floats, out: Floats) -> None:
    _move(x.ctypes.data, out.ctypes.data)


@kernel
def _polynomial(coefficients: Floats, x: float) -> Any:
    return _horner(coefficients.ctypes.data, coefficients.shape[0], x)


def test_lanes_find_their_places() -> None:
    x, out = np.random.default_rng(0).permutation(ROWS * LANES).astype(np.float32), np.empty(7 * LANES, np.float32)
    _moved(x, out)
    rows, found = x.reshape(ROWS, LANES), out.reshape(7, LANES)
    matrices = rows.reshape(ROWS, LANES // ROWS, ROWS)
    assert (found[:ROWS].reshape(matrices.shape) == matrices.transpose(2, 1, 0)).all()
    assert (found[ROWS] == x[: 2 * LANES : 2]).all()
    assert (found[ROWS + 1] == np.roll(rows[0], LANES // 2)).all()
    assert (found[ROWS + 2] == np.maximum(rows[0], rows[1])).all()


@pytest.mark.parametrize("count", [1, 2, 9])
def test_a_loop_carries_values_from_step_to_step(count: int) -> None:
    coefficients = np.random.default_rng(count).normal(size=count).astype(np.float32)
    value, seen = _polynomial(coefficients, 0.75)
    assert value == pytest.approx(np.polyval(coefficients.astype(float), 0.75), abs=1e-5)
    assert seen == count


def test_of_a_number_and_none_the_number_is_the_larger() -> None:
    """The other vector's, whichever it is."""
    x, out = np.ones(ROWS * LANES, np.float32), np.empty(7 * LANES, np.float32)
    x[3] = np.nan
    _moved(x, out)
    assert out[(ROWS + 2) * LANES + 3] == 1
