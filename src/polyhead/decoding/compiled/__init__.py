"""The kernels of a search: passes over logits and over candidates.

`vocabulary` is what a search does with the V logits of a row. They are read once for their sum and for the largest of
every chunk of 64; log-probabilities are never written. As decoding rules only take tokens away, a chunk is read again
only if its largest logit may be among the best. `beams` handles a beam's candidates, which are so few that calls of
NumPy cost more than their arithmetic.

All of them are built from `kernels/`, and call no compiled function of any other package.
"""
