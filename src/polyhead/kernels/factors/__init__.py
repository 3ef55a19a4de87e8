"""Matrices in the order, and in the numbers, in which those loops read them."""
