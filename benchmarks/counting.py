"""The arithmetic of a Transformer as matrix products, counted: what no implementation can do without.

B sentences, S source and T target tokens of each (padding left out: it isn't needed), D d_model, F d_ff, H heads, V
vocabulary. A product of [M, K] and [K, N] takes 2·M·K·N operations.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from benchmarks.sizes import Size


@dataclass(frozen=True)
class Product:
    """`times` products of [batch, m, k] and [batch, k, n]."""

    m: int
    k: int
    n: int
    times: int = 1
    batch: int = 1

    @property
    def operations(self) -> int:
        """Multiplications and additions of all of them."""
        return 2 * self.m * self.k * self.n * self.batch * self.times

    def gradients(self) -> tuple["Product", "Product"]:
        """The backward pass: [m, n]·[n, k] for the input, [k, m]·[m, n] for the weight."""
        return replace(self, k=self.n, n=self.k), replace(self, m=self.k, k=self.m)


def forward_products(size: Size, vocabulary: int, sentences: int, source: int, target: int) -> list[Product]:
    """Teacher forcing: `sentences` of `source` and `target` tokens each."""
    d, f, heads = size.d_model, size.d_ff, size.num_heads
    n, m = sentences * source, sentences * target

    def attention(queries: int, keys: int, layers: int) -> list[Product]:
        share, together = d // heads, heads * sentences
        return [Product(queries, share, keys, layers, together), Product(queries, keys, share, layers, together)]

    encoder, decoder = size.encoder_layers, size.decoder_layers
    return [
        Product(n, d, 3 * d, encoder),
        *attention(source, source, encoder),
        Product(n, d, d, encoder),
        Product(n, d, f, encoder),
        Product(n, f, d, encoder),
        Product(m, d, 3 * d, decoder),
        *attention(target, target, decoder),
        Product(m, d, d, decoder),
        Product(m, d, d, decoder),  # cross-attention's queries
        Product(n, d, 2 * d, decoder),  # and its keys and values
        *attention(target, source, decoder),
        Product(m, d, d, decoder),
        Product(m, d, f, decoder),
        Product(m, f, d, decoder),
        Product(m, d, vocabulary),
    ]


def training_products(size: Size, vocabulary: int, sentences: int, source: int, target: int) -> list[Product]:
    """Forward and backward: every product and its two gradients."""
    forward = forward_products(size, vocabulary, sentences, source, target)
    return [product for each in forward for product in (each, *each.gradients())]


def translation_products(
    size: Size, vocabulary: int, sentences: int, source: int, target: int, beam: int
) -> list[Product]:
    """Encoding a batch, then `target` steps of all its hypotheses; attention's own small products are left out."""
    d, f = size.d_model, size.d_ff
    n, rows = sentences * source, sentences * beam
    encoder, steps = size.encoder_layers, size.decoder_layers * target
    return [
        Product(n, d, 3 * d, encoder),
        Product(n, d, d, encoder),
        Product(n, d, f, encoder),
        Product(n, f, d, encoder),
        Product(n, d, 2 * d, size.decoder_layers),
        Product(rows, d, 3 * d, steps),
        Product(rows, d, d, 3 * steps),  # both output projections and cross-attention's queries
        Product(rows, d, f, steps),
        Product(rows, f, d, steps),
        Product(rows, d, vocabulary, target),
    ]


def operations(products: Iterable[Product]) -> int:
    """Of all of them."""
    return sum(product.operations for product in products)


def step_bytes(size: Size, vocabulary: int, width: int) -> int:
    """What one decoding step must read at least: every decoder weight and the output matrix, `width` bytes a number."""
    d, f = size.d_model, size.d_ff
    layer = 3 * d * d + d * d + 2 * d * d + 2 * d * f
    return width * (size.decoder_layers * layer + vocabulary * d)
