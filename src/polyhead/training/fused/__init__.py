"""Training's speed on a CPU, put on a finished model from outside.

`fuse` makes a second model over the same parameters and exchanges its parts, class by class, for parts that compute
the same by kernels. The tables in `fuse` say which class stands for which; a subclass counts as another class. Parts
that they don't name stay plain PyTorch, and the run says once which parts these are. The given model stays as it is,
and `tests/training/fused/test_fuse.py` compares gradients with its own.

The fused parts are for a CPU where every operation takes one core, as a worker's does. With more cores PyTorch's own
operations are faster and the plain model is trained. On a GPU (`gpu`) attention (equation 1) is exchanged for PyTorch's
kernel, and the loss gets its softmax in a few large products. There a program must not read a result before it has
launched all other work: an update reads two numbers, its loss and the norm of its gradient.

A Transformer's batch is computed without padding where its attentions allow (`ragged`, `transformer`), for sentences
of up to 256 tokens. What lies between matrix products, as dropout added to the residual and LayerNorm in bfloat16, is
one pass over the memory forward and one back, where PyTorch's operations take up to seven. A dropout mask follows
from a seed and an element's place, so the backward pass draws it again instead of keeping it. `adam` steps the
masters of a bfloat16 model: it sums a gradient's parts, steps and rounds in one pass.

Every fused part holds an `Arithmetic` (`training.precision`). "auto" takes the first of these that this CPU
multiplies and that the model's sizes fit:

- int8, with VNNI and without AMX, which multiplies bfloat16 faster, or with AVX2 and without AVX-512: the products of
  linear maps and the logits are of 8-bit integers. All else is bfloat16's. Where the CPU has no bfloat16 it is
  float32's, the logits included.
- bfloat16, with AVX512-BF16 or AMX. On AMX products are polyhead's, elsewhere oneDNN's, which take more than twice
  the time for a transposed left operand, as in the gradient of a weight. For long maps a kernel transposes it first,
  sums the bias' gradient on the way and applies the ReLU's gate. Short maps stay with PyTorch, whose backward pass
  needs no interpreter.
- float32. With AVX2 and without bfloat16 products, attention and the loss are polyhead's. The products are hardly
  faster than MKL's; what is saved lies between them.

Threads that wait for the interpreter's lock lose more than a short kernel gains. So kernels see tensors without
operations that make views, and threads at work hand the lock over after 0.2 ms instead of 5.
"""
