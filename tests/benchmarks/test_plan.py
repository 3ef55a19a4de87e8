"""What is measured, and the models that it takes."""

from pathlib import Path

import pytest

from benchmarks.contest import Stage
from benchmarks.plan import FULL, QUICK, Places, Plan
from benchmarks.sizes import SIZES
from benchmarks.train_models import FOLDERS, arguments
from polyhead.recipe.load import make_recipe, merge, parse_keys, read_toml


@pytest.mark.parametrize("plan", [FULL, QUICK], ids=lambda plan: plan.name)
def test_a_plan_names_sizes_and_test_sets_that_exist(plan: Plan) -> None:
    assert set(plan.training_sizes) | set(plan.translation_sizes) <= SIZES.keys()
    assert {test_set for test_set, _ in plan.translations} <= FOLDERS.keys()


def test_a_plan_can_be_limited_to_some_sizes() -> None:
    limited = FULL.limited_to(["base"])
    assert limited.training_sizes == ("base",)
    assert limited.translations == (("multi30k", "base"),)


@pytest.mark.parametrize(("test_set", "size"), FULL.translations)
def test_the_models_recipes_are_valid(test_set: str, size: str) -> None:
    places = Places(Path("data"), Path("cache"), Path("venvs"), Path("models"), Path("out"))
    stage = Stage(FULL, places, threads=2, say=print)
    path, *keys = arguments(stage, test_set, size)
    recipe = make_recipe(merge(read_toml(Path(path)), parse_keys(keys)))
    assert recipe.out == Path("models") / f"{test_set}-{size}"
    assert recipe.model.d_model == SIZES[size].d_model
    assert recipe.training.schedule.kind == "cosine"
    assert recipe.training.patience is None
