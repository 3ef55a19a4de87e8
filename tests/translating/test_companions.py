"""Which models and shortlists go together."""

from typing import Any

import numpy as np
import pytest

from polyhead.bundle.bundle import Bundle
from polyhead.errors import ModelError
from polyhead.model.config import TransformerConfig
from polyhead.shortlist.shortlist import Shortlist
from polyhead.translating.companions import check_together
from tests.small import small_bundle

SHAPE = TransformerConfig(encoder_layers=1, decoder_layers=1, d_model=16, d_ff=16, num_heads=2)


def described(**changes: Any) -> Bundle:
    """A small model whose description is changed."""
    bundle = small_bundle(SHAPE)
    return Bundle(
        bundle.config.model_copy(update=changes), bundle.given, bundle.source_tokenizer, bundle.target_tokenizer
    )


def test_models_of_like_vocabularies_and_languages_go_together() -> None:
    check_together([described()])
    check_together([described(), described(target_languages=("xc", "xb")), described()])
    check_together([described(), described(source_language=None, target_languages=())])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"source_language": "xz"}, "read the same languages; the first one's: xa, those of model 2: xz"),
        ({"target_languages": ("xb", "xd")}, "write the same languages; the first one's: xb, xc, .* xb, xd"),
        ({"target_languages": ("xb",)}, "write the same languages"),
        ({"tagged": False}, "model 1 of the ensemble has tags .* model 2 has none"),
    ],
)
def test_models_of_other_languages_do_not(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        check_together([described(), described(**changes)])


def test_the_one_that_does_not_fit_is_named() -> None:
    with pytest.raises(ModelError, match="model 3: xz"):
        check_together([described(), described(), described(source_language="xz")])
    with pytest.raises(ModelError, match="model 2 of the ensemble has tags .* model 1 has none"):
        check_together([described(tagged=False), described()])


@pytest.mark.parametrize("side", [0, 1], ids=["source", "target"])
def test_a_shortlist_is_for_the_vocabularies_it_was_made_for(side: int) -> None:
    bundle = described()
    sizes = [bundle.config.source_vocabulary, bundle.config.target_vocabulary]

    def of(source: int, target: int) -> Shortlist:
        return Shortlist(np.zeros(source + 1, np.int64), np.zeros(0, np.int32), 6, target)

    check_together([bundle], of(*sizes))
    sizes[side] += 1
    with pytest.raises(ModelError, match=f"vocabularies of {sizes[0]} and {sizes[1]} pieces"):
        check_together([bundle], of(*sizes))
