"""GEMM: the products of linear maps and of their gradients, for training, and with packed weights, for translating.

Training's products come in three files with the same five functions: `linear`, `input_gradient`, `gated_gradient`
(through a ReLU), `weight_gradient` and `workspace_bytes`, which says what they need. `gemm_amx` multiplies bfloat16 on
AMX; `gemm_float32` multiplies float32, on AVX2 and AVX-512; `gemm_int8` multiplies bfloat16 or float32 rounded to
8-bit integers, on VNNI. Each blocks for the caches: as much of one operand as a core's own cache holds is packed
(`packing`), and all of the other one passes by it. They stand in three files, though signatures and checks are alike,
because machine code is kept on disk only of kernels at the top of a module, not of those that a function makes; what
else differs, packing and its scales, is most of each.

Translating's products are `packed_float32` and `packed_int8`, by one interface (`packed`), over weights that are
packed once for all layers. In int8 a weight has the scale of its output, and an input has the scale and the zero
point of its own row, whose levels reach from its smallest number to its largest; sums of integers are exact. So a
row's result is the same, to the bit, whatever other rows are in the batch. An input that must not be rounded
noticeably has two 8-bit digits, each multiplied like a row of its own (`quantise`). On AMX four rows or more are
multiplied in tiles, over the same packed weights and to the same bits.
"""
