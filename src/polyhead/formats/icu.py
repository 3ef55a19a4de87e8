"""ICU messages: which of them are choices, such as of plural forms, that can't be translated as one text."""

import re

_CHOICE = re.compile(r"\{\s*\w+\s*,\s*(?:plural|select|selectordinal)\s*,")


def is_icu_choice(text: str) -> bool:
    """Whether a message holds several texts to choose from, such as `{n, plural, one {# file} other {# files}}`."""
    return bool(_CHOICE.search(text))


def left_choice(name: str) -> str:
    """What is said about a message that is a choice of texts; name: what the file calls it, or empty."""
    return f"{name or 'a message'} is a choice of several texts (ICU) and was left as it is"
