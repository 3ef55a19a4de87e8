"""Searches: from a model's next-token logits to sentences, by greedy search, beam search or sampling.

Everything here sees a `Searchable` (encode, start, step) and knows no model. A search works in NumPy's arrays,
whatever the model is made of (`searchable`); logits on a GPU stay there, and what is chosen comes back (`on_device`).
An ensemble is a `Searchable` that averages its models' next-token probabilities. `search` runs any search by its
settings, `scoring` gives the probability of given translations, and `cancellable` is a model that asks at every step
whether to go on, so that a search can be cancelled.

What may come next is decided by `rules`. Each writes -∞ over the logits of tokens that may not come, and what is left
keeps the probability that the model gave it. `distribution` turns logits into the best continuations, by kernels
(`compiled`) on a CPU. `next_token` makes logits for 64 rows at a time and reads them before the next ones are made, if
the model allows it, because a beam of 50 sentences has 10 MB of them in a step and these would not stay in a core's
cache.

`beam` gives up a hypothesis only when no continuation of it can get among the n best any more, by the bound log P /
penalty(longest), so that stopping early never changes the result, unless `patience` asks for less. Ties go to the
better parent and then to the lower token. Finished rows leave the batch at once. The hypotheses themselves
(`live_rows`, `candidates`, `finished`) are small arrays of NumPy: after a step has passed megabytes of weights through
the caches, an operation of PyTorch costs some 20 µs, and hundreds of them took more time than the model. What
every step makes anew is a named tuple: a frozen data class takes twice as long to make.

`greedy` and `sample` share one loop (`rollout`). A sample's random numbers are keyed by (seed, number of the
sentence), so that it doesn't depend on the batch.

`workers` decodes batches side by side, one to a core, in threads without barriers. A batch that is alone gets a team
of cores for each of its kernels instead.
"""
