"""Compiled arithmetic on arrays: GEMM, attention, the softmax over the vocabulary, and passes over memory.

`training/fused` trains with these kernels and `engine` translates with them. Kernels that know of translating or of
text stand with what they are for and call these: `engine/step`, `decoding/compiled`, `tokenizers/merge_kernel`.
Kernels work on NumPy arrays; only `arrays/tensors` and `arrays/scratch` know PyTorch, and translating imports neither.

Every kernel is a Python function under `@kernel`. Numba compiles it for the CPU at hand when it is first called, and
the machine code is kept on disk, so that most processes load no compiler. Inner loops are functions under
`@instructions`, which write LLVM's instructions (`llvm`), because a compiler that sees loops over arrays stores every
accumulator after every step. A kernel runs on the calling thread, without the interpreter's lock; kernels for
translating may share their work with a team of threads.

    attention/  equation 1 of the paper: with gradients, in training; over lists of positions, in translating
    linear/     GEMM: forward and both gradients, in training; on packed weights, in translating
    loss/       the softmax over the vocabulary, fused with the output projection and its gradients
    packing/    operands put into panels or tiles, transposed, rounded to 8 bits
    microkernels/   some rows times a panel, accumulated in registers or AMX tiles, with an epilogue
    threads/    a team of threads, and atomic operations
    norm, dropout, adam    LayerNorm, dropout and Adam: one pass over the memory each
    arrays/     alignment, scratch memory, lifetimes, bounds, PyTorch's tensors seen as arrays
    numbers/    bfloat16 and float32, exponentials, largest and smallest numbers
    kernel, part, llvm, compiler, checked, code/    how a function becomes machine code, and the cache of it

Each line uses only those below it, which import-linter enforces.

To read a GEMM, begin with `linear/gemm.py`, which has a linear map and its gradients for every arithmetic, and go on
with `linear/gemm_float32.py`, which blocks for the caches. `packing/pack_float32.py` packs the right operand into
panels of 16 columns, `microkernels/simd.py` multiplies six rows by a panel, and `microkernels/epilogue.py` adds a bias,
or applies a ReLU or the gate of its gradient, before accumulators are stored. The inner loop is `accumulate` in
`microkernels/registers.py`, for every arithmetic in vectors.

A file's name says which instructions and numbers it is for:

    amx, tiles          AMX: bfloat16, and int8 in translating
    float32, simd       AVX2 and AVX-512: float32; in translating vectors of any CPU
    int8                VNNI and AVX2: 8-bit integers
    bfloat16            AVX512-BF16: bfloat16

A new instruction set begins with its name in `hardware.NAMES`. Its multiply-add goes into `microkernels/registers.py`,
and the function `is_supported` of a GEMM says which CPUs use it.

With `NUMBA_BOUNDSCHECK=1` every kernel is compiled in a form that compares each index with its array (`checked`).
"""
