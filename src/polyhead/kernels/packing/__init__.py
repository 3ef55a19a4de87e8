"""Packing: matrices put into the order, and rounded to the numbers, in which the microkernels read them.

A right operand is packed into panels of columns, a left one stays in rows or is transposed in blocks. `pack_float32`
does this for float32, `pack_bfloat16` for bfloat16 in vectors, `pack_tiles` for AMX, and `transpose` transposes a
gradient of bfloat16 while it sums the bias' gradient. Each format's microkernel says what its panels look like.

`pack_int16` (with `quantise_int16`) rounds float32 to 16-bit integers. Each row or column along which a product
accumulates gets a scale of its own that makes its Euclidean length 32,766. By Cauchy and Schwarz no sum of products
then exceeds 2³⁰, so that 32 bits hold it whatever the numbers are. The gradients of a small Transformer with GELU
were off by at most 0.04 % of their length, where bfloat16's were off by 1.1 %; with ReLU, whose inputs near 0 may
fall to the other side, by 1.5 % and 6.7 %.

`pack_int8` (with `quantise_int8`) rounds bfloat16 or float32 to 8-bit integers, by a scale for each row or column
that makes its largest number 127. A product of normally distributed numbers is off by 0.7 to 1.3 % of its length,
which is less than dropout or another batch makes of it. Accumulating integers is exact. NaN and infinities are passed
on as NaN.
"""
