"""Subtitles of one film in two languages: what is shown at the same time is a translation."""

from collections.abc import Iterator, Sequence

from polyhead.corpora.cues import Cue, read_cues
from polyhead.corpora.member import Member
from polyhead.corpora.unit import SOURCE, TARGET, Unit
from polyhead.errors import DataError

_SHARE = 0.5
"""The part of the shorter of two cues for which both must be shown to belong together."""
_MOST = 3
"""Cues of a side that may make up one text: more belong together only by chance."""
_LEAST = 0.1
"""The part of all source cues that must find a partner; below that the files are of different films or cuts."""
_FEW = 20
"""With fewer source cues than this, one that finds a partner is enough."""


def read_subtitles(source: Member, target: Member, names: tuple[str, str] = (SOURCE, TARGET)) -> Iterator[Unit]:
    """Units of the texts that are shown at the same time. A source text without a partner is a unit without a target.

    names: what the units call source and target
    Raises DataError for files that aren't SubRip, and for two files that have hardly a time in common.
    """
    sources, targets = read_cues(source), read_cues(target)
    groups = list(_groups([cue for cue in sources if cue.text], [cue for cue in targets if cue.text]))
    matched = sum(len(ours) for ours, theirs in groups if theirs)
    if not matched or (len(sources) >= _FEW and matched < _LEAST * len(sources)):
        raise DataError(
            f"of {len(sources)} subtitles only {matched} are shown together with one of {target.name}; are both of the "
            "same film, and of the same cut?",
            source.name,
        )
    for ours, theirs in groups:
        doubtful = max(len(ours), len(theirs)) > _MOST
        text = " ".join(cue.text for cue in theirs) if theirs else None
        yield Unit({names[0]: " ".join(cue.text for cue in ours), names[1]: text}, ours[0].place, not doubtful)


def _groups(sources: Sequence[Cue], targets: Sequence[Cue]) -> Iterator[tuple[list[Cue], list[Cue]]]:
    """Groups of cues that belong together, in order. Each source is in one group, which may have no targets."""
    ours: list[Cue] = []
    theirs: list[Cue] = []
    first = 0
    for source in sources:
        while first < len(targets) and targets[first].end <= source.start:
            first += 1
        found = [cue for cue in _shown_during(source, targets, first) if _belong_together(source, cue)]
        if not (theirs and found and found[0] is theirs[-1]):
            if ours:
                yield ours, theirs
            ours, theirs = [], []
        ours.append(source)
        theirs += [cue for cue in found if not (theirs and cue is theirs[-1])]
    if ours:
        yield ours, theirs


def _shown_during(source: Cue, targets: Sequence[Cue], first: int) -> Iterator[Cue]:
    for position in range(first, len(targets)):
        if targets[position].start >= source.end:
            return
        yield targets[position]


def _belong_together(one: Cue, other: Cue) -> bool:
    overlap = min(one.end, other.end) - max(one.start, other.start)
    shorter = min(one.end - one.start, other.end - other.start)
    return overlap > 0 and overlap >= _SHARE * shorter
