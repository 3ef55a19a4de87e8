"""Started by torchrun: times how long sums over all processes take, as training makes them, and prints them as JSON."""

import json
import statistics
import time

import torch

from polyhead.training.joining import joined

SIZES = (1 << 16, 1 << 20, 1 << 24, 1 << 26, 1 << 28)
"""Bytes."""
TIMES = 7


def main() -> None:
    """Prints a list of bytes and seconds, in process 0."""
    torch.set_num_threads(1)
    found: list[dict[str, float]] = []
    with joined() as world:
        for nbytes in SIZES:
            tensor = torch.ones(nbytes // 4)
            seconds: list[float] = []
            for _ in range(TIMES):
                world.all_reduce([0.0])  # all begin together
                begun = time.perf_counter()
                world.all_reduce_([tensor])
                seconds.append(time.perf_counter() - begun)
            found.append({"nbytes": nbytes, "seconds": statistics.median(seconds)})
        if world.rank == 0:
            print(json.dumps(found))


if __name__ == "__main__":
    main()
