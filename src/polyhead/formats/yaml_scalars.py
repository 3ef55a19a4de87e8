"""Strings as YAML writes them: plain, in quotation marks, or as a block of lines."""

import re

_BREAK = "\r\n\x85\u2028\u2029"
"""What a line ends with in YAML 1.1, character by character."""
_HEADER = re.compile(rf"[|>][+-]?(\d?)[^{_BREAK}]*(?:\r\n|[{_BREAK}])")
_UNPRINTABLE = re.compile("[^\t\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\ufeff")
_NUMBERED = re.compile(r"\\U([0-9A-F]{8})|\\.")
"""A character by its number, or another escape."""
_NOT_IN_BLOCKS = re.compile("[\x85\u2028\u2029]")
"""Characters that are line breaks in YAML 1.1."""
_HARMLESS = re.compile(r"[^\W\d_]\w*(?: [\w.'()/!?-]+)+")
"""Several words without a character that means something to YAML."""


def write_flow(text: str, style: str) -> str:
    """A string in the style of the one that it replaces, or in double quotation marks where that can't say it."""
    if style == "'" and "\n" not in text and not _UNPRINTABLE.search(text) and not _NOT_IN_BLOCKS.search(text):
        return "'" + text.replace("'", "''") + "'"
    return text if not style and _is_plain(text) else _quoted(text)


def _quoted(text: str) -> str:
    import yaml

    width = 4 * len(text) + 100
    written = yaml.safe_dump(text, default_style='"', allow_unicode=True, width=width)
    return _NUMBERED.sub(_character, written.rstrip("\n").removesuffix("\n..."))


def _character(found: re.Match[str]) -> str:
    """An emoji or another rare character, which PyYAML writes by its number, as it is."""
    character = chr(int(found[1], 16)) if found[1] else ""
    return character if character and not _UNPRINTABLE.match(character) else found[0]


def _is_plain(text: str) -> bool:
    """Whether a string can be written as it is: alone, in a list in brackets or of lines, and behind a key."""
    import yaml

    if _HARMLESS.fullmatch(text):
        return True
    if "\n" in text or text != text.strip() or _UNPRINTABLE.search(text) or _NOT_IN_BLOCKS.search(text):
        return False
    try:
        read = [yaml.safe_load(form) for form in (text, f"[{text}]", f"- {text}\n", f"a: {text}\n", f"{{a: {text}}}")]
    except Exception:  # of whatever kind: the text may be read as a tag or an escape that PyYAML can't make a value of
        return False
    return read == [text, [text], [text], {"a": text}, {"a": text}]


def block_place(text: str, start: int, end: int) -> tuple[int, int, str] | str:
    """Where the words of a block begin and end, and what its lines begin with; or in words, why it can't be written."""
    header = _HEADER.match(text, start)
    inside = text[header.end() : end] if header else ""
    lines = [line for line in re.split(f"[{_BREAK}]", inside) if line.strip()]
    if header is None or not lines:
        return "has no first line that is understood"
    if header[1]:
        return "says how far it is indented"
    indentation = " " * min(len(line) - len(line.lstrip(" ")) for line in lines)
    first = header.end() + len(inside) - len(inside.lstrip())
    return first, header.end() + len(inside.rstrip()), indentation


def write_block(text: str, style: str, indentation: str) -> str:
    """The lines of a block, from its first word to its last; in a folded one, what is a line break is a blank line."""
    text = _NOT_IN_BLOCKS.sub(" ", _UNPRINTABLE.sub("\ufffd", text)).strip()
    lines = text.split("\n")
    if style == ">":
        lines = [part for line in lines for part in (line.strip(), "")][:-1]
    return "\n".join(f"{indentation}{line}" if number and line else line for number, line in enumerate(lines))
