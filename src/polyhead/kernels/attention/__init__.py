"""Equation 1 of the paper, forward and backward for training, and over lists of positions for translating.

In training a batch is ragged: the rows of a sentence follow those of the one before, with no padding between
(`ragged`). One head of one sentence fits a core's own cache, so its scores are computed, turned into weights and used
at once. Queries, keys and values are read where the projections left them, and gradients are written where the
projections want them. `tiles` with `head_tiles` and `softmax_tiles` is bfloat16's, on AMX or AVX512-BF16; `float32`
with `softmax` is float32's. They share what they are given and give (`ragged`), and no loop: `tiles` holds scores with
keys down and 16 queries across, so that a softmax runs lane by lane and its pairs of keys are operands of the next
product, while `float32` holds a query's scores in a row. One form for both would transpose every score of one of them
once more, and round its sums in another order.

In translating (`by_positions`, with the inner loops in `heads`) each row has a list of the positions that it may
see: the tokens of its sentence, or its ancestors in the tree of hypotheses. So there is neither padding nor a mask,
and no key is moved when hypotheses are reordered. A head's whole result is accumulated in registers.
"""
