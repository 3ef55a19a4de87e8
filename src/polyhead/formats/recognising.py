"""What kind of file something is, by its name and its first bytes, and what to say where another kind was expected."""

from polyhead.formats.kinds import FORMATS


def kind_of(name: str, content: bytes) -> str:
    for kind, form in FORMATS.items():
        if name.lower().endswith(form.suffixes):
            return kind
    raise ValueError(name)
