"""The softmax over the vocabulary, fused with the output projection, and the gradients of a cross-entropy.

With features x [N, D], the projection's weight W [V, D], logits z = x Wᵀ and p = softmax(z), these kernels compute Z,
Σ_v p_v W_v [N, D] and Σ_n p_n x_n [V, D], less the target's share of the last. Logits are never stored. Accumulators
of z become exponentials as the microkernel's epilogue. A row's largest logit need not be known first, because
exponentials are taken of a logit minus its target's, and the division by Z is left for the N × D results. Should a
word be e⁶⁰ times as likely as the target, the caller takes PyTorch's operations for that batch.

    softmax_bfloat16, exp_logits        bfloat16 in vectors (AVX512-BF16)
    softmax_amx                         bfloat16 on AMX
    softmax_int8                        bfloat16 in vectors, with logits of 8-bit integers
    softmax_float32, exp_logits_simd    float32

In the 8-bit form only the logits are products of integers. Of V probabilities most are so far below the largest that
8 bits would make nothing of them, though all of them together count; so the other two products keep bfloat16. On AMX
the exponentials of all rows are kept, a block of words after the other, so that no part of the weight's gradient
leaves the core before it is complete.

Two of the four have one loop over blocks (`softmax_projection_of`), which is told how logits are made. The other two
have loops of their own. In float32 one copy of the exponentials is both operands of the next products, where bfloat16
needs two, of rows and of pairs. On AMX all rows pass by a block of words instead of all words by a chunk of rows. A
loop for all would be longer than the three together, and ask in each line which of them it is.
"""
