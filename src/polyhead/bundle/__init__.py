"""The model directory: settings, weights and vocabularies of one trained model, and nothing that executes.

    config.json          format (1), the version of polyhead, languages, whether sources are tagged, vocabulary sizes,
                         and the settings of model, tokenizer and search: `BundleConfig`
    model.safetensors    float32 weights by the names of `named_parameters()`; tied weights stand once
    shared.spm           the sentencepiece model of both sides, or source.spm and target.spm
    languages.json       the n-grams of the languages trained on, by which the server knows them; written when training
                         ends, and format (1)
    README.md            the model card, written when training ends
    shortlist.safetensors    only after `polyhead shortlist`: for each source piece the target pieces that may come of
                         it, `offsets` and `tokens`; its format (1), and the SHA-256 of the vocabularies it is for.
                         A model that writes several languages has shortlist.LANGUAGE.safetensors for each
    training/recipe.toml     every key in force, and the library versions; can be trained from again
    training/data.json       counts and fingerprints of the training and the dev pairs
    training/metrics.jsonl   an object a line. Training: update, epoch, seconds, learning_rate, loss, target_tokens,
                         target_tokens_per_second. Validation: update, epoch, dev_loss, dev_bleu, dev_chrf, and for
                         several target languages each of the last two by language
    training/scores.json     dev and test scores; stands there only when a run has come to its end
    training/checkpoints/    what `--resume` needs, the two newest
    training/snapshots/      the weights that the final average is made of
    distilled/           of a student: what its teacher wrote, and record.json, whose translations of what
    SHA256SUMS           here, in the folders of training/, and in distilled/ and its shards/: the SHA-256 of the files
                         beside it, but of metrics.jsonl, which grows

A file is written beside its place, flushed to disk, listed with its digest and renamed, so that it appears whole or
not at all and is listed at any moment at which a crash may come. A directory without `SHA256SUMS`, as older versions
wrote it, is read too.

Loading compares digests and checks the format number, the settings with their upper bounds, the vocabulary sizes and
every weight's name and shape. The weights' digest, and whether all are finite, is found out by a thread while they
are packed (`weights_check`). `polyhead verify --accept` takes files on as they are, after `config.json` was edited.

From the first validation on `model.safetensors` holds the best weights so far; at the end they become the average that
`training.averaging` asks for, a Transformer's matrices rounded to whole multiples of a 127th of each output's largest
weight (`model.levels`).

On Linux weights are private pages of their file. A replaced file changes nothing; of one that was overwritten in
place scores, alignments and traces are refused (`Bundle.check`), and the server loads it anew. Modules over the same
memory are made when somebody asks for them (`Bundle.model`).
"""
