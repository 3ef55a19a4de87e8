"""Shards that Ray Data shares out, and Ray Data with the translator itself, where Ray is installed."""

import pytest

from polyhead.bulk.on_ray import on_ray
from polyhead.errors import PolyheadError
from tests.clusters import ray_cluster

pytest.importorskip("ray")
pytestmark = pytest.mark.filterwarnings("ignore")  # Ray warns of what it does itself


@pytest.fixture(scope="module")
def cluster():
    with ray_cluster(4):
        yield


def test_ray_translates_the_same_files(cluster, doing):
    doing.write("a.txt", "".join(f"line {i}\n" for i in range(20)))
    doing.write("b.txt", "one\nbe wrong\n")
    done = doing.run(on_ray(doing.echo(), 2))
    assert doing.read("a.txt") == "".join(f"LINE {i}\n" for i in range(20))
    assert list(done.failures) == ["b.txt"]
    assert doing.run(on_ray(doing.echo(), 2)).files == 1


@pytest.mark.slow
def test_a_worker_of_rays_that_is_killed_loses_no_line(cluster, doing):
    doing.write("a.txt", "one\ntwo\ndie once\nfour\nfive\n")
    assert doing.run(on_ray(doing.echo(), None)).failures == {}
    assert doing.read("a.txt") == "ONE\nTWO\nDIE ONCE\nFOUR\nFIVE\n"


@pytest.mark.slow
def test_map_batches_takes_the_translator(cluster, doing):
    import ray.data

    rows = ray.data.from_items([{"id": i, "text": f"line {i}"} for i in range(50)])
    found = rows.map_batches(doing.echo(), batch_size=10).take_all()
    assert sorted((row["id"], row["translation"]) for row in found) == [(i, f"LINE {i}") for i in range(50)]


@pytest.mark.slow
def test_too_small_a_cluster_is_refused():
    with ray_cluster(2), pytest.raises(PolyheadError, match="has 2 CPUs, but Ray Data needs 4"):
        list(on_ray(None, 1)(iter([object()])))  # type: ignore[arg-type]
