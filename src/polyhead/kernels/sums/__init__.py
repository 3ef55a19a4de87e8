"""The inner loops of all products: sums stay in registers, or in the tiles of a core's unit for matrices."""
