"""The models: single-device mathematics in PyTorch behind one protocol, `seq2seq.Seq2Seq`.

The Transformer reads as the paper does: `attention` (equation 1 is `ScaledDotProductAttention`, which
`MultiHeadAttention` holds as its `core`), `feed_forward`, `sublayer`, `positions`, `embedding`, `encoder`, `decoder`,
`transformer`. A masked key's weight is exactly 0, and a row with every key masked gives zeros, never NaN. `rnn` and
`rnn_attention`, made of `recurrence`, are its ancestors. Parts that can be chosen are tables (`POSITIONS`,
`FEED_FORWARDS`, `SUBLAYERS`, and `MODELS` in `build`), named by the settings in `config`.

No module here knows of compiled code, workers or text. What training and translating do for speed is put on from
outside, and `recording.view_of` makes a second model over the same tensors for whoever wants to exchange parts.
`recording.weights_of` reads attention weights that way: `translate --align` translates first and then reads the weights
of one teacher-forced pass over the result, from the attention that the model's `alignment_site` names.

Memory and state are values (`state`) that a search holds; no module stores one. `arrays.InArrays` shows a model in
NumPy's arrays.

Some files need no PyTorch, so that a model can be described, checked and used without it: `config`, `shapes`
(names and shapes of a Transformer's weights), `stored` (a file's weights as arrays, on Linux its own pages),
`trained` (settings and arrays together), `levels` (weights rounded as 8-bit products round them) and `sinusoids`.
"""
