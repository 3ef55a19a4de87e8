"""What is measured, and the models that it takes."""

from pathlib import Path
from typing import get_args

import pytest

from benchmarks.contest import Stage
from benchmarks.plan import FULL, QUICK, PeerName, Places, Plan, TextName
from benchmarks.sizes import SIZES
from benchmarks.systems import OURS, TRAINING, taking_part, translation_systems
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


def test_a_plan_can_be_limited_to_some_texts_and_peers() -> None:
    limited = FULL.limited_to(texts=["pydocs"], peers=["CTranslate2"])
    assert limited.translations == (("pydocs", "small"),)
    assert limited.training_sizes == FULL.training_sizes
    assert {system.name for system in taking_part(translation_systems(2), limited.peers)} == {
        *(OURS, f"{OURS}, to the end"),
        "CTranslate2",
    }


def test_who_can_be_named_is_who_there_is() -> None:
    systems = (*TRAINING, *translation_systems(2))
    assert set(get_args(PeerName)) == {each.name for each in systems if OURS not in (each.name, each.variant_of)}
    assert set(get_args(TextName)) == {text for text, _ in FULL.translations}


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
