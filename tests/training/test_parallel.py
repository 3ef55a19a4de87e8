"""Shares of a batch in threads: the same answer every time, and the same gradients as in one piece."""

import threading

import pytest
import torch
from torch import Tensor

from polyhead.batch import collate
from polyhead.model.build import build_model
from polyhead.model.config import TransformerConfig
from polyhead.model.dropout import Dropout, drawing_from
from polyhead.training.loss import label_smoothed_loss
from polyhead.training.parallel import Workers, seed_of


@pytest.fixture(params=[1, 2, 3])
def workers(request):
    made = Workers(request.param)
    yield made
    made.close()


def test_results_come_in_order_whoever_is_ready_first(workers):
    waiting = [threading.Event() for _ in range(workers.count)]
    waiting[-1].set()

    def answer(number: int) -> int:
        assert waiting[number].wait(10)
        waiting[number - 1].set()  # the last one is ready first
        return 10 * number

    if workers.count > 1:
        assert workers.map(answer, range(workers.count)) == [10 * number for number in range(workers.count)]
    assert workers.map(lambda number: number + 1, range(7)) == list(range(1, 8))


def test_an_error_in_a_thread_is_raised_and_the_cores_are_given_back(workers):
    cores = torch.get_num_threads()
    with pytest.raises(ZeroDivisionError):
        workers.map(lambda number: 1 // number, [1, 0, 1])
    assert torch.get_num_threads() == cores


def test_dropout_in_threads_depends_on_its_seed_alone(workers):
    dropout, x = Dropout(0.5), torch.ones(1000)

    def masked(seed: int) -> Tensor:
        with drawing_from(seed):
            return torch.stack([dropout(x) for _ in range(20)])

    seeds = [seed_of(1, share) for share in range(5)]
    alone = [masked(seed) for seed in seeds]
    for _ in range(5):
        assert all(torch.equal(a, b) for a, b in zip(alone, workers.map(masked, seeds), strict=True))
    assert not torch.equal(alone[0], alone[1])


def test_the_default_generator_is_drawn_from_outside_the_block():
    dropout, x = Dropout(0.5), torch.ones(1000)
    torch.manual_seed(3)
    first = dropout(x)
    with drawing_from(4):
        dropout(x)
    torch.manual_seed(3)
    assert torch.equal(dropout(x), first)


def test_gradients_of_shares_add_up_to_those_of_the_batch(workers):
    torch.manual_seed(0)
    config = TransformerConfig(encoder_layers=1, decoder_layers=1, d_model=8, d_ff=16, num_heads=2, dropout=0.0)
    model = build_model(config, 20, 20).double().train()
    weights = list(model.parameters())
    batch = collate([[5, 6, 7], [8], [9, 10], [4, 4]], [[11], [12, 13], [14, 15, 16], []])

    def gradients(share) -> list[Tensor]:
        features = model.decode(share.target_in, model.encode(share.source, share.source_mask))
        real = share.target_out != 0
        loss, _ = label_smoothed_loss(features[real], model.output_layer.weight, share.target_out[real], 0.1)
        return list(torch.autograd.grad(loss, weights))

    whole = gradients(batch)
    parts = workers.map(gradients, batch.split(workers.count))
    for expected, *shares in zip(whole, *parts, strict=True):
        torch.testing.assert_close(sum(shares), expected, rtol=1e-4, atol=1e-5)


def test_seeds_differ_with_every_number():
    seeds = {seed_of(run, update, share) for run in range(3) for update in range(50) for share in range(4)}
    assert len(seeds) == 600
    assert all(0 <= seed < 2**63 for seed in seeds)
