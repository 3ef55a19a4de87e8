"""The formats that the server knows."""

from polyhead.formats.kinds import FORMATS
from polyhead.server.known_files import KNOWN_FILES
from tests.formats.translators import lose_codes, shout

PO = b'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "a %s dog"\nmsgstr ""\n'


def test_the_endings_are_those_of_every_format():
    assert set(KNOWN_FILES.suffixes) == {suffix for form in FORMATS.values() for suffix in form.suffixes}


def test_what_is_doubtful_is_told():
    made = KNOWN_FILES.translate(PO, "a.po", shout, "de", "en")
    assert (b'msgstr "A %s DOG"' in made.content, made.problems) == (True, ())
    (problem,) = KNOWN_FILES.translate(PO, "a.po", lose_codes, "de", "en").problems
    assert "line 4" in problem
    assert "%s is missing" in problem
