"""Text in, numbers out: scores with signatures, significance of differences, quality by source length.

`metrics` scores a corpus by BLEU, chrF and TER. The metrics are a table (`scoring`). sacreBLEU is imported where it
is used, when a metric is built: `import polyhead` stays quick, and no data set is ever fetched. Each figure carries
the signature that makes it comparable.

BLEU compares word n-grams, so the tokenizer is part of the figure. `tokenization` chooses it by the target language,
with a note where the optional package for Korean or Japanese is missing and characters are counted instead.

`significance` compares outputs by paired bootstrap resampling, and `by_length` says where a model gives way, on short
sentences or on long ones.

Nothing here knows of models: outputs and references are lists of sentences.
"""
