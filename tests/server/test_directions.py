"""Which model answers."""

from dataclasses import replace

import pytest

from polyhead.server.dialects import respond
from polyhead.server.directions import choose, sources, tag, targets
from polyhead.server.pool import open_directories
from polyhead.server.problems import Problem


def test_languages_are_listed_once(models):
    assert sources(models * 2) == ["xa", "en"]
    assert targets(models * 2) == ["xb", "xc", "de"]
    assert targets(models, "en") == ["de"]


def test_a_model_of_both_directions_reads_what_it_writes(models):
    config = models[0].config.model_copy(
        update={"source_language": None, "both_directions": True, "target_languages": ("xa", "xb")}
    )
    both = [replace(models[0], id="both", config=config)]
    assert (sources(both), targets(both), targets(both, "xb")) == (["xa", "xb"], ["xa", "xb"], ["xa"])
    assert choose(both, None, "xb", "xa").id == "both"
    with pytest.raises(Problem, match="no model reads 'de'; there are xa, xb"):
        choose(both, None, "de", "xa")


@pytest.mark.parametrize(
    ("asked", "chosen"),
    [
        ((None, None, None), "tagged"),
        (("plain", None, None), "plain"),
        ((None, "en", None), "plain"),
        ((None, None, "de"), "plain"),
        ((None, "xa", "xc"), "tagged"),
    ],
)
def test_the_first_model_that_fits_is_chosen(models, asked, chosen):
    assert choose(models, *asked).id == chosen


@pytest.mark.parametrize(
    ("asked", "code", "detail"),
    [
        (("other", None, None), "not_found", "no model is called 'other'; there are tagged, plain"),
        ((None, "fr", None), "unknown_language", "no model reads 'fr'; there are xa, en"),
        ((None, "xa", "de"), "unknown_language", "no model writes 'de'; there are xb, xc"),
        (("plain", None, "xb"), "unknown_language", "no model writes 'xb'; there are de"),
    ],
)
def test_what_no_model_can_do_is_said(models, asked, code, detail):
    with pytest.raises(Problem) as problem:
        choose(models, *asked)
    assert (problem.value.code, problem.value.detail) == (code, detail)


def test_only_a_model_of_several_languages_is_told_one(models):
    tagged, plain = models
    assert tag(tagged, "xc") == "xc"
    assert tag(plain, "de") is None
    with pytest.raises(Problem, match="name a target: xb, xc"):
        tag(tagged, None)


def test_a_model_without_names_takes_every_language(make_model):
    models = open_directories([make_model("nameless", None, ["xx"])])
    assert sources(models) == []
    assert choose(models, None, "any", "xx").id == "nameless"


def test_a_model_with_a_code_of_its_own_goes_before_one_that_is_near(make_model):
    models = open_directories([make_model("general", "en", ["pt"]), make_model("own", "en", ["pt-BR"])])
    chosen = {target: choose(models, None, "en-GB", target).id for target in ("pt", "pt-BR", "pt_br", "pt-PT", "por")}
    assert chosen == {"pt": "general", "pt-BR": "own", "pt_br": "own", "pt-PT": "general", "por": "general"}


@pytest.mark.parametrize("place", range(3))
def test_what_is_asked_for_is_not_repeated_at_any_length(models, place):
    asked = [None, None, None]
    asked[place] = "x" * 100_000
    with pytest.raises(Problem) as problem:
        choose(models, *asked)
    assert len(problem.value.detail) < 300
    assert len(respond("/translate", problem.value).body) < 1000
