"""What in tables of strings is not for people."""

import pytest

from polyhead.formats.identifiers import is_identifier


@pytest.mark.parametrize("text", ["#ff00aa", "#FFF", "./a/b.png", "/usr/lib", "user_id", "MAX_SIZE"])
def test_colors_paths_and_names_with_underscores_are_identifiers(text):
    assert is_identifier(text)


@pytest.mark.parametrize("text", ["Yes/No", "e-mail", "/month", "#1 best", "_Save", "a _b_ c", "word", "#dad and me"])
def test_what_may_be_for_people_is_none(text):
    assert not is_identifier(text)
