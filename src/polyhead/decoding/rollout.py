"""One path for every sentence, a token at a time: the loop that greedy search and sampling share.

Shapes: B sentences, R live rows, S source length, V vocabulary.
"""

from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor

from polyhead.decoding.candidates import log_softmax
from polyhead.decoding.hypothesis import Hypothesis, hypothesis
from polyhead.decoding.length_penalty import LengthPenalty
from polyhead.decoding.rules import NEVER, Live, Rule
from polyhead.model.seq2seq import S, Seq2Seq
from polyhead.symbols import EOS, SOS

Choose = Callable[[Tensor, Live], Tensor]
"""(log-probabilities [R, V], live rows) → the token [R] int64 that each row writes next."""


def rollout(
    model: Seq2Seq[S], source: Tensor, source_mask: Tensor, rule: Rule, choose: Choose, penalty: LengthPenalty
) -> list[Hypothesis]:
    """source [B, S] int64, source_mask [B, S] bool → a hypothesis a sentence; finished rows leave at once."""
    results: dict[int, Hypothesis] = {}
    sentences = torch.arange(source.size(0), device=source.device)
    live = Live(sentences.new_empty(source.size(0), 0), sentences)
    history = torch.empty(source.size(0), 0, dtype=torch.float64, device=source.device)
    if not len(sentences):
        return []
    state = model.start(model.encode(source, source_mask))
    previous = torch.full_like(sentences, SOS)
    while True:
        logits, state = model.step(previous, state)
        log_probabilities = rule(log_softmax(logits), live)
        tokens = choose(log_probabilities, live)
        chosen = log_probabilities.gather(1, tokens[:, None])
        possible = chosen[:, 0] > NEVER
        written = torch.cat([history, chosen.double()], dim=1)
        leaving = (tokens == EOS) | ~possible
        rows = cast("list[int]", leaving.nonzero()[:, 0].tolist())
        for row in rows:
            finished = bool(possible[row])
            kept = written[row] if finished else history[row]
            total = kept.sum()
            score = total / penalty(total.new_tensor(max(len(kept), 1)))
            results[int(live.sentences[row])] = hypothesis(live.prefixes[row], kept, total, score, finished)
        staying = (~leaving).nonzero()[:, 0]
        if not len(staying):
            return [results[sentence] for sentence in range(source.size(0))]
        live = Live(torch.cat([live.prefixes, tokens[:, None]], dim=1), live.sentences)
        if len(staying) < len(tokens):
            state = state.select(staying)
            live = Live(live.prefixes[staying], live.sentences[staying])
            tokens, written = tokens[staying], written[staying]
        previous, history = tokens, written
