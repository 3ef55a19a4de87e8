"""Training's speed on a CPU, put on a finished model from outside.

`fuse` exchanges a model's parts for parts that do the same by kernels, over the same parameters; the table in `fuse.py`
says which class stands for which. What the table does not know stays the plain PyTorch that it was. The fused parts
are for a CPU where every operation takes one core, as a worker's does.
"""
