"""Number formats in kernels: bfloat16 and float32 in memory and in registers, exponentials, and extremes.

bfloat16 is stored as 16-bit integers. Every kernel rounds to it by one formula, IEEE 754's round to nearest, ties to
even, as PyTorch does; the CPU's conversion instruction would turn numbers below 2⁻¹²⁶ into 0. So the working copies
that are made from a checkpoint are those that training left. `formats` and `vector_formats` let one kernel be
compiled for either format: which one an array has is known at compile time. `exponential`, `extremes` and `dot` work on
whole registers, which a compiler doesn't make of such loops.
"""
