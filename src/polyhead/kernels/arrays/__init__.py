"""Where arrays lie, how long they live, how they are checked, and how kernels see PyTorch's tensors.

What vectors and tiles load begins at a cache line (`aligned`); a row that lies across two lines takes up to twice the
time. Large workspaces are kept by every thread (`scratch`), since memory that is asked for anew comes without its
pages, which the system must clear first.

Calling a kernel from Python costs time for every array it is given. The weights of all layers are a hundred arrays,
and unpacking them took longer than a layer, so `pinned_args` unpacks them once and hands them over as one argument.
`tensors` lets kernels see tensors through NumPy's array interface, because PyTorch's operations that only make a view
give the interpreter's lock away and wait for it.

Numba counts references to an array at every view of it. Where two threads do, the counter moves between their cores,
so inner loops see arrays that their callers keep alive, without counting (`unowned`). A kernel that made an array
itself and reads it by its address, or in that form, must name it in `keep_alive` after the last use: otherwise
Numba frees it earlier.

`bounds` is what the checked form of kernels compares before it reads by address.
"""
