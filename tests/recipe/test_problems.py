"""What is said of a recipe with wrong keys."""

from pathlib import Path

import pytest

from polyhead.errors import RecipeError
from polyhead.recipe.load import make_recipe, read_toml

TEXT = '[[data.train]]\nkind = "lines"\nsource = "a"\ntarget = "b"\n'


@pytest.mark.parametrize(
    ("toml", "sentence"),
    [
        (
            '[[data.train]]\nsource = "a"\ntarget = "b"',
            "data.train.0.kind: this key is needed; known are lines, pairs, subtitles, tsv",
        ),
        (
            '[data]\ntrain = { source = "a", target = "b" }',
            "data.train = a table: a list is needed; write it as tables, [[data.train]]",
        ),
        (
            '[[data.train]]\nkind = "lins"\nsource = "a"',
            "data.train.0.kind = 'lins': there is no such kind; did you mean 'lines'?",
        ),
        ("[data]\ntrain = []", "data.train: at least 1 is needed"),
        (TEXT + '[model]\nkind = "lstm"', "model.kind = 'lstm': there is no such kind; known are rnn, rnn-attention"),
        (TEXT + '[training]\noptimizer = "adam"', "training.optimizer = 'adam': a table is needed; known are"),
        (TEXT + "[training]\nmax_update = 3", "training.max_update: there is no such key; did you mean 'max_updates'?"),
        ('[[data.train]]\nkind = "lines"\nsource = "a"', "data.train.0.target: this key is needed"),
    ],
)
def test_the_key_is_named_and_what_it_may_be(toml: str, sentence: str, tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(f'out = "model"\n{toml}\n')
    with pytest.raises(RecipeError) as caught:
        make_recipe(read_toml(recipe))
    assert str(caught.value).startswith(sentence)
    assert str(caught.value).count(": ") == sentence.count(": ")
