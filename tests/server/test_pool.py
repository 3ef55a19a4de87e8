"""Which models are in memory."""

import shutil

import pytest

from polyhead.errors import ModelError
from polyhead.kernels.kernel import Kernel
from polyhead.server.metrics import Metrics
from polyhead.server.pool import ModelPool, open_directories, open_directory
from polyhead.server.problems import Problem


def test_a_directory_is_described_without_its_weights(models, tagged):
    from polyhead.bundle.load import load_bundle

    model = models[0]
    assert (model.id, model.config.target_languages) == ("tagged", ("xb", "xc"))
    assert model.parameters == sum(each.numel() for each in load_bundle(tagged).model.parameters())
    assert model.nbytes == 4 * model.parameters
    assert model.tokenizers[0].encode("bado")


def test_two_models_of_one_name_are_refused(tagged, tmp_path):
    shutil.copytree(tagged, tmp_path / "tagged")
    with pytest.raises(ModelError, match="two model directories are called 'tagged'"):
        open_directories([tagged, tmp_path / "tagged"])


def test_what_is_no_model_is_named(tmp_path, tagged):
    with pytest.raises(ModelError, match="no such|missing"):
        open_directories([tmp_path / "nothing"])
    damaged = shutil.copytree(tagged, tmp_path / "damaged")
    (damaged / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(ModelError, match=r"damaged.model\.safetensors cannot be read"):
        open_directories([damaged])


def test_models_are_loaded_once_when_first_used(models):
    pool = ModelPool(None, Metrics())
    assert pool.loaded == []
    with pool.use(models[0]) as first:
        pass
    with pool.use(models[0]) as again:
        assert again is first
    assert pool.loaded == ["tagged"]


def test_above_the_budget_the_model_used_longest_ago_goes(models):
    tagged, plain = models
    pool = ModelPool(int(1.5 * tagged.nbytes), Metrics())
    for model in (tagged, plain, tagged):
        with pool.use(model):
            assert pool.loaded == [model.id]
    with pool.use(tagged), pool.use(plain):
        assert pool.loaded == ["tagged", "plain"], "what is in use stays"
    assert pool.loaded == ["tagged"], "the first to become idle went while the other was in use"


def test_a_budget_too_small_for_any_keeps_the_last_one(models):
    pool = ModelPool(1, Metrics())
    for model in models:
        with pool.use(model):
            pass
    assert pool.loaded == ["plain"]


def test_a_model_that_is_damaged_later_is_unavailable(tagged, tmp_path):
    (model,) = open_directories([shutil.copytree(tagged, tmp_path / "later")])
    (model.path / "model.safetensors").unlink()
    pool = ModelPool(None, Metrics())
    with pytest.raises(Problem, match="later cannot be loaded") as problem, pool.use(model):
        pass
    assert problem.value.code == "model_unavailable"
    assert pool.loaded == []


def test_a_model_copied_over_a_loaded_one_is_loaded_anew(tagged, tmp_path):
    directory = shutil.copytree(tagged, tmp_path / "copied")
    [model] = open_directories([directory])
    pool = ModelPool(None, Metrics())
    with pool.use(model) as first:
        pass
    (directory / "model.safetensors").write_bytes((tagged / "model.safetensors").read_bytes())
    with pool.use(model) as again:
        assert again is not first
    with pool.use(model) as third:
        assert third is again


@pytest.mark.parametrize("number", [0, 1], ids=["tagged", "plain"])
def test_a_model_gets_ready_before_it_is_asked(models, number, monkeypatch):
    """Afterwards nothing has to be compiled for what a request may ask."""
    pool, model = ModelPool(None, Metrics()), models[number]
    pool.get_ready(model)
    assert pool.loaded == [model.id]
    monkeypatch.setattr(Kernel, "_loaded", lambda *given: pytest.fail("a kernel is looked for while somebody waits"))
    language = model.config.target_languages[0] if model.config.tagged else None
    with pool.use(model) as translator:
        for texts in (["bado"], ["Bado kilu 57. Noti <b>pasu</b>!", "MERA", "rovi sela"]):
            translator.translate(texts, target_language=language, align=True, n_best=2)


def test_a_model_that_cannot_be_loaded_does_not_keep_the_server_from_starting(tagged, tmp_path):
    model = open_directory(shutil.copytree(tagged, tmp_path / "later"))
    (model.path / "model.safetensors").unlink()
    pool = ModelPool(None, Metrics())
    pool.get_ready(model)
    assert pool.loaded == []
