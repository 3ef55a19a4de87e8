"""Linear maps, and the products of which their gradients are made."""
