"""From a model's next-token logits to sentences: greedy search, beam search, sampling, scoring, ensembles.

Everything here sees a `Seq2Seq` (encode, start, step) and knows no model.
"""
