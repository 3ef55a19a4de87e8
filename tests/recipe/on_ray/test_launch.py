"""Ray Train itself, where Ray is installed: two workers train what two processes would."""

import pytest

from polyhead.errors import PolyheadError
from polyhead.recipe.follow import follow
from polyhead.recipe.on_ray.config import RayConfig
from polyhead.recipe.on_ray.launch import train_on_ray
from polyhead.recipe.train import train
from tests.clusters import ray_cluster
from tests.together import together

pytest.importorskip("ray")
pytestmark = pytest.mark.filterwarnings("ignore")  # Ray warns of what it does itself


@pytest.fixture(scope="module")
def cluster():
    with ray_cluster(2):
        yield


def test_two_workers_train_what_two_processes_train(toy, cluster, capfd):
    keys = {"model__dropout": 0.2, "training__max_updates": 10}
    storage = toy.directory / "storage"
    assert train_on_ray(toy.values("ray", **keys), RayConfig(workers=2, storage=str(storage)))
    said = capfd.readouterr().err
    for words in ("Ray: 2 workers with 1 CPU each", "reading the corpus", "update 10 · dev_loss", "the model is in"):
        assert said.count(words) == 1, said
    values = toy.values("processes", **keys)
    together(2, lambda world: train(values, world=world).finished if world.rank == 0 else follow(world))
    weights = [(toy.directory / out / "model.safetensors").read_bytes() for out in ("ray", "processes")]
    assert weights[0] == weights[1]
    kept = sorted(each for each in storage.glob("ray-*/checkpoint_*") if each.is_dir())
    assert [len(list(each.glob("training/checkpoints/update-*"))) for each in kept] == [1, 2]
    assert train(toy.values(str(kept[-1]), **keys), resume=True).finished, "a copy can be gone on with"


def test_too_small_a_cluster_is_refused_at_once(toy, cluster):
    with pytest.raises(PolyheadError, match="room for 2 of 3 workers"):
        train_on_ray(toy.values(), RayConfig(workers=3))
    assert not (toy.directory / "model").exists()
