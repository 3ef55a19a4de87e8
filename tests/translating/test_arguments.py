"""What is said of wrong arguments."""

from typing import Any

import pytest

from polyhead.decoding.config import BeamConfig, GreedyConfig
from polyhead.errors import PolyheadError
from polyhead.translating.arguments import check_texts, search_within
from polyhead.translating.translator import Translator


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ("bado", "translate() takes a list of texts; put a single text in brackets"),
        (b"bado", "translate() takes a list of texts; put a single text in brackets"),
        (None, "translate() takes a list of texts, not what is None"),
        (5, "translate() takes a list of texts, not what is of the type int"),
        (["bado", None], "translate(): text 2 is None; it must be a str"),
        ([b"bado"], "translate(): text 1 is of the type bytes; it must be a str"),
    ],
)
def test_texts_are_a_list_of_strings(toy_model: Any, texts: Any, sentence: str) -> None:
    with pytest.raises(TypeError) as caught:
        Translator.load(toy_model).translate(texts)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"beam_size": 0}, "beam_size = 0: a whole number above 0 is needed"),
        ({"beam_size": "3"}, "beam_size = '3': a whole number above 0 is needed"),
        ({"n_best": -1}, "n_best = -1: a whole number above 0 is needed"),
        ({"n_best": 10**9}, "beam_size = 1000000000: "),
        ({"batch_tokens": 0}, "batch_tokens = 0: a whole number above 0 is needed"),
        ({"split": "word"}, "split = 'word': choose from auto, sentence, line"),
        (
            {"search": GreedyConfig(min_length=9, max_length=5)},
            "min_length = 9, but no translation may have more than 5",
        ),
    ],
)
def test_what_cannot_be_is_said(toy_model: Any, arguments: Any, sentence: str) -> None:
    with pytest.raises(PolyheadError) as caught:
        Translator.load(toy_model).translate(["bado"], **arguments)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"engine": "fast"}, "engine = 'fast': choose from auto, plain, prepared"),
        ({"dtype": "fp16"}, "dtype = 'fp16': choose from auto, float32, int8"),
    ],
)
def test_an_engine_is_one_of_those_there_are(toy_model: Any, arguments: Any, sentence: str) -> None:
    with pytest.raises(PolyheadError) as caught:
        Translator.load(toy_model, **arguments)
    assert str(caught.value) == sentence


def test_any_iterable_of_texts_will_do_and_halves_of_surrogate_pairs_are_replaced() -> None:
    assert check_texts(text for text in ("a\ud800", "😀")) == ["a\ufffd", "😀"]


def test_a_wider_n_best_list_has_a_wider_beam() -> None:
    found = search_within(9, BeamConfig(beam_size=2), None, 4)
    assert isinstance(found, BeamConfig)
    assert (found.beam_size, found.n_best, found.max_length) == (4, 4, 9)
