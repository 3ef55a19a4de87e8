"""A step of translating: all layers of a Transformer in one call, and what a search does with the logits.

A product of a few rows takes 1 to 20 µs, less than calling it from Python would. So `layers` is one function for the
encoder and one for the decoder, with `activations` for the feed-forward networks.

`vocabulary` is what a search does with V logits of a row. They are read once for their sum and for the largest of
every chunk of 64; log-probabilities are never written. As decoding rules only take tokens away, a chunk is read again
only if its largest logit may be among the best. `rescored` computes a row's largest logits once more from float32
weights where products were of 8 bits, since among likely words a difference of a hundredth would change the answer.
`beams` handles a beam's candidates, which are so few that calls of NumPy cost more than their arithmetic.
"""
