"""Trained models for other engines: the same weights, the same arithmetic, in their formats.

`reading` takes a loaded model directory apart into `TransformerWeights` (`weights`): plain values that are named by
what they are, so that a format doesn't depend on the modules of `model/`. A format is a module that writes such
values, and its line in `FORMATS` (`export`): its name, every reason why a model can't be written so, the writer, and
a README (`card`) with the lines of code that make the other engine do what polyhead does. `vocabulary` writes what
turns text into pieces and back.

`export` asks for all obstacles first and tells them together, and the directory that it writes appears whole or not
at all.

`ctranslate2` writes through CTranslate2's own specification classes and needs that package, the optional extra
`[export]`. `huggingface` writes MarianMTModel for post-norm models and PegasusForConditionalGeneration for pre-norm
ones, and needs nothing of transformers. These two have all sines of the positional encoding before all cosines, where
section 3.5 of the paper alternates them, so the D dimensions change places in all weights.
"""
