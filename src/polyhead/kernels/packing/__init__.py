"""Packing: matrices put into the order, and rounded to the numbers, in which the microkernels read them.

A right operand is packed into panels of columns, a left one stays in rows or is transposed in blocks. `pack_float32`
does this for float32, `pack_bfloat16` for bfloat16 in vectors, `pack_tiles` for AMX, and `transpose` transposes a
gradient of bfloat16 while it sums the bias' gradient. Each format's microkernel says what its panels look like.
What the packers have in common is a transposition of 16 × 16 numbers of 32 bits (`pack_float32.transpose`), which is
float32's and, of four bytes at a time, the integers'. The rest is what makes them different: pairs, tiles, and scales
that need a first pass over all numbers.

`pack_int8` (with `quantise_int8`) rounds bfloat16 or float32 to 8-bit integers, by a scale for each row or column
that makes its largest number 127. A product of normally distributed numbers is off by 0.7 to 1.3 % of its length,
which is less than dropout or another batch makes of it. Accumulating integers is exact. NaN and infinities are passed
on as NaN.
"""
