"""Values of string tables that programs read and people don't."""

import re

_IDENTIFIER = re.compile(
    r"#(?:[0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})|\.{1,2}/\S+|(?:/[\w.-]+){2,}/?|[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+"
)


def is_identifier(text: str) -> bool:
    """Whether a text is a color, a path or a name with underscores, such as `#ff00aa`, `./a/b` and `user_id`.

    A word, also one with hyphens or a slash, may be for people; addresses are kept as they are wherever they stand.
    """
    return bool(_IDENTIFIER.fullmatch(text.strip()))
