"""Trainings killed at random moments and resumed, again and again: do they end with the weights of one left alone?

    python -m tests.faults.bit_exact --kills 100 --size tiny

A chain is one training: it is killed every few moments until it comes to its end, and then everything that it left,
each loss and each weight, is compared with what a training that nobody disturbed has left.
"""

import argparse
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.conftest import Toy
from tests.faults.nursery import Answer, Command, Nursery
from tests.faults.runs import Run, Traces, differences, outcome, recipe, traces

SIGNALS = [signal.SIGKILL] * 3 + [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]
PATIENCE = 900.0
SIZES: dict[str, dict[str, Any]] = {
    "toy": {},
    "tiny": {"model": {"preset": "tiny", "dropout": 0.1}},
    "small": {"model": {"preset": "small", "dropout": 0.1}},
    "base": {"model": {"preset": "base", "dropout": 0.1}, "training__max_updates": 8, "training__validate_every": 3},
}
"""Recipes' keys for models of about ten thousand, 1, 5 and 44 million weights."""


@dataclass
class Chain:
    """A training that was killed again and again."""

    signals: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Chains:
    """Trainings to kill, and how one ends that is left alone."""

    run: Run
    alone: Traces
    seconds: float
    """From the first update of the undisturbed training to its end."""

    @classmethod
    def of(cls, run: Run, directory: Path) -> "Chains":
        """Leaves a run alone in `directory`, twice: the second time takes no time for what is done only once."""
        found: list[Traces] = []
        began = 0.0
        for _ in range(2):
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir(parents=True)
            command = run.nursery.begin(*run.words, directory=directory)
            wait_until_training(command)
            began = time.monotonic()
            answer = command.wait(PATIENCE)
            assert answer.status == 0, answer.err
            found.append(traces(directory))
        assert not differences(*found), "two trainings that nobody disturbs differ already"
        return cls(run, found[0], time.monotonic() - began)

    def chain(self, directory: Path, draw: random.Random, kills: int) -> Chain:
        """Kills a training up to so many times, each at a random moment, and lets it come to its end."""
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        chain, begun = Chain(), False
        while len(chain.signals) < kills:
            words = [*self.run.words, *(["--resume"] if begun else [])]
            command = self.run.nursery.begin(*words, directory=directory)
            wait_until_training(command)
            begun = True
            time.sleep(draw.uniform(0, self.seconds))
            number = draw.choice(SIGNALS)
            if command.ended:
                break
            command.kill(number)
            answer = command.wait(PATIENCE)
            chain.signals.append(signal.Signals(number).name)
            if problem := unclean(answer):
                chain.problems.append(f"after {chain.signals[-1]}: {problem}")
                break
        answer = self.run.to_the_end(directory, PATIENCE)
        if answer.status != 0:
            chain.problems.append(f"the end is not reached: {outcome(answer)}")
        else:
            found = traces(directory)
            chain.problems += compared(self.alone, found)
        return chain


def compared(alone: Traces, found: Traces) -> list[str]:
    """What differs, the final weights first."""
    problems = differences(alone, found)
    return sorted(problems, key=lambda problem: "model/model.safetensors" not in problem)


def wait_until_training(command: Command) -> None:
    """Until the first update, or the first translation of a distillation, is under way, or the command has ended."""
    while not command.ended:
        said = command.place / "stderr"
        if said.exists() and re.search(rb"precision: |translating ", said.read_bytes()):
            return
        time.sleep(0.002)


def unclean(answer: Answer) -> str:
    """What is wrong with the end of a command that got a signal; empty if nothing is."""
    said = outcome(answer)
    return said if answer.status is None or "traceback" in said or answer.status in (-6, -7, -11) else ""


def chains(made: Chains, directory: Path, seed: str, kills: int, at_most: int) -> Iterator[Chain]:
    """Chains of up to `at_most` kills each, until there were `kills`."""
    done, number = 0, 0
    while done < kills:
        number += 1
        chain = made.chain(directory, random.Random(f"{seed} {number}"), min(at_most, kills - done))
        done += len(chain.signals)
        yield chain


def lines(name: str, found: list[Chain]) -> list[str]:
    """What there is to say of a campaign."""
    kills = sum(len(chain.signals) for chain in found)
    whole = sum(len(chain.signals) for chain in found if not chain.problems)
    said = [f"{name}: {whole} kills of {kills}: the same weights ({len(found)} trainings)"]
    for number, chain in enumerate(found, start=1):
        if chain.problems:
            said.append(f"  training {number} ({', '.join(chain.signals)}): {'; '.join(chain.problems)}")
    return said


def keys(size: str, precision: str, more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The recipe's keys of a size and a precision."""
    usual = {"training__precision": precision, "training__log_every": 1}
    return {**usual, **SIZES[size], **(more or {})}


def main() -> int:
    """Does a campaign → 0 if every training ended as it should."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--chain", type=int, default=10, help="the most kills of one training")
    parser.add_argument("--size", choices=sorted(SIZES), default="tiny")
    parser.add_argument("--precision", default="auto")
    parser.add_argument("--seed", default=os.environ.get("POLYHEAD_FAULTS_SEED", "1"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / "commands").mkdir()
        nursery = Nursery(directory / "commands")
        path = recipe(Toy(directory), directory / "recipe.toml", **keys(given.size, given.precision))
        made = Chains.of(Run(nursery, ("train", str(path))), directory / "alone")
        print(f"a training left alone takes {made.seconds:.1f} s", file=sys.stderr, flush=True)
        found: list[Chain] = []
        for chain in chains(made, directory / "run", f"{given.seed} {given.size}", given.kills, given.chain):
            found.append(chain)
            print(*lines("so far", found), sep="\n", file=sys.stderr, flush=True)
        print("\n".join(lines(f"{given.size}, {given.precision}", found)))
        nursery.close()
    return int(any(chain.problems for chain in found))


if __name__ == "__main__":
    sys.exit(main())
