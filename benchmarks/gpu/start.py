"""Systems started side by side: most of a start is reading libraries, and eight minutes are few."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

from benchmarks.contest import Contestant, Stage
from benchmarks.systems import System


def started(
    stage: Stage, systems: Sequence[System], request: Callable[[System], Mapping[str, Any]], running: ExitStack
) -> list[Contestant]:
    """Each system in its first setting, if it can; `running` ends them. A note says why one is missing.

    request: system → what its driver is told to prepare
    """
    for system in systems:
        stage.python(system)  # one after the other: systems may share an environment
    with ThreadPoolExecutor(max(1, len(systems))) as pool:
        found = list(pool.map(lambda system: stage.start(system, system.settings[0], request(system)), systems))
    contestants = [contestant for contestant in found if contestant is not None]
    for contestant in contestants:
        running.callback(contestant.driver.close)
    return contestants
