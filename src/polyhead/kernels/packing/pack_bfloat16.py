"""A matrix of bfloat16 in the orders in which products read it, and a product's sums as such a matrix again.

Shapes: V rows, D columns, P panels of rows; rows are filled up to whole panels and columns to whole PANELs.
"""

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.registers import PANEL
from polyhead.kernels.numbers.bfloat16 import BFloat16s, pack_pair, to_bfloat16

Floats = NDArray[np.float32]
Pairs = NDArray[np.uint32]


@kernel
def pack_right_rows(weight: BFloat16s, panels: Pairs) -> None:
    """weight [V, D] → panels [P, D/2, PANEL]: two numbers beside each other of each of a panel's rows."""
    words, width = weight.shape
    for p in range(panels.shape[0]):
        panel, first = panels[p], p * PANEL
        count = min(PANEL, words - first)
        if count < PANEL or width < 2 * panel.shape[0]:
            panel[:] = 0
        for n in range(count):
            row = weight[first + n]
            for k in range(width // 2):
                panel[k, n] = pack_pair(row[2 * k], row[2 * k + 1])
            if width % 2:
                panel[width // 2, n] = np.uint32(row[width - 1])


@kernel
def pack_right_columns(weight: BFloat16s, across: Pairs) -> None:
    """weight [V, D] → across [D/PANEL, P · PANEL/2, PANEL]: numbers of two rows above each other, PANEL columns."""
    words, width = weight.shape
    for panel in range(across.shape[0]):
        first = panel * PANEL
        count = min(PANEL, width - first)
        for pair in range(across.shape[1]):
            taken = across[panel, pair]
            if 2 * pair + 1 < words and count == PANEL:
                upper, lower = weight[2 * pair, first : first + PANEL], weight[2 * pair + 1, first : first + PANEL]
                for n in range(PANEL):
                    taken[n] = pack_pair(upper[n], lower[n])
            else:
                taken[:] = 0
                for n in range(count if 2 * pair < words else 0):
                    lower_one = weight[2 * pair + 1, first + n] if 2 * pair + 1 < words else np.uint16(0)
                    taken[n] = pack_pair(weight[2 * pair, first + n], lower_one)


@kernel
def unpack(sums: Floats, less: Floats, out: BFloat16s) -> None:
    """sums [P, D, PANEL] → out [V, D] = sums - less [D]."""
    words, width = out.shape
    for p in range(sums.shape[0]):
        panel, first = sums[p], p * PANEL
        for n in range(min(PANEL, words - first)):
            row = out[first + n]
            for d in range(width):
                row[d] = to_bfloat16(panel[d, n] - less[d])
