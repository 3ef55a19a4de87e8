"""The arithmetic of training and of translating as machine code, written in Python and compiled by Numba.

For training there are kernels of matrix products and their gradients, of attention over sentences without padding, of
the loss with the output layer's products, of norms, dropout and Adam. For translating, a whole step of the decoder is
one kernel: its products take microseconds, and called one by one from Python its few hundred operations take longer to
call than to compute, and each writes to memory what the next one reads again.
"""
