"""A stand-in for Ray, whose actors live in the test's own process: for what needs no cluster."""

from types import SimpleNamespace
from typing import Any

import pytest

from polyhead.recipe.on_ray.board import Board


class Handle:
    """An actor as those see it who call it."""

    def __init__(self, actor: object) -> None:
        self.actor = actor

    def __getattr__(self, name: str) -> Any:
        return SimpleNamespace(remote=getattr(self.actor, name))


class WorkerGroupError(Exception):
    pass


@pytest.fixture
def board() -> Handle:
    """The handle of a board."""
    return Handle(Board())


@pytest.fixture
def ray() -> SimpleNamespace:
    """The package: what was asked of an actor is its answer already."""
    return SimpleNamespace(get=lambda answer: answer, train=SimpleNamespace(WorkerGroupError=WorkerGroupError))
