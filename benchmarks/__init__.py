"""Measures polyhead against every peer on one machine, in one call: `python -m benchmarks`, or `make bench`."""
