"""Microkernels: some rows of the left operand times a panel of the right one, accumulated in registers or tiles.

Accumulators stay in registers, or in tiles, while a loop runs along the dimension that is summed over. The epilogue
(`epilogue`: nothing, a bias, a ReLU, or the gate of a ReLU's gradient) is applied before results are written to their
matrix.

`registers` holds the inner loop of products in vectors, `accumulate`: it is told where rows and panel lie and what one
step multiplies and adds. It also holds the microkernels of float32 and of 8-bit integers for translating, and of
bfloat16 pairs for the loss: up to six rows times a panel of 64 columns. AVX-512 has registers for all 24 accumulators
of 16 numbers; AVX2 takes a part of the panel at a time. VNNI multiplies unsigned by signed bytes. Without VNNI, AVX2
adds two such products in 16 bits first, and they must fit: the unsigned operand then has 7 bits (`MAX_LEVEL`).

`simd` holds training's: six, four or one rows times a panel of 16 columns, of float32. `int8` is the same for 8-bit
integers and a panel of 64 columns. The left operand is stored unsigned, with 128 added, and accumulators begin with
what that adds, subtracted. Without VNNI integers reach from -90 to 90 and 90 is added, so that two products fit into
16 bits. That rounds both operands equally; with 7 bits for one and 8 for the other, one would be rounded twice as much.

`amx`, `tiles`, `amx_gemm` and `amx_block` are for AMX. A block of 32 × 32 results takes four of the eight
tiles, and two more hold rows of the left operand and two columns of the right one, so that each tile that is loaded
is multiplied twice. What limits such a product is not the unit but the memory that feeds it. So the rows of a block
stay in the first-level cache, tiles of the right operand are loaded with the hint that they are used once, the next
rows and the lines of the result are prefetched, and the last block's epilogue runs while this one is multiplied.
`tiles` does the same products in vectors where there is AVX512-BF16 without AMX; attention uses it. It has the one
inner loop in vectors beside `accumulate`, since its left operand lies in tiles too.
"""
