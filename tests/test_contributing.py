"""What CONTRIBUTING.md shows works when it is typed off: each example is put where the page says."""

import importlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import torch

from polyhead.batch import Batch
from polyhead.config import Config
from polyhead.corpora.text_lines import read_text_lines
from polyhead.data.readers import Pair
from polyhead.decoding.rules import NEVER, Live
from polyhead.evaluation.metrics import evaluate
from polyhead.evaluation.scoring import METRICS, MetricKind
from polyhead.model.build import build_model
from polyhead.model.config import TransformerConfig
from polyhead.model.dropout import Dropout
from polyhead.model.feed_forward import FEED_FORWARDS
from polyhead.model.positions import POSITIONS
from polyhead.model.sublayer import SUBLAYERS
from polyhead.model.transformer import Transformer
from polyhead.training.schedule import ScheduleConfig, build_schedule

PAGE = Path(__file__).parents[1] / "CONTRIBUTING.md"
SMALL = TransformerConfig(d_model=16, d_ff=32, num_heads=2, encoder_layers=1, decoder_layers=1, max_length=20)


def example(name: str, module: str, **more: Any) -> Any:
    """What an example defines under a name, with the names that its module has.

    module: the one that the page says it belongs to; more: names that it would import or see besides
    """
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    block = next(block for block in blocks if re.search(rf"^(class|def) {name}\b", block, re.MULTILINE))
    names: dict[str, Any] = {**vars(importlib.import_module(module)), **more}
    exec(compile(block, str(PAGE), "exec", dont_inherit=True), names)
    return names[name]


def batch() -> Batch:
    """Two pairs of different lengths."""
    source = torch.tensor([[5, 6, 7, 3], [8, 9, 3, 0]])
    target_in, target_out = torch.tensor([[2, 5, 6], [2, 7, 0]]), torch.tensor([[5, 6, 3], [7, 3, 0]])
    return Batch(source, target_in, target_out, (0, 1))


def features(model: Transformer) -> torch.Tensor:
    with torch.no_grad():
        return model.eval().features(batch())


def of_kind(monkeypatch: pytest.MonkeyPatch, table: dict[str, Any], name: str, made: Any, key: str) -> Transformer:
    """A model whose settings name a component that was put into its table."""
    monkeypatch.setitem(table, name, made)
    torch.manual_seed(1)
    model = build_model(SMALL.model_copy(update={key: name}), 12, 12)
    assert isinstance(model, Transformer)
    return model


def test_a_positional_encoding(monkeypatch):
    ramp = example("Ramp", "polyhead.model.positions")
    x, layer = torch.randn(1, 3, 4), ramp(4, 10)
    rows = layer(x[0], torch.tensor([2, 3, 4]))
    torch.testing.assert_close(layer(x, slice(2, 5))[0], rows, atol=0, rtol=0)
    torch.testing.assert_close(rows, x[0] + torch.tensor([[2], [3], [4]]) / 9)
    assert features(of_kind(monkeypatch, POSITIONS, "ramp", ramp, "positions")).isfinite().all()


def test_a_feed_forward_network(monkeypatch):
    model = of_kind(monkeypatch, FEED_FORWARDS, "tanh", example("_tanh", "polyhead.model.feed_forward"), "activation")
    assert features(model).isfinite().all()


def test_a_norm_or_residual(monkeypatch):
    more = {"Dropout": Dropout, "Callable": Callable, "torch": torch}
    model = of_kind(monkeypatch, SUBLAYERS, "rezero", example("ReZero", "polyhead.model.sublayer", **more), "norm")
    untouched = model.encoder.layers[0](torch.ones(1, 2, 16), torch.ones(1, 1, 2, dtype=torch.bool))
    torch.testing.assert_close(untouched, torch.ones(1, 2, 16))  # as α is 0 at first
    assert features(model).isfinite().all()


def test_an_attention_core():
    torch.manual_seed(1)
    model = build_model(SMALL, 12, 12)
    assert isinstance(model, Transformer)
    usual = features(model)
    core = example("UnscaledCore", "polyhead.model.attention")()
    query, key = torch.randn(1, 2, 3, 8), torch.randn(1, 2, 4, 8)
    torch.testing.assert_close(core(query, key, key), (query @ key.mT).softmax(-1) @ key)
    model.decoder.layers[0].self_attention.core = core
    assert not torch.equal(features(model), usual)


def test_a_reader(tmp_path):
    path = tmp_path / "text.jsonl"
    path.write_text('{"source": "a dog", "target": "ein Hund"}\n', encoding="utf-8")
    more = {"Literal": Literal, "Path": Path, "Iterator": Iterator, "Config": Config, "json": json}
    config = example("JsonLinesConfig", "polyhead.data.readers", **more, Weight=float)
    read = example("read_json_lines", "polyhead.data.readers", **more, Weight=float, read_text_lines=read_text_lines)
    assert list(read(config(path=path, target_language="de"))) == [Pair("a dog", "ein Hund", "de", f"{path}:1")]


def test_a_metric(monkeypatch):
    made = example("_chrf_plus", "polyhead.evaluation.scoring")
    monkeypatch.setitem(METRICS, "chrf+", MetricKind("chrF2+", True, made))
    assert evaluate(["ein Hund"], ["ein Hund"], "de", metrics=("chrf+",))["chrf+"].value == pytest.approx(100)


def test_a_decoding_rule():
    rule = example("NoStutter", "polyhead.decoding.rules")()
    logits, live = np.zeros((2, 9), np.float32), Live(np.array([[4, 5], [6, 7]]), np.arange(2))
    rule(logits, live)
    assert np.argwhere(logits == NEVER).tolist() == [[0, 5], [1, 7]]


def test_a_learning_rate_schedule():
    config = ScheduleConfig(kind="wsd", learning_rate=1.0, warmup=10, decay=0.25)
    more = {
        "config": config,
        "constant": build_schedule(ScheduleConfig(kind="constant", learning_rate=1.0, warmup=10), 8, 100),
    }
    rate = example("sqrt_decay", "polyhead.training.schedule", **more)
    assert [rate(5, None), rate(50, None), rate(75, 100)] == [0.5, 1.0, 1.0]
    falling = [rate(update, 100) for update in range(76, 102)]
    assert falling == sorted(falling, reverse=True)
    assert falling[-1] == pytest.approx(0)
