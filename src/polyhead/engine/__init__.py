"""A trained Transformer prepared for translating fast on a CPU: a `Searchable` whose every step is one kernel.

It is made from outside: nothing in `model/` knows of it, and searches can't tell it from the model. `choice` decides
how a model is translated on this machine, or checks what was asked for, and `prepare` makes it. The engine multiplies
float32 on any CPU and int8 on one with AVX2, for Transformers whose parts are those that their settings name
(`modules`) and whose settings it knows (`is_known`). Everything else, RNNs, GPUs, models with parts of one's own, is
translated by the plain model. A positional encoding is known once `embedding` places it, an activation once
`packed_parts` names it, a norm once `kernel_engine` does.

The engine needs no PyTorch, whose import took half of the memory and of the time to the first sentence. It is made of
the arrays of a model directory (`model.trained`); modules are taken apart into such arrays first (`modules`). Packing
copies weights into the panels of the microkernels (`pack`): 1/√d_k is folded into W^Q, and heads are filled up to
whole vectors. On Linux loaded weights are private pages of `model.safetensors` (`model.stored`). They leave memory
after each weight that is packed (`memory.weights_file`), unless this process has changed some, and come back when
scoring or a trace reads them. Neither a replaced nor an overwritten file can reach a search. Packed weights go onto
large pages where Linux allows it (`memory.huge_pages`).

In int8 a weight has the scale of its output and an input the scale of its own row. Onto the vocabulary, logits of
likely words are computed once more from float32 weights (`output`), since there rounding could change the answer. A
translation is the same, to the bit, whatever else is in its batch.

A state is a value. The past of all hypotheses is one tree (`past_tree`): keys and values are written once and never
moved, each row has a list of the nodes that it descends from, and `select` copies these lists alone. When there is no
more room, nodes without descendants are dropped. There is no padding: a row of attention sees a list of positions.
Large arrays have pages of their own (`memory.allocate`), which go back to the system with them.

`features` and `logits` are the two halves of a step, so that a search can make logits of a few rows at a time, and
`output_rows` is the output layer for some words alone, for shortlists (`output_subset`). The kernels of a step, which
run all layers in one call, stand in `step`.
"""
