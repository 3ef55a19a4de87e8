"""`polyhead export`."""

from typing import Literal

from polyhead.cli.paths import NamedPath


def export(model: NamedPath, out: NamedPath, /, *, to: Literal["ctranslate2", "huggingface"]) -> None:
    """Write a model in another engine's format: the same weights, the same arithmetic.

    Parameters
    ----------
    model
        A model directory.
    out
        The directory to write.
    to
        ctranslate2, or huggingface (transformers' Marian; Pegasus for a pre-norm model).

    """
    from polyhead.interchange.export import export as write

    write(model, to, out)
    print(f"{out}: written; its README.md says how to use it")
