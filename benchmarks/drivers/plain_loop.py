"""The training loop that every peer made of PyTorch modules gets: the leanest one around its own model and loss.

It is kinder than most peers' own trainers: no data loading, no logging, fused Adam, bfloat16 wherever PyTorch has it.
B batch, S source, T target, V vocabulary.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from device import Device
from wire import Answer, serve

PAD, SOS, EOS = 0, 2, 3
Arrays = tuple[Tensor, Tensor, Tensor]
"""source [B, S], target_in [B, T], target_out [B, T], int64, padded on the right with 0."""


class System(Protocol):
    """A peer's model with its loss."""

    module: nn.Module

    def loss(self, source: Tensor, target_in: Tensor, target_out: Tensor) -> Tensor:
        """The label-smoothed cross-entropy, summed over target tokens."""
        ...

    def logits(self, source: Tensor, target_in: Tensor) -> Tensor:
        """[B, T, V]."""
        ...


def serve_training(build: Callable[[dict[str, Any]], System]) -> None:
    """Answers the runner for the peer whose model `build` makes of a size."""
    sessions: list[Session] = []

    def prepare(
        size: dict[str, Any], setting: dict[str, Any], schedule: dict[str, Any], batches: str, judged: str, **_: Any
    ) -> Answer:
        torch.set_num_threads(setting["threads"])
        if setting["precision"] == "bf16-products":
            torch.set_float32_matmul_precision("medium")
        torch.manual_seed(1)
        system, device = build(size), Device.of(setting)
        system.module.to(device.torch)
        sessions.append(Session(system, setting["precision"] == "bf16-autocast", schedule, batches, judged, device))
        return {"parameters": sum(weight.numel() for weight in system.module.parameters())}

    serve(
        {
            "prepare": prepare,
            "run": lambda count: sessions[0].run(count),
            "judge": lambda: sessions[0].judge(),
            "translate": lambda sources, longest: sessions[0].translate(sources, longest),
        }
    )


def read_batches(path: Path | str) -> Iterator[Arrays]:
    """The batches that every system gets, in their order, each read when it is asked for: they take no memory."""
    with np.load(path) as stored:
        for number in range(len(stored.files) // 3):
            arrays = (stored[f"{number}.{name}"] for name in ("source", "target_in", "target_out"))
            source, target_in, target_out = (torch.from_numpy(array.astype(np.int64)) for array in arrays)
            yield source, target_in, target_out


def endless_batches(path: Path | str) -> Iterator[Arrays]:
    """The same, over and over."""
    return chain.from_iterable(map(read_batches, repeat(path)))


@dataclass
class Session:
    """One model in training."""

    system: System
    autocast: bool
    schedule: dict[str, Any]
    batches: str
    judged: str
    device: Device = field(default_factory=Device)
    """Where the model is."""
    updates: int = 0
    adam: torch.optim.Adam = field(init=False)
    stream: Iterator[Arrays] = field(init=False)

    def __post_init__(self) -> None:
        self.adam = torch.optim.Adam(self.system.module.parameters(), betas=(0.9, 0.98), eps=1e-9, fused=True)
        self.stream = endless_batches(self.batches)

    def run(self, count: int) -> Answer:
        """So many updates."""
        self.system.module.train()
        arrays = [next(self.stream) for _ in range(count)]
        self.device.wait()
        start = time.perf_counter()
        tokens = sum(self._update(batch) for batch in arrays)
        self.device.wait()
        return {"tokens": tokens, "seconds": time.perf_counter() - start, **self.device.peaks()}

    def _update(self, batch: Arrays) -> int:
        tokens = int((batch[2] != PAD).sum())
        with self.device.autocast(self.autocast):
            loss = self.system.loss(*map(self.device.sent, batch)) / tokens
        loss.backward()
        nn.utils.clip_grad_norm_(self.system.module.parameters(), 1.0, foreach=True)
        self.updates += 1
        for group in self.adam.param_groups:
            group["lr"] = learning_rate(self.updates, self.schedule)
        self.adam.step()
        self.adam.zero_grad(set_to_none=True)
        return tokens

    @torch.inference_mode()
    def judge(self) -> Answer:
        """The plain negative log-likelihood a token of text it wasn't trained on: all systems should learn alike."""
        self.system.module.eval()
        total, tokens = 0.0, 0
        for arrays in read_batches(self.judged):
            source, target_in, target_out = map(self.device.sent, arrays)
            logits = self.system.logits(source, target_in).float().flatten(0, 1)
            total += float(nn.functional.cross_entropy(logits, target_out.flatten(), ignore_index=PAD, reduction="sum"))
            tokens += int((target_out != PAD).sum())
        return {"loss": total / tokens}

    @torch.inference_mode()
    def translate(self, sources: list[list[int]], longest: int) -> Answer:
        """Greedy translations as token ids, in order; the time this takes is nobody's figure.

        A model that has learnt little often finds no end: none gets more tokens than twice the source's and ten.
        """
        self.system.module.eval()
        found: list[list[int]] = [[] for _ in sources]
        order = sorted(range(len(sources)), key=lambda row: len(sources[row]))
        for start in range(0, len(order), 64):
            rows = order[start : start + 64]
            source = nn.utils.rnn.pad_sequence([torch.tensor(sources[row]) for row in rows], batch_first=True)
            most = min(longest, 2 * source.size(1) + 10)
            for row, ids in zip(rows, self._greedy(self.device.sent(source), most), strict=True):
                found[row] = ids
        return {"outputs": found}

    def _greedy(self, source: Tensor, longest: int) -> list[list[int]]:
        target = torch.full((len(source), 1), SOS, device=source.device)
        done = torch.zeros(len(source), dtype=torch.bool, device=source.device)
        while not bool(done.all()) and target.size(1) <= longest:
            best = self.system.logits(source, target)[:, -1].argmax(-1)
            target = torch.cat([target, best[:, None]], 1)
            done |= best == EOS
        return [[*row, EOS][: [*row, EOS].index(EOS)] for row in target[:, 1:].tolist()]


def learning_rate(update: int, schedule: dict[str, Any]) -> float:
    """Linear warm-up, then the inverse square root."""
    peak, warmup = schedule["peak"], schedule["warmup"]
    return peak * min(update / warmup, math.sqrt(warmup / update))
