"""Training under Ray Train, on the machines of a Ray cluster, for `polyhead train --ray`.

`launch` is what the command does: it divides the cluster (`shares`), hands `worker` to Ray Train's TorchTrainer, and
waits. Every worker makes its `world`, the processes as a training sees them, and does what a process does that torchrun
has started: number 0 trains and writes, the others follow. What Ray Train itself doesn't carry goes through one small
actor, the `board`: what there is to say, a request to stop, and why a run is refused, which no restart would change.
"""
