"""How long it takes to train to a given BLEU on the dev set: ours and the fastest two peers, in turns."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from benchmarks.contest import Contestant, Stage, winners
from benchmarks.conversation import DriverError
from benchmarks.corpora import TOKENIZER, TextSet, TrainingText
from benchmarks.results import Row
from benchmarks.systems import OURS, TRAINING, System, taking_part
from benchmarks.training import MARIAN, probe, training_request
from polyhead.evaluation.metrics import evaluate
from polyhead.symbols import EOS
from polyhead.tokenizers.build import load as load_tokenizer

WARMUP_UPDATES = 600
DEFAULT_PEERS = ("torch.nn.Transformer", "Eole")
"""Where no earlier results say which peers are the fastest two."""
LONGEST = 80
"""Tokens of a dev translation at most: none of the references has as many."""


@dataclass
class Course:
    """One system on its way."""

    contestant: Contestant
    seconds: float = 0.0
    """Of training alone: validation isn't counted."""
    updates: int = 0
    bleu: float = 0.0
    before: tuple[float, float] = (0.0, 0.0)
    """Seconds and BLEU at the validation before the last one."""
    failure: str = ""


@dataclass(frozen=True)
class Goal:
    """When a course is over, and how often one looks."""

    bleu: float
    every: int
    """Updates between validations."""
    longest: float
    """Seconds of training after which a system has not got there."""


def measure(stage: Stage, text: TrainingText, dev: TextSet, size: str, goal: Goal, peers: Sequence[str]) -> list[Row]:
    """The rows of one size."""
    systems = tuple(system for system in taking_part(TRAINING, peers) if system.name != MARIAN)
    tokenizer = load_tokenizer(text.vocabulary, TOKENIZER)
    sources = [[*ids, EOS] for ids in tokenizer.encode_many(dev.sources)]

    def request(system: System) -> dict[str, Any]:
        asked = training_request(stage, text, size, system)
        return asked | {"schedule": asked["schedule"] | {"warmup": WARMUP_UPDATES}}

    with ExitStack() as running:
        # The few seconds in which settings are compared are not counted; every system has had as many of them.
        found = winners(stage, systems, request, probe(stage.plan), running)
        courses = [Course(contestant) for contestant in found.values()]
        while going := [course for course in courses if is_going(course, goal)]:
            for course in going:
                outputs = [tokenizer.decode(ids) for ids in _advance(course, goal, sources)]
                if outputs:
                    course.bleu = evaluate(outputs, dev.references, dev.language, metrics=("bleu",))["bleu"].value
                stage.say(f"{course.contestant.system.name}: {so_far(course)}")
        return [row(course, size, goal) for course in courses]


def is_going(course: Course, goal: Goal) -> bool:
    """Not there yet, and nothing against going on."""
    return course.bleu < goal.bleu and course.seconds < goal.longest and not course.failure


def seconds_to(course: Course, bleu: float) -> float:
    """When the straight line between the last two validations crosses it: between them nobody looks."""
    seconds, lower = course.before
    return seconds + (course.seconds - seconds) * (bleu - lower) / (course.bleu - lower)


def row(course: Course, size: str, goal: Goal) -> Row:
    """Its figure; no value where it didn't get there."""
    there = course.bleu >= goal.bleu
    return Row(
        "time to BLEU",
        size,
        f"until dev BLEU {goal.bleu:g}",
        course.contestant.system.name,
        course.contestant.title,
        round(seconds_to(course, goal.bleu), 1) if there else None,
        "s",
        data="multi30k",
        search="greedy",
        note=so_far(course),
    )


def so_far(course: Course) -> str:
    """How far it has come, and why no further."""
    said = f"{course.updates} updates in {course.seconds:.0f} s, BLEU {course.bleu:.1f}"
    return f"{said}; {course.failure}" if course.failure else said


def fastest_peers(rows: Sequence[Row], size: str) -> tuple[str, ...]:
    """The two that trained the fastest in earlier results."""
    timed = [
        one
        for one in rows
        if (one.task, one.size, one.measure) == ("training", size, "throughput")
        and one.system in {system.name for system in TRAINING} - {OURS, MARIAN}
        and one.value is not None
    ]
    best = sorted(timed, key=lambda one: -(one.value or 0.0))[:2]
    return tuple(one.system for one in best) or DEFAULT_PEERS


def _advance(course: Course, goal: Goal, sources: list[list[int]]) -> list[list[int]]:
    """Trains on, and translates the dev set; no translations where the system fails."""
    driver, course.before = course.contestant.driver, (course.seconds, course.bleu)
    try:
        course.seconds += float(driver.ask("run", 7200.0, count=goal.every)["seconds"])
        course.updates += goal.every
        return driver.ask("translate", 3600.0, sources=sources, longest=LONGEST)["outputs"]
    except DriverError as error:
        course.failure = str(error)
        return []
