"""A model that writes several languages has a shortlist for each: the tag that a source begins with chooses it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyhead.errors import ModelError
from polyhead.shortlist.shortlist import Shortlist, Tokens


@dataclass(frozen=True)
class ShortlistsByLanguage:
    """A shortlist for each target language; a sentence gets its list from that of the language it asks for."""

    by_tag: Mapping[int, Shortlist]
    """The id of a language's tag → the shortlist for translations into it; at least one."""
    languages: Mapping[int, str]
    """The id of each tag → its language; also of those that have no shortlist."""

    @property
    def source_vocabulary(self) -> int:
        """How many pieces the source vocabulary has."""
        return self._any.source_vocabulary

    @property
    def target_vocabulary(self) -> int:
        """How many pieces the target vocabulary has."""
        return self._any.target_vocabulary

    def of(self, source: Sequence[int], prefix: Sequence[int] = ()) -> Tokens:
        """`Shortlist.of` for a source that begins with a tag. Raises ModelError if that language has no shortlist."""
        found = self.by_tag.get(source[0])
        if found is None:
            having = ", ".join(self.languages[tag] for tag in self.by_tag)
            raise ModelError(
                f"this model has no shortlist for {self.languages[source[0]]}, only for {having}; make one with "
                "`polyhead shortlist`, or translate without --shortlist"
            )
        return found.of(source, prefix)

    @property
    def _any(self) -> Shortlist:
        return next(iter(self.by_tag.values()))


AnyShortlist = Shortlist | ShortlistsByLanguage
"""What a search may use: a model's only shortlist, or one for each language."""
