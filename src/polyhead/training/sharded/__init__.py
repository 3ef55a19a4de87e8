"""A model that is divided among the processes that train it, by PyTorch's FSDP2, so that none has to hold all of it.

Every process holds some rows of each weight in float32 (`shards`), and of its gradient, moments and running mean the
same rows. `model` has FSDP2 bring the weights of one layer at a time together, in the dtype that is computed in,
and add up gradients over all processes, of which each keeps its rows. `differentiation` lets all processes make the
same number of passes, as they meet in every pass. Adam steps rows as it steps whole weights. Muon needs whole
matrices: each process gets the rows of some matrices from the others, makes the steps, and sends the rows back.

To validate and for snapshots weights are put together in the memory of every process, and forgotten after. `files`
writes checkpoints by `torch.distributed.checkpoint`: each process a safetensors file of its rows. Pickle, which that
library writes by default, is neither written nor read. Any number of processes reads them again, each its own rows.
"""
