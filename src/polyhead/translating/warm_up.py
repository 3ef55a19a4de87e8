"""What a first translation would have to wait for, done before: kernels are compiled for this CPU, files are read."""

from polyhead.translating.translator import Translator

TEXTS = ("a", "a b c. 1 2 3, d e f")
"""A text of one sentence, and one of several with numbers, which are put right by attention weights."""


def warm_up(translator: Translator) -> None:
    """Translates a little in all the ways that a request may ask for. Raises what `translate` does."""
    language = translator.config.target_languages[0] if translator.config.tagged else None
    has_attention = translator.config.model.kind != "rnn"
    translator.translate(TEXTS, target_language=language, align=has_attention)
