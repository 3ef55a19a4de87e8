import re

import pytest

from docs.recipe_keys import default, markdown
from polyhead.cli.keys import lines_of
from polyhead.recipe.keys import Key, tables


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (Key("a", "", "", True, False, ""), "must be given"),
        (Key("a", "", "", False, False, ""), "unset"),
        (Key("a", "", "4", False, False, ""), "default `4`"),
        (Key("a", "", "4", False, True, ""), "default chosen for corpus and machine, else `4`"),
        (Key("a", "", "none", False, True, ""), "default chosen for corpus and machine"),
    ],
)
def test_defaults_in_words(key: Key, said: str) -> None:
    assert default(key) == said


def test_words_to_choose_from_are_code() -> None:
    assert '`"post"`, `"pre"` · default `"post"`' in markdown(tables())


def test_a_key_is_a_target_once_however_many_kinds_share_it() -> None:
    lines = markdown(tables()).splitlines()
    places = [i for i, line in enumerate(lines) if line == "::::{key} model.dropout"]
    assert len(places) == 3
    assert [lines[i + 1] == ":no-index:" for i in places] == [False, True, True]


def test_the_page_and_the_command_list_the_same_keys_with_the_same_defaults() -> None:
    page = re.findall(r"^::::\{key\} (\S+)\n(?::no-index:\n)?\n(.*)$", markdown(tables()), re.MULTILINE)
    on_page = [(name, re.findall(r"(?:default|else) `([^`]*)`$", facts)) for name, facts in page]
    command = [re.match(r"  (\w\S*)(?: = (\S+))? \(", line) for line in lines_of(tables(), {}, 1000)]
    in_command = [(found[1], [found[2]] if found[2] else []) for found in command if found]
    chosen = {key.name for table in tables() for key in table.keys if key.chosen and key.default == "none"}
    assert len(page) > 80
    assert on_page == [(name, [] if name in chosen else default) for name, default in in_command]
