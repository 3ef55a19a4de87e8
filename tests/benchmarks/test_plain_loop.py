"""What all peers made of PyTorch modules share: the schedule, the counting, the greedy search."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from plain_loop import EOS, SOS, Session, learning_rate
from plain_translation import by_length
from polyhead.training.schedule import ScheduleConfig, build_schedule

SCHEDULE = {"peak": 2e-3, "warmup": 10}


class Counting:
    """Writes source length many tokens 7, then `<eos>`; its loss pulls one weight towards 0."""

    def __init__(self) -> None:
        self.module = nn.Linear(1, 1, bias=False)

    def loss(self, source: Tensor, target_in: Tensor, target_out: Tensor) -> Tensor:
        return self.module.weight.square().sum() * (target_out != 0).sum()

    def logits(self, source: Tensor, target_in: Tensor) -> Tensor:
        lengths = (source != 0).sum(1)[:, None]
        over = torch.arange(target_in.size(1))[None, :] >= lengths
        return torch.nn.functional.one_hot(torch.where(over, EOS, 7), 10).float() * 9


@pytest.fixture
def session(tmp_path: Path) -> Session:
    arrays = {
        "0.source": [[5, EOS, 0], [5, 6, EOS]],
        "0.target_in": [[SOS, 7, 0], [SOS, 7, 7]],
        "0.target_out": [[7, EOS, 0], [7, 7, EOS]],
    }
    np.savez(tmp_path / "b.npz", **{name: np.array(rows, np.uint16) for name, rows in arrays.items()})
    return Session(Counting(), False, SCHEDULE, str(tmp_path / "b.npz"), str(tmp_path / "b.npz"))


def test_the_schedule_is_ours() -> None:
    ours = build_schedule(ScheduleConfig(kind="inverse-sqrt", learning_rate=2e-3, warmup=10), 512, 1000)
    assert [learning_rate(update, SCHEDULE) for update in (1, 5, 10, 40)] == pytest.approx(
        [ours(update, None) for update in (1, 5, 10, 40)]
    )


def test_target_tokens_are_counted_with_eos_and_without_padding(session: Session) -> None:
    answer = session.run(3)
    assert answer["tokens"] == 3 * 5
    assert answer["seconds"] > 0


def test_updates_change_the_weights(session: Session) -> None:
    before = session.system.module.weight.abs().item()
    session.run(2)
    assert session.updates == 2
    assert session.system.module.weight.abs().item() < before


def test_judging_is_the_mean_over_real_tokens(session: Session) -> None:
    """Of five tokens four are foreseen; the first sentence's end comes a step too late for this model."""
    sure = float(
        torch.nn.functional.cross_entropy(9.0 * torch.nn.functional.one_hot(torch.tensor([7]), 10), torch.tensor([7]))
    )
    assert session.judge()["loss"] == pytest.approx((3 * sure + 2 * (sure + 9)) / 5, rel=1e-4)


def test_greedy_search_keeps_the_order_and_ends_at_eos(session: Session) -> None:
    found = session.translate([[5, 6, 6, EOS], [EOS], [5, EOS]], longest=10)["outputs"]
    assert found == [[7] * 4, [7], [7] * 2]


def test_greedy_search_ends_at_the_limit(session: Session) -> None:
    assert session.translate([[5] * 30], longest=4)["outputs"] == [[7] * 4]


def test_greedy_search_ends_where_a_source_is_far_exceeded(session: Session) -> None:
    session.system.logits = lambda source, target_in: torch.ones(len(source), target_in.size(1), 8).cumsum(-1)
    assert session.translate([[5, EOS]], longest=80)["outputs"] == [[7] * 14]


def test_rows_of_like_length_are_decoded_together_the_longest_first() -> None:
    assert by_length([3, 9, 1, 7], 2) == [[1, 3], [0, 2]]
