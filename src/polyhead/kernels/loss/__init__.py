"""A softmax over the vocabulary, and the gradients of a cross-entropy."""
