"""How long an update takes on this machine, found out by doing some."""

import statistics
import time
from contextlib import closing

import torch

from polyhead.batch import Batch
from polyhead.cores import cores_an_operation
from polyhead.data.statistics import CorpusStatistics
from polyhead.model.build import build_model
from polyhead.recipe.schema import Recipe
from polyhead.symbols import SPECIAL_PIECES
from polyhead.training.fused.fuse import fuse
from polyhead.training.optimizer import Optimizer
from polyhead.training.parallel import Workers
from polyhead.training.precision import choose_arithmetic
from polyhead.training.shares import Differentiation

UPDATES, UNTIMED = 6, 2
"""How many updates are done, and how many of the first are not counted, as they are slower than later ones."""


def seconds_an_update(recipe: Recipe, corpus: CorpusStatistics, device: torch.device, processes: int = 1) -> float:
    """The median time of a few updates of a model that is thrown away, on batches like those of the corpus.

    processes: how many share every batch; the time that they take to add up their gradients is left out
    Raises TooLarge where not even one sentence at a time fits the memory.
    """
    size = recipe.tokenizer.vocabulary_size or 1000
    model = build_model(recipe.model, size, size).to(device)
    model.train()
    cores = cores_an_operation(recipe.threads or torch.get_num_threads())
    with cores, closing(Workers(recipe.training.workers)) as workers:
        arithmetic = choose_arithmetic(recipe.training.precision, device, model, workers.cores)
        batches = [_batch(recipe, corpus, size).split(processes)[0]] * recipe.training.optimizer.accumulation
        times: list[float] = []
        with closing(Optimizer(model, recipe.training.optimizer, arithmetic.dtype)) as optimizer:
            fused = fuse(model, arithmetic, workers.cores)
            differentiation = Differentiation(fused, optimizer, workers, recipe.training.label_smoothing)
            for _ in range(UPDATES):
                start = time.perf_counter()
                found = differentiation.collect(batches, lambda share: share, 1)
                optimizer.step(1e-9, found.tokens)
                times.append(time.perf_counter() - start)
    return statistics.median(times[UNTIMED:])


def _batch(recipe: Recipe, corpus: CorpusStatistics, size: int) -> Batch:
    """Random words in sentences of the corpus' mean lengths, as many as fill a batch."""
    longest = min(recipe.data.max_tokens, recipe.model.max_length)
    pairs = max(1, corpus.pairs)
    widths = [min(longest, 1 + side // pairs) for side in (corpus.source_tokens, corpus.target_tokens)]
    sentences = max(1, recipe.data.batching.max_tokens // sum(widths))
    generator = torch.Generator().manual_seed(1)
    source, target = (
        torch.randint(len(SPECIAL_PIECES), size, (sentences, width), generator=generator) for width in widths
    )
    return Batch(source, target, target, tuple(range(sentences)))
