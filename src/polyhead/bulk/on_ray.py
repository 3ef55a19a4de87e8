"""Shards translated by Ray Data, on whatever machines its cluster has.

Every machine must reach the files, the model and the output directory under the same paths. A shard is written where
it is translated; what goes through Ray are descriptions of shards and what became of them.
"""

import pickle
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any

from polyhead.bulk.batch_translator import BatchTranslator
from polyhead.bulk.cluster import connect, ray_for
from polyhead.bulk.shard import Outcome, Shard
from polyhead.bulk.work import work
from polyhead.bulk.workers import Run
from polyhead.cores import cores
from polyhead.errors import PolyheadError

FEWEST = 4
"""The fewest CPUs with which Ray Data does not wait for ever: its own tasks take some of them."""
_BLOCKS = 4_096
"""The most blocks that the shards are divided into; a block is reported when all of it is done."""


def on_ray(translator: BatchTranslator, count: int | None) -> Run:
    """A function that translates shards by Ray Data, `count` at a time or as many as the cluster has CPUs.

    Where no cluster is found (RAY_ADDRESS, or one that runs on this machine), one is started that ends with this
    process. Raises PolyheadError for a cluster of fewer than four CPUs, MissingExtra where Ray isn't installed.
    """
    ray = ray_for("translate --ray", "ray.data")

    def run(shards: Iterable[Shard]) -> Generator[Outcome]:
        given = [{"number": number, "shard": pickle.dumps(shard)} for number, shard in enumerate(shards)]
        if not given:
            return
        connect(ray, max(FEWEST, cores()))
        _check(ray)
        rows = ray.data.from_items(given, override_num_blocks=min(len(given), _BLOCKS))
        many = {} if count is None else {"compute": ray.data.TaskPoolStrategy(size=count)}
        done = rows.map_batches(
            _rows_by(translator), batch_size=1, num_cpus=translator.threads or 1, batch_format="numpy", **many
        )
        for row in done.iter_rows():
            yield pickle.loads(row["outcome"])

    return run


def _rows_by(translator: BatchTranslator) -> Callable[[Mapping[str, Any]], dict[str, list[Any]]]:
    """The function that Ray calls with descriptions of shards, in processes of its own."""

    def translate(rows: Mapping[str, Any]) -> dict[str, list[Any]]:
        outcomes = [work(translator, pickle.loads(shard)) for shard in rows["shard"]]
        return {"number": list(rows["number"]), "outcome": [pickle.dumps(each) for each in outcomes]}

    return translate


def _check(ray: Any) -> None:
    """Raises PolyheadError for a cluster on which Ray Data would wait for ever."""
    found = ray.cluster_resources().get("CPU", 0)
    if found < FEWEST:
        raise PolyheadError(
            f"this Ray cluster has {found:g} CPUs, but Ray Data needs {FEWEST} or it waits for ever: start it with "
            f"`ray start --head --num-cpus {FEWEST}`, or leave out --ray"
        )
