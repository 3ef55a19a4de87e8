"""The formats that the server knows."""

import pytest

from polyhead.formats.kinds import FORMATS
from polyhead.server.known_files import KNOWN_FILES
from polyhead.server.problems import Problem
from tests.formats.translators import lose_codes, shout

PO = b'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "a %s dog"\nmsgstr ""\n'


def test_every_format_is_known_by_its_suffixes():
    for form in FORMATS.values():
        for suffix in form.suffixes:
            KNOWN_FILES.check(f"나의 파일{suffix.upper()}")
    for name in ("a.exe", "html", ".po", ""):
        with pytest.raises(Problem, match="are not translated here"):
            KNOWN_FILES.check(name)


def test_what_is_doubtful_is_told():
    made = KNOWN_FILES.translate(PO, "a.po", shout, "de", "en")
    assert (b'msgstr "A %s DOG"' in made.content, made.problems) == (True, ())
    (problem,) = KNOWN_FILES.translate(PO, "a.po", lose_codes, "de", "en").problems
    assert "line 4" in problem
    assert "%s is missing" in problem
