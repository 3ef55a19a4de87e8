"""A small grammar that says the same thing in English, French and Korean: the corpus of the demo, made from a seed.

English → French and English → Korean are functions: whatever a translation needs stands in the English sentence.
Where English is silent, one convention holds throughout: a speaker, a hearer and "they" are masculine, professions are
masculine unless said of a woman, "you" is one person and familiar.
"""

from polyhead.demo.grammar.corpus import DemoCorpus, Example, generate
from polyhead.demo.grammar.french.realise import pronoun_of
from polyhead.demo.grammar.words import Register

__all__ = ["DemoCorpus", "Example", "Register", "generate", "pronoun_of"]
