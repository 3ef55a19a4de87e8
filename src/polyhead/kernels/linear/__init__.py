"""GEMM: the products of linear maps and of their gradients, for training, and with packed weights, for translating.

Training's products are in `gemm`: a linear map and the gradients of its input and its weight, once for all
arithmetics. An arithmetic is a value that says which of three files is used. `gemm_amx` multiplies bfloat16 on AMX;
`gemm_float32` multiplies float32, on AVX2 and AVX-512; `gemm_int8` multiplies bfloat16 or float32 rounded to 8-bit
integers, on VNNI and AVX2. Each blocks for the caches: as much of one operand as a core's own cache holds is packed
(`packing`), and all of the other one passes by it. The loops over blocks stand in each file, because they differ in
what they block: `gemm_float32` leaves the left operand where it is, `gemm_int8` rounds it block by block, and
`gemm_amx` packs the right operand block by block. One loop for all three would have to ask for each of these.

Translating's products are `packed_float32` and `packed_int8`, by one interface (`packed`), over weights that are
packed once for all layers. In int8 a weight has the scale of its output, and an input has the scale and the zero
point of its own row, whose levels reach from its smallest number to its largest; sums of integers are exact. So a
row's result is the same, to the bit, whatever other rows are in the batch. An input that must not be rounded
noticeably has two 8-bit digits, each multiplied like a row of its own (`quantise`). On AMX four rows or more are
multiplied in tiles, over the same packed weights and to the same bits. These products are not `gemm`'s: weights are
packed once instead of in every call, a board of threads shares the panels, and a panel has 64 columns instead of 16,
since a step of translating has few rows. Their two loops over panels are apart because results of integers get their
scales and zeros after the product, a block of rows at a time, while those of float32 are ready.
"""
