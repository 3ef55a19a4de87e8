"""Models of different limits that translate together: no one of them is given more than it can read or write."""

from typing import Any

import numpy as np
import pytest

from polyhead.bundle.bundle import Bundle
from polyhead.decoding.config import BeamConfig, GreedyConfig, SamplingConfig, SearchConfig
from polyhead.errors import PolyheadError
from polyhead.inspection.sentence import TooLong
from polyhead.model.config import RNNAttentionConfig, RNNConfig, TransformerConfig
from polyhead.translating.translator import Translator
from tests.small import small_bundle

SIZES: dict[str, Any] = {"encoder_layers": 1, "decoder_layers": 1, "d_model": 16, "d_ff": 16, "num_heads": 2}
TEXTS = ["bado kilu", "mera", " ".join(["bado kilu mera noti."] * 12), "", "rovi sela tugo vani zeko fimo gura " * 4]
ENDLESS = BeamConfig(beam_size=2, max_length_ratio=10.0, max_length_offset=50)
"""Only the models' limits end a hypothesis that does not end by itself."""
SHORT, LONG = 14, 200


def transformer(max_length: int, longest_source: int | None = None, **sizes: Any) -> Bundle:
    """Weights that do not depend on the limits."""
    return small_bundle(
        TransformerConfig.model_validate({**SIZES, **sizes, "max_length": max_length}),
        longest_source=longest_source,
        decoding=ENDLESS,
    )


def other_kind(kind: str, max_length: int) -> Bundle:
    shapes = {"rnn": RNNConfig, "rnn-attention": RNNAttentionConfig}
    config = shapes[kind].model_validate({"d_model": 16, "hidden_size": 16, "max_length": max_length})
    return small_bundle(config, longest_source=None, decoding=ENDLESS)


def lengths(translator: Translator, search: SearchConfig | None = None) -> list[int]:
    """Tokens of every piece of every translation, `<eos>` included."""
    found = translator.translate(TEXTS, target_language="xb", search=search)
    assert len(found) == len(TEXTS)
    return [sentence.tokens + sentence.finished for each in found for sentence in each.sentences]


@pytest.mark.parametrize("engine", ["plain", "prepared"])
@pytest.mark.parametrize("order", [(SHORT, LONG), (LONG, SHORT), (LONG, LONG, SHORT)], ids=str)
def test_the_same_weights_translate_as_the_one_of_the_smallest_limit(engine: Any, order: tuple[int, ...]) -> None:
    first, *others = map(transformer, order)
    together = Translator(first, others, engine=engine, dtype="float32")
    alone = Translator(transformer(SHORT), engine=engine, dtype="float32")
    for one, other in zip(
        together.translate(TEXTS, target_language="xb"), alone.translate(TEXTS, target_language="xb"), strict=True
    ):
        assert one.text == other.text
        assert one.log_probability == pytest.approx(other.log_probability, abs=1e-3)
    assert together.longest_source == together.max_length == SHORT
    assert max(lengths(together)) == SHORT, "nothing else ended them"


@pytest.mark.parametrize("engine", ["plain", "prepared"])
@pytest.mark.parametrize("search", [ENDLESS, GreedyConfig(max_length=10**6), SamplingConfig(seed=1, max_length=500)])
@pytest.mark.parametrize("positions", ["sinusoidal", "sinusoidal-concat", "learned", "none"])
def test_no_search_writes_more_than_the_smallest_limit(engine: Any, search: SearchConfig, positions: Any) -> None:
    models = [transformer(limit, positions=positions) for limit in (LONG, SHORT, 3 * SHORT)]
    assert max(lengths(Translator(models[0], models[1:], engine=engine, dtype="float32"), search)) <= SHORT


@pytest.mark.parametrize("kind", ["rnn", "rnn-attention"])
def test_models_of_other_kinds_stand_beside_a_transformer(kind: str) -> None:
    for first, second in ((LONG, SHORT), (SHORT, LONG)):
        together = Translator(transformer(first), [other_kind(kind, second)], engine="auto", dtype="float32")
        assert together.max_length == SHORT
        assert max(lengths(together)) <= SHORT


def test_the_longest_source_is_that_of_the_model_that_learnt_the_shortest(monkeypatch: pytest.MonkeyPatch) -> None:
    models = [transformer(LONG, longest) for longest in (60, None, 11)]
    together = Translator(models[0], models[1:], engine="plain")
    assert (together.longest_source, together.max_length) == (11, LONG)
    seen: list[int] = []
    encode = together.engine.encode

    def watched(source: Any, mask: Any) -> Any:
        seen.append(int(np.asarray(mask).sum(1).max()))
        return encode(source, mask)

    monkeypatch.setattr(together.engine, "encode", watched)
    together.translate(TEXTS, target_language="xb", search=BeamConfig(beam_size=2))
    assert 4 < max(seen) <= 11


def test_scoring_a_look_inside_and_prefixes_keep_to_the_smallest_limit() -> None:
    together = Translator(transformer(LONG), [transformer(SHORT)], engine="prepared", dtype="float32")
    long = " ".join(["bado kilu mera noti pasu"] * 4)
    for source, target in ((long, "mera"), ("mera", long)):
        with pytest.raises(PolyheadError, match=f"pair 1 is longer than the model's limit of {SHORT} tokens"):
            together.score([source], [target], target_language="xb")
    with pytest.raises(PolyheadError, match=f"prefix 1 is longer than the model's limit of {SHORT} tokens"):
        together.translate(["mera"], prefixes=[long], target_language="xb")
    with pytest.raises(TooLong, match=f"this target .* takes {SHORT} at a time"):
        together.attention("mera", target=long, target_language="xb")
    with pytest.raises(TooLong, match=f"this text .* takes {SHORT} at a time"):
        together.attention(long, target_language="xb")
    looked = together.attention("bado kilu mera", target_language="xb")
    assert len(looked.target.ids) < SHORT
    for found in together.score(["bado kilu"], ["mera noti"], target_language="xb"):
        assert np.isfinite(found.log_probability)


@pytest.mark.parametrize("models", [1, 2])
def test_a_letter_with_more_marks_than_fit_is_read_in_pieces(models: int) -> None:
    limits = (LONG, SHORT)[:models]
    first, *others = map(transformer, limits)
    translator = Translator(first, others, engine="prepared", dtype="float32")
    (found,) = translator.translate(["bado e" + "\u0301" * 300 + " kilu"], target_language="xb")
    assert len(found.sentences) > 1
    assert all(sentence.tokens + sentence.finished <= limits[-1] for sentence in found.sentences)


def test_a_character_longer_than_any_source_in_training_is_read_all_the_same() -> None:
    (found,) = Translator(transformer(LONG, longest_source=4)).translate(["a 𠮷 b"], target_language="xb")
    assert len(found.sentences) == 3


def test_a_character_that_no_piece_has_room_for_is_named() -> None:
    tiny = Translator(transformer(5), engine="prepared", dtype="float32")
    with pytest.raises(PolyheadError, match="text 2 has a character of . tokens, '𠮷'; the model reads 3 at a time"):
        tiny.translate(["a", "a 𠮷 b"], target_language="xb")
