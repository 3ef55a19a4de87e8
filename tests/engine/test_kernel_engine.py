"""The Transformer of one kernel a step, against the trained one and against itself."""

import random
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from polyhead.batch import padded
from polyhead.decoding.beam import beam
from polyhead.decoding.config import BeamConfig, GreedyConfig, SamplingConfig
from polyhead.decoding.search import search
from polyhead.engine import kernel_engine
from polyhead.engine.choice import Choice, kernel_arrays
from polyhead.engine.kernel_engine import KernelEngine
from polyhead.engine.pack import DIGITS
from polyhead.engine.prepare import prepare
from polyhead.engine.step.rescored import MARGIN
from polyhead.kernels.microkernels.registers import MAX_LEVEL
from polyhead.model.arrays import InArrays
from polyhead.model.levels import on_levels
from polyhead.model.transformer import Transformer
from polyhead.symbols import EOS, PAD, SOS
from tests.engine.conftest import make

SOURCE = padded([[5, 6, 7, 8, 9, EOS], [10, EOS], [11, 12, 5, EOS], [*range(4, 22), EOS]])
MASK = SOURCE != PAD
TENSORS = torch.from_numpy(SOURCE), torch.from_numpy(MASK)
INT8 = Choice("prepared", "int8")
ERRORS = {"float32": 1e-5, "int8": 0.05 if MAX_LEVEL == 255 else 0.07}
"""Of all numbers together, relative. With AVX2 alone inputs have 7 bits."""
SEEN = 1e-3
"""The same of 8-bit products that round nothing but inputs, to two bytes."""


@pytest.fixture(params=[("post", "relu"), ("pre", "relu"), ("post", "gelu"), ("pre", "swiglu")], ids="-".join)
def trained(request: pytest.FixtureRequest) -> Transformer:
    norm, activation = request.param
    return make(norm=norm, activation=activation, d_model=48, num_heads=4, d_ff=72)


@pytest.fixture(params=[name for name in ERRORS if name != "int8" or kernel_engine.has_int8_products()])
def dtype(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def engine(trained: Transformer, dtype: Any) -> KernelEngine:
    found = prepare(trained, Choice("prepared", dtype))
    assert isinstance(found, KernelEngine)
    return found


def begin(engine: KernelEngine):
    return engine.start(engine.encode(SOURCE, MASK))


def near(left: NDArray[np.float32], right: torch.Tensor, dtype: str) -> None:
    expected = right.detach().numpy()
    assert 0 < float(np.linalg.norm(left - expected) / np.linalg.norm(expected)) < ERRORS[dtype]


def test_all_it_computes_is_near_the_trained_models(trained: Transformer, engine: KernelEngine, dtype: str) -> None:
    expected = trained.encode(*TENSORS).states * TENSORS[1][:, :, None]
    near(engine.encode(SOURCE, MASK).states, expected, dtype)
    target, state = torch.randint(4, 23, (4, 40)), begin(engine)
    logits = []
    for t in range(40):
        one, state = engine.step(target[:, t].numpy(), state)
        logits.append(one)
    near(np.stack(logits, 1), trained(*TENSORS, target), dtype)


@pytest.mark.skipif(DIGITS == 1, reason="without VNNI inputs have one byte")
def test_8_bit_products_of_weights_on_their_levels_are_those_of_float32(trained: Transformer) -> None:
    weights = {name: parameter.detach().numpy() for name, parameter in trained.named_parameters()}
    for name, weight in on_levels(weights).items():
        trained.get_parameter(name).data = torch.from_numpy(weight)
    one, other = (prepare(trained, Choice("prepared", dtype)) for dtype in ("int8", "float32"))
    states, expected = (engine.encode(SOURCE, MASK).states for engine in (one, other))
    assert 0 < np.linalg.norm(states - expected) < SEEN * np.linalg.norm(expected)
    found, sure = (engine.step(np.full(4, SOS), begin(engine))[0] for engine in (one, other))
    contenders = sure >= sure.max(1, keepdims=True) - MARGIN / 2
    assert contenders.sum() > len(sure)
    assert np.abs(found - sure)[contenders].max() < SEEN * np.abs(sure).max()
    assert (found.argmax(1) == sure.argmax(1)).all()


@pytest.mark.parametrize("seed", range(4))
def test_rows_may_be_repeated_dropped_and_moved_at_will(engine: KernelEngine, seed: int) -> None:
    draw = random.Random(seed)
    state, histories, sentences = begin(engine), [[] for _ in range(4)], list(range(4))
    for _ in range(45):
        tokens = [draw.randrange(4, 23) for _ in histories]
        logits, state = engine.step(np.array(tokens), state)
        histories = [[*history, token] for history, token in zip(histories, tokens, strict=True)]
        if draw.random() < 0.7:
            rows = [draw.randrange(len(tokens)) for _ in range(draw.choice([3, 6, 9]))]
            state, logits = state.select(np.array(rows)), logits[rows]
            histories, sentences = [histories[row] for row in rows], [sentences[row] for row in rows]
    for history, sentence, found in zip(histories, sentences, logits, strict=True):
        length = int(MASK[sentence].sum())
        alone = engine.start(
            engine.encode(SOURCE[sentence : sentence + 1, :length], MASK[sentence : sentence + 1, :length])
        )
        for token in history:
            expected, alone = engine.step(np.array([token]), alone)
        assert np.array_equal(found, expected[0]), "to the bit: no row's companions touch it"


@pytest.mark.parametrize("count", [1, 4, 64, 150])
def test_some_rows_of_the_output_layer_give_those_logits(
    trained: Transformer, engine: KernelEngine, count: int
) -> None:
    features, _ = engine.features(np.full(4, SOS), begin(engine))
    some = np.random.default_rng(count).integers(0, len(engine.logits.weight), count)
    expected = features.astype(np.float64) @ trained.output.weight.detach().double().numpy()[some].T
    np.testing.assert_allclose(engine.output_rows(some)(features), expected, atol=1e-5, rtol=1e-5)


def test_companions_change_nothing(engine: KernelEngine) -> None:
    config = BeamConfig(beam_size=4, max_length=20)
    together = beam(engine, SOURCE, MASK, config)
    for row in range(4):
        length = int(MASK[row].sum())
        alone = beam(engine, SOURCE[row : row + 1, :length], MASK[row : row + 1, :length], config)
        assert alone[0] == together[row]


def test_a_state_is_a_value(engine: KernelEngine) -> None:
    _, state = engine.step(np.full(4, SOS), begin(engine))
    first, _ = engine.step(np.full(4, 5), state)
    second, _ = engine.step(np.full(4, 6), state)
    again, _ = engine.step(np.full(4, 5), state.select(np.arange(4)))
    assert np.array_equal(first, again)
    assert not np.allclose(first, second)


def test_a_fully_masked_row_is_no_nan_and_harms_no_other(
    trained: Transformer, engine: KernelEngine, dtype: str
) -> None:
    mask = MASK.copy()
    mask[1] = False
    logits, _ = engine.step(np.full(4, SOS), engine.start(engine.encode(SOURCE, mask)))
    assert np.isfinite(logits).all()
    start = trained.start(trained.encode(TENSORS[0], torch.from_numpy(mask)))
    near(logits, trained.step(torch.full((4,), SOS), start)[0], dtype)
    nothing = np.zeros_like(MASK)
    assert np.isfinite(engine.step(np.full(4, SOS), engine.start(engine.encode(SOURCE, nothing)))[0]).all()


def test_no_sentences_are_no_problem(engine: KernelEngine) -> None:
    empty = np.zeros((0, 3), np.int64)
    logits, _ = engine.step(empty[:, 0], engine.start(engine.encode(empty, empty.astype(bool))))
    assert logits.shape == (0, 23)


def test_padding_inside_a_row_is_not_seen(trained: Transformer, engine: KernelEngine, dtype: str) -> None:
    mask = MASK.copy()
    mask[3, 4:9] = False
    seen = torch.from_numpy(mask)
    near(engine.encode(SOURCE, mask).states, trained.encode(TENSORS[0], seen).states * seen[:, :, None], dtype)


def test_a_width_that_bytes_do_not_fit_has_no_products_of_them() -> None:
    assert kernel_arrays(make(d_ff=30), "int8") is None
    assert kernel_arrays(make(d_ff=30), "float32") is not None


def test_without_the_instructions_there_are_products_of_float32_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_engine, "cpu_features", set[str])
    assert kernel_arrays(make(), "int8") is None
    assert isinstance(prepare(make(), Choice("prepared", "float32")), KernelEngine)


def test_every_choice_of_the_settings_is_followed(model: Transformer) -> None:
    target, engine = torch.randint(4, 23, (4, 40)), prepare(model, Choice("prepared", "float32"))
    state, logits = engine.start(engine.encode(SOURCE, MASK)), []
    for t in range(40):
        one, state = engine.step(target[:, t].numpy(), state)
        logits.append(one)
    expected = model(*TENSORS, target).detach().numpy()
    np.testing.assert_allclose(np.stack(logits, 1), expected, atol=3e-5, rtol=1e-4)


@pytest.mark.parametrize(
    "config", [GreedyConfig(max_length=30), BeamConfig(beam_size=5, n_best=3, max_length=30), SamplingConfig(seed=2)]
)
def test_searches_find_the_same(varied: Transformer, config: GreedyConfig | BeamConfig | SamplingConfig) -> None:
    engine = prepare(varied, Choice("prepared", "float32"))
    expected = search(InArrays(varied), SOURCE, MASK, config)
    for ours, theirs in zip(search(engine, SOURCE, MASK, config), expected, strict=True):
        assert [one.tokens for one in ours] == [one.tokens for one in theirs]
        assert [one.score for one in ours] == pytest.approx([one.score for one in theirs], abs=1e-4)


LAST = 79
"""The last position of the models here."""


@pytest.mark.parametrize("token", [-1, 23, 10**9, -(10**9)])
@pytest.mark.parametrize("position", [0, 3])
def test_a_token_that_is_not_in_the_vocabulary_is_refused(engine: KernelEngine, token: int, position: int) -> None:
    source = SOURCE.copy()
    source[3, position] = token
    with pytest.raises(IndexError, match=f"token {token} at position {position}, but the vocabulary has 23 tokens"):
        engine.encode(source, MASK)
    with pytest.raises(IndexError, match=f"row 2 has token {token} at position 0"):
        engine.step(np.array([SOS, SOS, token, SOS]), begin(engine))


@pytest.mark.parametrize("positions", ["sinusoidal", "sinusoidal-concat", "learned", "none"])
def test_no_position_is_read_that_the_model_does_not_have(positions: str) -> None:
    engine = prepare(make(positions=positions), Choice("prepared", "float32"))
    whole = np.full((1, LAST + 1), 5)
    assert np.isfinite(engine.encode(whole, whole > 0).states).all()
    longer = np.full((1, LAST + 2), 5)
    with pytest.raises(IndexError, match=f"position {LAST + 1}, .* the model {LAST + 1} positions"):
        engine.encode(longer, longer > 0)
    state = engine.start(engine.encode(SOURCE, MASK))
    for _ in range(LAST + 1):
        logits, state = engine.step(np.full(4, 5), state)
        assert np.isfinite(logits).all()
    with pytest.raises(IndexError, match=f"position {LAST + 1}"):
        engine.step(np.full(4, 5), state)


@pytest.mark.parametrize("rows", [0, 3, 5, 4000])
def test_a_step_has_a_token_for_every_row(engine: KernelEngine, rows: int) -> None:
    with pytest.raises(ValueError, match=f"there are {rows} tokens, but 4 positions"):
        engine.step(np.full(rows, SOS), begin(engine))


def test_what_comes_from_a_wider_or_narrower_model_is_refused(engine: KernelEngine) -> None:
    memory = engine.encode(SOURCE, MASK)
    for width in (16, 47, 49, 96):
        other = kernel_engine.Encoded(np.zeros((*SOURCE.shape, width), np.float32), memory.mask)
        with pytest.raises(ValueError, match=f"memory is {width} numbers wide, this model's is 48"):
            engine.start(other)
        features = np.zeros((4, width), np.float32)
        for output in (engine.logits, engine.output_rows(np.array([4, 5]))):
            with pytest.raises(ValueError, match=f"features are {width} numbers wide; this output layer reads 48"):
                output(features)


@pytest.mark.parametrize("tokens", [[-1], [4, 23], [5, -2, 6]])
def test_the_output_layer_has_no_row_for_a_token_that_is_not_there(engine: KernelEngine, tokens: list[int]) -> None:
    with pytest.raises(IndexError, match="the vocabulary has 23"):
        engine.output_rows(np.array(tokens))
