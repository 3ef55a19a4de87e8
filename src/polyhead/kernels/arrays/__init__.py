"""Where arrays lie, who keeps them, and how kernels see PyTorch's tensors."""
