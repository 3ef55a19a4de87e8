"""A finished model's shortlist, and whatever can be wrong with the text it is to come from."""

import shutil

import pytest

from polyhead.data.readers import LinesConfig, TsvConfig
from polyhead.errors import DataError, ModelError, PolyheadError, RecipeError
from polyhead.manifest import accept, write_listed_text
from polyhead.recipe.shortlist import make_shortlists
from polyhead.shortlist.build import ShortlistConfig
from polyhead.translating.translator import Translator


def make_shortlist(*arguments):
    """For a model that writes one language, which has a single shortlist."""
    (made,) = make_shortlists(*arguments)
    return made


@pytest.fixture
def model(toy_model, tmp_path):
    return shutil.copytree(toy_model, tmp_path / "model")


def test_from_the_training_text(model, toy):
    made = make_shortlist(model)
    assert made.path == model / "shortlist.safetensors"
    assert made.pairs == 150
    assert made.coverage.held > 0.9
    texts = toy.source(20, seed=5)
    without, having = Translator.load(model), Translator.load(model, shortlist=True)
    expected, found = ([each.text for each in one.translate(texts)] for one in (without, having))
    assert sum(ours == theirs for ours, theirs in zip(found, expected, strict=True)) >= 16


def test_from_the_training_text_though_the_recipe_has_a_value_that_this_version_refuses(model):
    recipe = model / "training" / "recipe.toml"
    begun = recipe.read_text(encoding="utf-8")
    assert 'precision = "float32"' in begun
    write_listed_text(recipe, begun.replace('precision = "float32"', 'precision = "int16"'))
    assert make_shortlist(model).pairs == 150


def test_from_other_text(model, toy):
    reader = LinesConfig.model_validate(toy.write("other", 40, seed=9))
    made = make_shortlist(model, [reader], ShortlistConfig(best=3, frequent=0))
    assert made.pairs == 40
    assert made.coverage.pieces < make_shortlist(model, [reader]).coverage.pieces


def test_the_training_text_is_gone(model, toy):
    recipe = model / "training" / "recipe.toml"
    recipe.write_text(recipe.read_text(encoding="utf-8").replace("train.source", "gone.source"), encoding="utf-8")
    with pytest.raises(RecipeError, match=r"recipe\.toml is damaged, or was changed by hand"):
        make_shortlist(model)
    accept(recipe.parent)
    with pytest.raises(RecipeError, match=r"gone\.source.*name other text with --source and --target"):
        make_shortlist(model)
    shutil.rmtree(model / "training")
    with pytest.raises(RecipeError, match="doesn't say what it was trained on; name parallel text"):
        make_shortlist(model)
    with pytest.raises(DataError, match="absent"):
        make_shortlist(model, [LinesConfig(source=toy.directory / "absent", target=toy.directory / "absent")])
    with pytest.raises(ModelError, match="not a \\(finished\\) model directory"):
        make_shortlist(toy.directory / "absent")


def test_a_model_of_several_languages_wants_them_named(tagged_model, toy, tmp_path):
    model = shutil.copytree(tagged_model, tmp_path / "tagged")
    made = make_shortlists(model)
    assert {each.path.name: each.pairs for each in made} == {
        "shortlist.xb.safetensors": 60,
        "shortlist.xc.safetensors": 60,
    }, "the recipe names them"
    unnamed = LinesConfig.model_validate(toy.write("other", 10))
    with pytest.raises(RecipeError, match=r"other\.source:1 has no target language; this model writes xb, xc"):
        make_shortlist(model, [unnamed])
    with pytest.raises(RecipeError, match="has zz"):
        make_shortlist(model, [unnamed.model_copy(update={"target_language": "zz"})])
    assert make_shortlist(model, [unnamed.model_copy(update={"target_language": "xb"})]).pairs == 10


def test_a_shortlist_made_for_one_language_is_used_for_it_alone(tagged_model, toy, tmp_path):
    model = shutil.copytree(tagged_model, tmp_path / "tagged")
    reader = LinesConfig.model_validate({**toy.write("other", 40), "target_language": "xb"})
    (made,) = make_shortlists(model, [reader])
    assert made.path.name == "shortlist.xb.safetensors"
    translator, texts = Translator.load(model, shortlist=True), toy.source(5)
    assert len(translator.translate(texts, target_language="xb")) == 5
    with pytest.raises(ModelError, match="no shortlist for xc, only for xb; make one with `polyhead shortlist`"):
        translator.translate(texts, target_language="xc")
    with pytest.raises(ModelError, match="no shortlist for xc"):
        translator.attention(texts[0], target_language="xc")


def test_making_one_for_a_language_leaves_the_other_as_it_is(tagged_model, toy, tmp_path):
    model = shutil.copytree(tagged_model, tmp_path / "tagged")
    make_shortlists(model)
    before = (model / "shortlist.xc.safetensors").read_bytes()
    texts = toy.source(10, seed=5)
    expected = [each.text for each in Translator.load(model, shortlist=True).translate(texts, target_language="xc")]
    reader = LinesConfig.model_validate({**toy.write("other", 40), "target_language": "xb"})
    make_shortlists(model, [reader], ShortlistConfig(best=1, frequent=0))
    assert (model / "shortlist.xc.safetensors").read_bytes() == before
    found = [each.text for each in Translator.load(model, shortlist=True).translate(texts, target_language="xc")]
    assert found == expected


def test_no_text_makes_no_shortlist(tagged_model, model, tmp_path):
    empty = tmp_path / "empty.tsv"
    empty.write_text("\t\n", encoding="utf-8")
    for one in (model, shutil.copytree(tagged_model, tmp_path / "tagged")):
        with pytest.raises(PolyheadError, match="no sentence pair to find a shortlist in"):
            make_shortlists(one, [TsvConfig(path=empty, target_language="xb")])


def test_text_in_a_language_that_the_model_does_not_write_makes_no_shortlist(model, toy):
    reader = LinesConfig.model_validate({**toy.write("other", 10), "target_language": "zz"})
    with pytest.raises(RecipeError, match="has zz; this model writes xb: name one with --to"):
        make_shortlists(model, [reader])
    assert not (model / "shortlist.safetensors").exists()
