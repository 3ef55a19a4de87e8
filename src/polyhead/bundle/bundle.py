"""A trained model in memory, with everything that its text needs."""

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
    """A model with everything that its text needs."""

    config: BundleConfig
    given: Seq2SeqModel[Any] | TransformerArrays
    """The model as it came: as modules, or as a file's arrays."""
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    weights: Stamp | None = None
    """The file that the model's weights may be pages of."""
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
        """What an engine is made of: the modules, which may have been changed, if there are any by now."""
        return cast("Seq2SeqModel[Any] | None", self.__dict__.get("model")) or self.given

    @property
    def parameters(self) -> int:
        """How many numbers were learnt."""
        if isinstance(self.given, TransformerArrays):
            return sum(array.size for array in self.given.arrays.values())
        return sum(parameter.numel() for parameter in self.given.parameters())

    @property
    def overwritten(self) -> bool:
        """Whether somebody has written to the file of the weights since it was loaded."""
        return self.weights is not None and self.weights.overwritten

    def check(self) -> None:
        """To be called before what the model says is believed.

        Raises ModelError where the file of its weights is damaged, or was overwritten since it was loaded.
        """
        self.verify()
        if self.weights is not None and self.weights.overwritten:
            raise ModelError(
                f"{self.weights.path} was overwritten while it was in use: load the model again, and replace such "
                "files by renaming new ones, which disturbs nobody"
            )
