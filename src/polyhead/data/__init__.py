"""From files to batches: readers → cleaning → token ids → batches.

`readers/` turn files, plain or compressed, into pairs of text; what is wrong with a line becomes a `DataError` that
says where. `clean` leaves out pairs that can hardly be translations and counts them by reason. `statistics` is what
the defaults of a training follow from. `encode` makes a corpus of ids, whose flat arrays can stay on disk (`store`).
A corpus larger than memory is prepared on the disk, text and ids, in `stored/`; `digests` stand for its texts where
only sameness counts.

Everything that is drawn at random follows from (seed, epoch), so a position in the data is two numbers, epoch and
batch. An epoch is shuffled as a whole, or window by window (`windows`), so that memory is needed for a window alone.
`weighting` decides which rows an epoch has where corpora have weights, sampled subwords are drawn by the
tokenizer for an epoch, and `batching` draws an epoch's batches. `loader` makes batches from any position on, in a
background thread.

A batch holds as many sentences of nearly equal lengths as fill a budget of tokens. Batches come in a few dozen shapes
that return in every epoch: widths are rounded up, and the number of sentences follows from the widths. This pads a
few hundredths more than it must, but for every new shape of a bfloat16 product oneDNN builds a kernel and keeps it,
which took a quarter of a small model's training time. The loss fills up its last rows for the same reason.
"""
