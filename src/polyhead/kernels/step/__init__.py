"""A step of translating: all layers of a Transformer at once, and what a search does with V numbers."""
