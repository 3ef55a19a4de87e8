"""Any search, run in each sentence's own vocabulary."""

from collections.abc import Callable, Sequence
from typing import Any

from polyhead.decoding.config import SearchConfig
from polyhead.decoding.ensemble import Ensemble
from polyhead.decoding.hypothesis import Hypothesis
from polyhead.decoding.rules import Rule
from polyhead.decoding.search import search
from polyhead.decoding.searchable import Booleans, Numbers, Searchable
from polyhead.decoding.trace import Observer
from polyhead.shortlist.by_language import AnyShortlist
from polyhead.shortlist.model import OwnVocabularies
from polyhead.shortlist.vocabularies import Vocabularies


class ShortlistSearch:
    """`decoding.search` with a shortlist. Log-probabilities are over a sentence's list, not over the vocabulary.

    Several models are an ensemble, each of which shares out its probability over the list before they are averaged.
    """

    def __init__(self, models: Sequence[Searchable[Any]], shortlist: AnyShortlist) -> None:
        self.models = tuple(models)
        self.shortlist = shortlist

    def __call__(
        self,
        source: Numbers,
        source_mask: Booleans,
        config: SearchConfig,
        *,
        sentences: Sequence[int] | None = None,
        rules: Sequence[Rule] = (),
        prefixes: Sequence[Sequence[int]] = (),
        observer: Observer | None = None,
        check: Callable[[], None] | None = None,
    ) -> list[list[Hypothesis]]:
        """Searches as `decoding.search.search` does; tokens in and out are the whole vocabulary's.

        The only tokens that `rules` may name are specials and language tags: they have the same number in every list.
        """
        sources = [row[mask].tolist() for row, mask in zip(source, source_mask, strict=True)]
        given = prefixes or [()] * len(sources)
        lists = [self.shortlist.of(pieces, prefix) for pieces, prefix in zip(sources, given, strict=True)]
        own = Vocabularies.of(lists)
        models = [OwnVocabularies(model, own) for model in self.models]
        found = search(
            models[0] if len(models) == 1 else Ensemble(models),
            source,
            source_mask,
            config,
            sentences=sentences,
            rules=rules,
            prefixes=[own.numbers(sentence, prefix) for sentence, prefix in enumerate(prefixes)],
            observer=None if observer is None else own.shown(observer),
            check=check,
        )
        return [[own.written(sentence, each) for each in ranked] for sentence, ranked in enumerate(found)]
