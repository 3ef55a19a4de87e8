"""Line breaks that people put into texts: which of them stand in the midst of a sentence."""

from polyhead.formats.cue_text import goes_on


def is_in_sentence(before: str, after: str) -> bool:
    """Whether a sentence goes on behind a line break.

    before, after: the line before it, and the one behind it. Lines of an address, of a verse or of a letter begin with
    capitals, and most sentences have an end. So a sentence goes on where it has no end and a small letter follows; in
    languages without capitals, only behind a comma.
    """
    first = next((letter for letter in after if letter.isalpha()), "")
    return not first.isupper() and goes_on(before, after, 0.0)
