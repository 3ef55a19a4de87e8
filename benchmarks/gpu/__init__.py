"""What a GPU computes and how fast: `python -m benchmarks.gpu`, of at most eight minutes.

First the equality tests (`equality`), then training and translating beside the peers that are installed (`training`,
`translation`), on text that is there or is made (`texts`); all of it becomes one page (`page`). `device` says what is
measured on, `plan` how much, `clock` when to stop.
"""
