"""Translating many files, or files too large for one process, into a directory.

    inputs → cutting into shards → worker processes → a file for each shard → joined into the output file

`inputs` finds the files that directories, patterns and names stand for. `kinds` says how a file is cut, how one shard
is translated and how the shards are joined: files of lines (`lines`), Parquet tables (`tables`), and documents, which
are one shard each (`documents`). `plan` and `record` keep in `manifest.jsonl` what is to be done and what is done, so
that a run that was killed is finished by the next one. `job` goes through all of it.

A shard is a file that appears whole or not at all, so a worker may die at any moment: `workers` starts another one and
gives it the shard again. `on_ray` hands the same shards to Ray Data instead, and `cluster` connects with Ray.
`batch_translator` has what all of them call, and what people call who have pipelines of their own in Ray or Spark:
`BatchTranslator`.
"""
