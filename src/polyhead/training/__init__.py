"""Training: batches in, better weights out, able to stop and to go on at any update.

`loop` makes the updates: `shares` cuts batches into parts, `parallel` differentiates them side by side, `loss` gives
the cross-entropy, `optimizer` takes the step. `course` and `ending` decide when a run ends, `divergence` notices that
it diverges, `kept` writes snapshots and checkpoints, and `fused/` exchanges parts of the model for faster ones.

The loss is fused with the output projection, because the logits [N, V] are the largest tensor of a small model by
far. Features go through a few hundred rows at a time, and both gradients are computed in the forward pass, with a
chunk's probabilities p at hand. With label smoothing ε

    dz = p - (1-ε)·onehot(target) - ε/V

only p is dense; the other terms are a gathered row, an indexed sum and column sums. What is differentiated is a sum
over target tokens, and gradients are divided by the tokens of the whole update. What is reported is the negative
log-likelihood of a token without smoothing, in nats.

A small model's operations are too short to be split among cores. With `training.workers` above 1 every batch is cut
into as many shares, each differentiated by a thread of its own. Gradients are added in the order of the shares, so
the result depends on their number and not on which is ready first. A batch that doesn't fit the memory is cut into
more shares, one round after the other.

Several processes that a launcher has started are one `world`, which a trainer is given: `joining` finds out whether
there are several, `process_group` is `torch.distributed`, and a process alone has a world of one. A share of a batch
belongs to one process and to one of its workers; gradients, losses and counts of tokens are added up over all
processes, so that each takes the same step, and `alike` compares the weights. Process 0 alone has an `output` on disk
and decides what a clock decides; a signal to any process stops all after the same update. Validation (`judging`) is
done in parts. When one process is lost, the others end with `Deserted`. What a process holds of weights, gradients and
moments is a `division`, which the optimizer is given: all of them, or some rows of each (`sharded/`), for models that
don't fit one device.

In bfloat16 the model that computes is a rounded working copy of float32 masters, which `optimizer` owns, so that
small updates aren't lost to rounding. Snapshots, checkpoints and averages hold masters. `adam` calls the kernel of
PyTorch's Adam without the class around it, which would import PyTorch's compiler and keep 70 MiB.

A checkpoint is one file of safetensors; where processes share a model, it is a small file beside a folder to which each
process writes a file. It holds the masters (`weights.*`), the optimizer's moments (such as `adam.exp_avg.*`), a running
mean if there is one (`mean.*`), and `Progress` as JSON. A checkpoint is written at every validation, when a signal
stops training, and at the end. All else follows from the recipe: batches and sampled subwords from (seed, epoch),
dropout from (seed, update, share). So a resumed run computes what an uninterrupted one would have, to the bit, on a CPU
of the same kind with the same number of threads and the same libraries.

A run's end is the updates in which the learning rate falls to 0: with the schedule `wsd` the last quarter, with any
other none. It begins when a limit (`max_updates`, `max_epochs`, `minutes`) leaves just that much, or when the newest
quarter of all updates was hardly better than the one before (`min_delta`). From then on the last update is fixed in
`Progress`, and epochs that begin later don't sample subwords. A run resumed with other limits forgets its end.
`patience` ends a run at once.
"""
