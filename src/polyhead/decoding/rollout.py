"""One path for every sentence, a token at a time: the loop that greedy search and sampling share.

Shapes: B sentences, R live rows, S source length, V vocabulary.
"""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from polyhead.decoding.candidates import Candidates
from polyhead.decoding.distribution import Distribution, Numbers, Sums, distribution
from polyhead.decoding.front import Front
from polyhead.decoding.hypothesis import Hypothesis
from polyhead.decoding.rules import NEVER, Live, Rule
from polyhead.model.seq2seq import S, Seq2Seq
from polyhead.symbols import EOS, SOS

Choose = Callable[[Distribution, Live], Numbers]
"""What may come next, live rows → the token [R] that each row writes next."""


def rollout(
    model: Seq2Seq[S], source: Tensor, source_mask: Tensor, rule: Rule, choose: Choose, penalty: Sums
) -> list[Hypothesis]:
    """source [B, S] int64, source_mask [B, S] bool → a hypothesis a sentence; finished rows leave at once.

    penalty: of every length
    """
    if not len(source):
        return []
    results: dict[int, Hypothesis] = {}
    front = Front.begin(len(source))
    previous, state = source.new_full((len(source),), SOS), model.start(model.encode(source, source_mask))
    while True:
        logits, state = model.step(previous, state)
        live = front.live(source.device)
        possible = distribution(logits, rule, live)
        rows, tokens = np.arange(len(front.sentences)), choose(possible, live)
        values = possible.log_probabilities(rows, tokens)
        written = Candidates(front.sentences, rows, tokens, values, front.totals + values)
        staying = (tokens != EOS) & (values > NEVER)
        if not staying.all():
            for row in (~staying).nonzero()[0].tolist():
                sentence, value = int(front.sentences[row]), float(values[row])
                if value > NEVER:
                    results[sentence] = front.ended(row, value, float(written.totals[row]), penalty)
                else:
                    results[sentence] = front.unfinished(row, penalty)
            if not staying.any():
                return [results[sentence] for sentence in range(len(source))]
            written = written.where(staying)
            state = state.select(torch.from_numpy(written.parents).to(source.device))
        front, previous = front.extend(written), torch.from_numpy(written.tokens).to(source.device)
