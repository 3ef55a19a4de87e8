"""What every test shares: one thread, one seed, and the same hypothesis examples on every run."""

import os

# One thread a process, libraries loaded by subprocesses included: pytest-xdist already uses the cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
import torch
from hypothesis import settings

torch.set_num_threads(1)
settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("searching", deadline=None, max_examples=400)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


@pytest.fixture(autouse=True)
def seed() -> None:
    """Each test starts from the same random state, whatever ran before it."""
    torch.manual_seed(0)
