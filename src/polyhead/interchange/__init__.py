"""Trained models for other engines: the same weights, the same arithmetic, in their formats.

`reading` takes a loaded model directory apart into `TransformerWeights` (`weights`): plain values that are named by
what they are, so that a format doesn't depend on the modules of `model/`. A format is a module that writes such
values, and a line in `FORMATS` (`export`): the format's name, a function that lists every reason why a model can't be
written in it, the writer, and a README (`card`) with the code that makes the other engine do what polyhead does.
`vocabulary` writes what turns text into pieces and back.

`export` collects all of these reasons first and reports them together. The directory that it writes appears whole or
not at all.

`ctranslate2` writes through CTranslate2's own specification classes and needs that package, the optional extra
`[export]`. `huggingface` writes MarianMTModel for post-norm models and PegasusForConditionalGeneration for pre-norm
ones, and needs nothing of transformers. These two have all sines of the positional encoding before all cosines, where
section 3.5 of the paper alternates them, so the D dimensions change places in all weights.
"""
