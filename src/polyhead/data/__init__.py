"""From files to batches: readers → cleaning → token ids → batches."""
