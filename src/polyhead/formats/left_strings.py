"""Strings of string tables that are left as they are although they have words, and what is said about them."""

from polyhead.formats.icu import is_icu_choice, left_choice
from polyhead.text import without_surrogates


def why_left(text: str, name: str) -> str | None:
    """What is said about a string that can't be translated as one text; None for one that can; name: its key."""
    if without_surrogates(text) != text:
        return f"{name or 'a text'} has half of a surrogate pair in it and was left as it is"
    return left_choice(name) if is_icu_choice(text) else None
