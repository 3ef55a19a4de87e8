"""The kernels of a step of translating: all layers of a Transformer in one call.

A product of a few rows takes 1 to 20 µs, less than calling it from Python would. So `layers` has one function for the
encoder and one for the decoder, `activations` has what their feed-forward networks do between two products, `embed`
has what comes before the first layer, and `output_layer` what follows the last one.

`rescored` is for products of 8 bits: it computes a row's largest logits once more from float32 weights, since among
likely words a difference of a hundredth would change the answer.

All of them are built from `kernels/`, and call no compiled function of any other package.
"""
