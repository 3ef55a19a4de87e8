"""The model directory: settings, weights and vocabularies of one trained model, and nothing that executes.

    config.json          format (1), the version of polyhead, languages, whether sources are tagged, vocabulary sizes,
                         and the settings of model, tokenizer and search: `BundleConfig`
    model.safetensors    float32 weights by the names of `named_parameters()`; tied weights are stored once
    shared.spm           the sentencepiece model of both sides, or source.spm and target.spm
    languages.json       the n-grams of the languages trained on, by which the server tells languages apart, and the
                         version of this file's format (1); written when training ends
    README.md            the model card, written when training ends
    shortlist.safetensors    written by `polyhead shortlist` alone: for each source piece the target pieces that may
                         translate it (`offsets` and `tokens`), the version of this file's format (1), and the SHA-256
                         of the vocabularies that it is for.
                         A model that writes several languages has shortlist.LANGUAGE.safetensors for each
    training/recipe.toml     every key in force, and the library versions; can be trained from again
    training/data.json       counts and fingerprints of the training and the dev pairs
    training/metrics.jsonl   an object a line. Training: update, epoch, seconds, learning_rate, loss, target_tokens,
                         target_tokens_per_second. Validation: update, epoch, dev_loss, dev_bleu, dev_chrf, and for
                         several target languages each of the last two by language
    training/scores.json     dev and test scores; exists only once the run has finished
    training/checkpoints/    the two newest checkpoints, from which `--resume` goes on
    training/snapshots/      the weights that the final average is made of
    distilled/           only in a student's directory: the translations that its teacher wrote, and record.json, which
                         says which teacher translated what
    SHA256SUMS           here, in the folders of training/, and in distilled/ and its shards/: the SHA-256 of the files
                         beside it, except metrics.jsonl, which grows

Every file is first written under a temporary name, flushed to disk, listed with its digest and then renamed. So it
appears whole or not at all, and is listed whenever a crash may come. A directory without `SHA256SUMS`, as older
versions wrote it, is read too.

Loading compares digests and checks the format number, the settings with their upper bounds, the vocabulary sizes and
every weight's name and shape. A thread compares the weights' digest and checks that all of them are finite, while the
weights are packed already (`weights_check`). After `config.json` was edited, `polyhead verify --accept` lists the files
as they are now.

From the first validation on `model.safetensors` holds the best weights so far; at the end they become the average that
`training.averaging` asks for, a Transformer's matrices rounded to whole multiples of a 127th of each output's largest
weight (`model.levels`).

On Linux the weights are privately mapped pages of their file. To replace the file changes nothing for a loaded model.
Where the file was overwritten in place, scores, alignments and traces are refused (`Bundle.check`), and the server
loads the model anew. PyTorch modules over the same memory are made when they are first asked for (`Bundle.model`).
"""
