"""A whole step of a Transformer as one function of machine code, written in Python and compiled by Numba.

A step's products take microseconds; called one by one from Python, its few hundred operations take longer to call than
to compute, and each writes to memory what the next one reads again.
"""
