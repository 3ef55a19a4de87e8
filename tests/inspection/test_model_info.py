"""A model in a few numbers."""

from polyhead.inspection.model_info import model_info


def test_every_kind_has_the_same_fields(translator_of, kind):
    info = model_info(translator_of(kind).config, 7)
    assert set(info) == set(model_info(translator_of("paper").config))
    assert (info["source"], info["targets"], info["tagged"], info["parameters"]) == ("xa", ["xb", "xc"], True, 7)
    assert info["has_attention"] == (kind != "rnn")
    assert (info["heads"] is None) == (kind == "rnn")
    assert (info["norm"] is None) == ("rnn" in kind or "gru" in kind)


def test_a_transformers_sizes(translator_of):
    info = model_info(translator_of("paper").config)
    sizes = {key: info[key] for key in ("encoder_layers", "decoder_layers", "heads", "d_model", "d_ff", "max_length")}
    assert list(sizes.values()) == [2, 3, 4, 16, 24, 40]
    assert info["vocabulary"]["source"] == info["vocabulary"]["target"]
