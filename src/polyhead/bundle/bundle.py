"""A trained model in memory, with its settings and its tokenizers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from polyhead.bundle.config import BundleConfig
from polyhead.errors import ModelError
from polyhead.extras import needing_extra
from polyhead.files import Stamp
from polyhead.model.trained import TransformerArrays, fill, without_values
from polyhead.tokenizers.protocol import Tokenizer

if TYPE_CHECKING:
    from polyhead.model.seq2seq import Seq2SeqModel


@dataclass(frozen=True)
class Bundle:
    """A trained model with its settings and its tokenizers."""

    config: BundleConfig
    given: Seq2SeqModel[Any] | TransformerArrays
    """The model as it was made or loaded: PyTorch modules, or the arrays of a file."""
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    weights: Stamp | None = None
    """The file that the weights were loaded from, as it was then; None where they come from no file."""
    verify: Callable[[], None] = lambda: None
    """Waits until the file of the weights has been read whole; raises ModelError where it is damaged."""

    @cached_property
    def model(self) -> Seq2SeqModel[Any]:
        """The model as modules of PyTorch, which are made when they are first asked for.

        Raises ModelError where the file of the weights is damaged.
        """
        self.verify()
        if not isinstance(self.given, TransformerArrays):
            return self.given
        with needing_extra("the model as PyTorch's modules"):
            model = without_values(self.config.model, self.config.source_vocabulary, self.config.target_vocabulary)
            fill(model, self.given.arrays)
        return model

    @property
    def trained(self) -> Seq2SeqModel[Any] | TransformerArrays:
        """What an engine is made from: the modules if they exist, as they may have been changed, else `given`."""
        return cast("Seq2SeqModel[Any] | None", self.__dict__.get("model")) or self.given

    @property
    def parameters(self) -> int:
        """How many parameters the model has, tied ones counted once."""
        if isinstance(self.given, TransformerArrays):
            return sum(array.size for array in self.given.arrays.values())
        return sum(parameter.numel() for parameter in self.given.parameters())

    @property
    def overwritten(self) -> bool:
        """Whether somebody has written to the file of the weights since it was loaded."""
        return self.weights is not None and self.weights.overwritten

    def check(self) -> None:
        """Checks that the weights can be trusted. Call this before you rely on what the model computes.

        Raises ModelError where the file of its weights is damaged, or was overwritten since it was loaded.
        """
        self.verify()
        if self.weights is not None and self.weights.overwritten:
            raise ModelError(
                f"{self.weights.path} was overwritten while it was in use: load the model again, and replace such "
                "files by renaming new ones, which disturbs nobody"
            )
