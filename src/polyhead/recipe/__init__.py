"""Recipes: one value that decides a training run, and the run that carries it out.

`schema` is what a recipe is: all components' settings in one. `load` makes one of a TOML file and command-line keys,
and `problems` tells what is wrong with keys. `keys` lists every key, from the settings classes, and `decisions` says
what becomes of each.

`plan` decides everything before a run: `languages` (from the corpora's file names) and `directions`, the text
(`prepare`, or `stored` and `stored_text` for one that is prepared on the disk; `hold_out` where no dev set is given;
`facts` are what is known of it once it was read), what may be expected of a small corpus (`expectation`), whether the
recipe can be carried out at all (`feasible`, `room`), and what it leaves open. The latter follows from the corpus and
the machine by the table of `rules`, and `defaults` says every choice with its reason. For a run that may take only so
many minutes, `pace` times a few updates of a model that is thrown away, and `minutes` lets the rules choose for as many
updates as there is time for.

`train` carries the plan out in a directory that this process alone writes to (`polyhead.run_lock`), and before
anything is written it looks whether the path still leads there. `assemble` makes the parts, `validation` scores
weights with a float32 model of its own, and `finish` makes the final average, rounds a Transformer's matrices to the
levels that 8-bit products have anyway, scores the result and writes the model card (`card`). From the first
validation on the directory holds the best weights so far, so an unfinished run translates already.

Where several processes train, `train` is what process 0 does and `follow` what the others do. They are told the recipe
and given the vocabularies (`sharing`), read the same corpora, and are told where training stands (`trainers`). What
makes updates, scores and checkpoints is an `arrangement`: each process holds the whole model, or a part (`divided`).
`on_ray` has Ray Train start them.

`record` writes the recipe as run and fingerprints of the data. A resumed run must be the same: what differs is named,
and only keys that move its end (`MAY_CHANGE`) may differ; what was chosen when it was begun is taken from the record.
It goes on (`restore`) at its newest checkpoint that is as it was written and has all the snapshots that the final
average needs; what is passed over is said. Later lines of `metrics.jsonl` are dropped, and leftovers of interrupted
writes removed.

`distill` trains a student on a teacher's translations (`selection`, and `distilled`, the corpus on disk), `shortlist`
finds a model's shortlist, `verify` compares a model directory with its `SHA256SUMS`, and `word_vectors` begins
embeddings from a file.
"""
