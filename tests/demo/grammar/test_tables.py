"""The reader of tables: what it makes of a line, and that it refuses every kind of bad one by its file and line."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from polyhead.demo.grammar.tables import one_of, read, read_groups, some_of, spelling, yes

GENDERS = one_of({"m": "m", "f": "f"})
WORDS = {"milk": 1, "tea": 2, "pear": 3}
GROUPS = {"drinks": (1, 2)}


@dataclass(frozen=True)
class Fruit:
    """What the lines of these tests become."""

    en: str
    gender: str
    plural: str = "by rule"
    sour: bool = False
    beside: tuple[int, ...] = ()


def table(directory: Path, *lines: str) -> Path:
    file = directory / "fruits.tsv"
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def fruits(file: Path, key: int = 1) -> dict[str, Fruit]:
    return read(file, Fruit, key=key, en=spelling, gender=GENDERS, sour=yes, beside=some_of(WORDS, GROUPS))


def test_a_line_becomes_an_entry_column_by_column(tmp_path: Path) -> None:
    file = table(
        tmp_path,
        "gender\ten\tplural\tsour\tbeside",
        "f\tpear\t-\t-\t-",
        "m\tlime (of trees)\tlimes\tyes\tpear, @drinks",
    )
    assert fruits(file, key=2) == {
        "f pear": Fruit("pear", "f"),
        "m lime (of trees)": Fruit("lime", "m", "limes", sour=True, beside=(3, 1, 2)),
    }


def test_the_last_line_may_go_without_its_end(tmp_path: Path) -> None:
    file = table(tmp_path, "name\tmembers")
    file.write_text("name\tmembers\nwarm\ttea", encoding="utf-8")
    assert read_groups(file, WORDS) == {"warm": (2,)}


def test_a_group_holds_words_and_groups_above_it_in_the_order_written(tmp_path: Path) -> None:
    file = table(tmp_path, "name\tmembers", "warm\ttea", "all\tpear, @warm, milk")
    assert read_groups(file, WORDS) == {"warm": (2,), "all": (3, 2, 1)}


HEADER = "en\tgender\tplural\tsour\tbeside"
GOOD = "pear\tf\t-\t-\t-"


@pytest.mark.parametrize(
    ("lines", "number", "wrong"),
    [
        ([], 1, "the columns are , not en, gender"),
        (["en\tgender\tplural\tsour"], 1, "the columns are en, gender, plural, sour, not en, gender"),
        (["en\tgender\tplurals\tsour\tbeside"], 1, "the columns are en, gender, plurals, sour, beside, not en, gender"),
        ([f"{HEADER}\tsour"], 1, "the columns are en, gender, plural, sour, beside, sour, not en, gender"),
        ([HEADER, GOOD, "lime\tm\t-\t-"], 3, "the table has 5 columns, the line 4 cells"),
        ([HEADER, GOOD, "lime\tm\t-\t-\t-\t-"], 3, "the table has 5 columns, the line 6 cells"),
        ([HEADER, "", GOOD], 2, "the table has 5 columns, the line 1 cells"),
        ([HEADER, "lime\tm\t\t-\t-"], 2, "cell 3 is empty or has blanks at an end"),
        ([HEADER, "lime\tm\t \t-\t-"], 2, "cell 3 is empty or has blanks at an end"),
        ([HEADER, "lime \tm\t-\t-\t-"], 2, "cell 1 is empty or has blanks at an end"),
        ([HEADER, GOOD, GOOD], 3, "'pear' stands here a second time"),
        ([HEADER, "lime\t-\t-\t-\t-"], 2, "gender: can't be left out"),
        ([HEADER, "lime\tn\t-\t-\t-"], 2, "gender: 'n' is not known"),
        ([HEADER, "lime\tm\t-\tno\t-"], 2, "sour: 'no' is not known"),
        ([HEADER, "lime\tm\t-\t-\tbeer"], 2, "beside: 'beer' is not known"),
        ([HEADER, "lime\tm\t-\t-\ttea,milk"], 2, "beside: 'tea,milk' is not known"),
        ([HEADER, "lime\tm\t-\t-\ttea, , milk"], 2, "beside: '' is not known"),
        ([HEADER, "lime\tm\t-\t-\t@milk"], 2, "beside: 'milk' is not known"),
        ([HEADER, "lime\tm\t-\t-\tpear, tea, pear"], 2, "beside: 'pear' is in the list already"),
        ([HEADER, "lime\tm\t-\t-\ttea, @drinks"], 2, "beside: '@drinks' is in the list already"),
    ],
)
def test_a_bad_line_is_refused_by_file_and_line(tmp_path: Path, lines: list[str], number: int, wrong: str) -> None:
    file = table(tmp_path, *lines)
    with pytest.raises(ValueError, match=re.escape(f"{file}, line {number}: {wrong}")):
        fruits(file)


@pytest.mark.parametrize(
    ("lines", "number", "wrong"),
    [
        (["warm\ttea", "warm\tmilk"], 3, "'warm' stands here a second time"),
        (["all\t@warm", "warm\ttea"], 2, "members: 'warm' is not known"),
        (["warm\tbeer"], 2, "members: 'beer' is not known"),
        (["warm\t-"], 2, "members: can't be left out"),
    ],
)
def test_a_bad_group_is_refused_by_file_and_line(tmp_path: Path, lines: list[str], number: int, wrong: str) -> None:
    file = table(tmp_path, "name\tmembers", *lines)
    with pytest.raises(ValueError, match=re.escape(f"{file}, line {number}: {wrong}")):
        read_groups(file, WORDS)


def test_a_key_of_two_cells_may_share_one_of_them(tmp_path: Path) -> None:
    again = "pear\tm\t-\t-\t-"
    assert len(fruits(table(tmp_path, HEADER, GOOD, again), key=2)) == 2
    file = table(tmp_path, HEADER, GOOD, again, GOOD)
    with pytest.raises(ValueError, match=re.escape(f"{file}, line 4: 'pear f' stands here a second time")):
        fruits(file, key=2)


def test_what_an_entry_itself_refuses_has_its_line_too(tmp_path: Path) -> None:
    def positive(number: str) -> int:
        if not int(number):
            raise ValueError("is zero")
        return int(number)

    file = table(tmp_path, "number", "1", "0")
    with pytest.raises(ValueError, match=re.escape(f"{file}, line 3: is zero")):
        read(file, positive)


def test_a_meaning_for_a_column_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="there is no column colour"):
        read(table(tmp_path, HEADER), Fruit, colour=yes)
