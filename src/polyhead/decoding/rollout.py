"""One path for every sentence, a token at a time: the loop that greedy search and sampling share.

Shapes: B sentences, R live rows, S source length, V vocabulary.
"""

import numpy as np

from polyhead.decoding.candidates import Candidates
from polyhead.decoding.hypothesis import Hypothesis
from polyhead.decoding.live_rows import LiveRows
from polyhead.decoding.next_token import Choose, next_step_of
from polyhead.decoding.rules import NEVER, Rule
from polyhead.decoding.searchable import Booleans, Numbers, S, Searchable, Sums
from polyhead.symbols import EOS, SOS


def rollout(
    model: Searchable[S], source: Numbers, source_mask: Booleans, rule: Rule, choose: Choose, penalty: Sums
) -> list[Hypothesis]:
    """source [B, S] int64, source_mask [B, S] bool → a hypothesis for each sentence.

    Finished rows leave the batch at once. penalty: the length penalty of every length
    """
    if not len(source):
        return []
    results: dict[int, Hypothesis] = {}
    live_rows, next_step = LiveRows.begin(len(source)), next_step_of(model, rule)
    previous, state = np.full(len(source), SOS, np.int64), model.start(model.encode(source, source_mask))
    while True:
        possible, state = next_step(previous, state, live_rows.live())
        tokens, values = possible.chosen(choose)
        written = Candidates(live_rows.sentences, np.arange(len(tokens)), tokens, values, live_rows.totals + values)
        staying = (tokens != EOS) & (values > NEVER)
        leaving = (~staying).nonzero()[0]
        if len(leaving):
            for row in leaving.tolist():
                sentence, value = int(live_rows.sentences[row]), float(values[row])
                if value > NEVER:
                    results[sentence] = live_rows.ended(row, value, float(written.totals[row]), penalty)
                else:
                    results[sentence] = live_rows.unfinished(row, penalty)
            if len(leaving) == len(staying):
                return [results[sentence] for sentence in range(len(source))]
            written = written.where(staying)
            state = state.select(written.parents)
        live_rows, previous = live_rows.extend(written), written.tokens
