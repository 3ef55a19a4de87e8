"""Markdown: text is translated, and marks, code, links, HTML and front matter stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.formats.markdown_inline import KEPT, escaped
from polyhead.formats.unit import Answered
from tests.formats.translators import copy, found, lose_codes, problems, say, shout, shuffle, translated
from tests.growth import grows_like_its_input

PAGE = r"""---
date: kept
---
# Title *x* #

> quote one
> two **bold**@@
> three \
> four

- item `ls -l`
  more
- [ ] task

| a | b \| c |
|---|:-:|
| *x* | on `|` on |

Setext
text
===

    code block

```sh
fence
```

<div>
<hr>
</div>

[ref]: http://x "t"
Para [link](u "t") ![alt *e*](i.png) <b>x</b> &amp; \* <http://a.b> [ref] [full][ref] ***both*** ~~gone~~[^1] snake_case
5\. no list {{ name }}

[^1]: The note.
""".replace("@@", "  ")

SHOUTED = [
    ("# Title *x* #", "# TITLE *X* #"),
    ("a `b  c` d", "A `b  c` D"),
    ("> a\n> b **c**  \n> d", "> A B **C**  \n> D"),
    ("- a\\\n  b\n", "- A\\\n  B\n"),
    ("| a | b \\| c |\n|-|-|\n| d | e |", "| A | B \\| C |\n|-|-|\n| D | E |"),
    ("[a](b 'c') and [d][e]\n\n[e]: f", "[A](b 'c') AND [D][e]\n\n[e]: f"),
    ("see [ref]\n\n[ref]: f", "SEE [REF][ref]\n\n[ref]: f"),
    ("![alt](i.png) a", "![ALT](i.png) A"),
    ("![a cat](<i j.png> 't')\n", "![A CAT](<i j.png> 't')\n"),
    ("[![a](i.png)](u)", "[![A](i.png)](u)"),
    ("![a *b*](i.png) c ![d][e]\n\n[e]: f", "![a *b*](i.png) C ![d][e]\n\n[e]: f"),
    ("| ![a](b) |\n|-|", "| ![A](b) |\n|-|"),
    ("<http://a.b> c", "<http://a.b> C"),
    ("a <i class='x'>b</i>", "A <i class='x'>B</i>"),
    ("5 \\* b", "5 \\* B"),
    ("a &amp; b &lt;c", "A & B \\<C"),
    ("***a** b*", "***A** B*"),
    ("~~a~~ b_c_d", "~~A~~ B_C_D"),
    ("a[^1]\n\n[^1]: b c", "A[^1]\n\n[^1]: B C"),
    ("> [!NOTE]\n> a", "> [!NOTE]\n> A"),
    ("- [x] a", "- [x] A"),
    ("a\n$$\n\\text{b}_1 = c_2\n\n+ d\n$$\ne", "A\n$$\n\\text{b}_1 = c_2\n\n+ d\n$$\nE"),
    ("> $$ a\n> b $$ {#c}\n\n- d\n  $$\n  e\n  $$.\n", "> $$ a\n> b $$ {#c}\n\n- D\n  $$\n  e\n  $$.\n"),
    ("$$a\nb\n\n$$\nc\n$$", "$$A B\n\n$$\nc\n$$"),
    ("$$a\nb $$c$$", "$$A B $$c$$"),
    (":::note\na\nb\n:::\n\n- ::: {.c}\n  d\n  :::\n", ":::note\nA B\n:::\n\n- ::: {.c}\n  D\n  :::\n"),
    ('!!! note "a"\n    b\n\n??? c\n\n!!! d e', '!!! note "a"\n    b\n\n??? c\n\n!!! D E'),
    ('a\n{: .b}\n\n{% c d="e" %}\nf\n{% g %}\n{{< h >}}', 'A\n{: .b}\n\n{% c d="e" %}\nF\n{% g %}\n{{< h >}}'),
    ("    a\n\n```\nb\n```\n", "    a\n\n```\nb\n```\n"),
    ("<div>\na\n</div>\n\nb", "<div>\nA\n</div>\n\nB"),
    (
        "<details><summary>a <b>b</b></summary>\n\nc\n\n</details>",
        "<details><summary>A <b>B</b></summary>\n\nC\n\n</details>",
    ),
    ("<pre>\na\n\nb</pre>\n<!-- c -->\n\n> <p>d</p>\n", "<pre>\na\n\nb</pre>\n<!-- c -->\n\n> <p>d</p>\n"),
    ("---\nt: a\n---\nb", "---\nt: a\n---\nB"),
    (
        "---\ntitle: 'a b'  # c\ndraft: no\nmenu: {title: d}\n---\nb",
        "---\ntitle: 'A B'  # c\ndraft: no\nmenu: {title: d}\n---\nB",
    ),
    ("---\ndescription: |\n  a\n  b\n...\nb", "---\ndescription: |\n  A\n  B\n...\nB"),
    ("+++\ntitle = 'a'\n+++\nb", "+++\ntitle = 'a'\n+++\nB"),
    ("a $x_{i}$ b $$y^2$$ costs $5 to $10, \\$c$", "A $x_{i}$ B $$y^2$$ COSTS $5 TO $10, \\$C$"),
    ("good :+1: a :smile: at 5:30: b", "GOOD :+1: A :smile: AT 5:30: B"),
    ("a\r\nb\r\n\r\n* c\r\n", "A B\r\n\r\n* C\r\n"),
    ("a\n===\n\nb\n---\n", "A\n===\n\nB\n---\n"),
    ("a {{ x }} b {% if y %}", "A {{ x }} B {% if y %}"),
    ("5 - 7", "5 - 7"),
]


@pytest.mark.parametrize(("content", "expected"), SHOUTED)
def test_text_is_translated_and_all_else_stays(content, expected):
    assert translated(content, "x.md", shout) == expected


@pytest.mark.parametrize("content", [PAGE, *(content for content, _ in SHOUTED)])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_copying_translator_gives_the_file_back(content, ending):
    data = content.replace("\r\n", "\n").replace("\n", ending).encode("utf-8-sig")
    assert translated(data, "x.md", copy) == data


def test_blocks_are_units_with_their_lines():
    units = {unit.line: unit.marked.text for unit in found(PAGE, "x.md")}
    assert units[4] == "Title x"
    assert (units[6], units[8], units[9]) == ("quote one two bold", "three", "four")
    assert units[34] == "Para link  x & * http://a.b ref full both gone snake_case 5. no list"


def test_emphasis_and_links_are_pairs():
    unit = next(unit for unit in found(PAGE, "x.md") if unit.marked.text.startswith("Para"))
    opened = [code.content for code in unit.marked.codes if code.role == "open"]
    assert opened == ["[", "<b>", "[", "[", "*", "**", "~~"]
    numbers = [code.pair for code in unit.marked.codes if code.pair]
    assert sorted(numbers) == sorted(2 * list(set(numbers)))


def test_marks_that_would_not_be_read_as_marks_become_html():
    korean = say("가")
    assert (
        translated("a **(b)** c", "x.md", lambda texts: [moved(each) for each in korean(texts)])
        == "<strong>(b)</strong>가"
    )


def moved(answer):
    """The bold words, and a particle right behind them."""
    first, last = answer.marked.codes
    text = answer.marked
    return type(answer)(type(text).of([first, "(b)", last, "가"]))


@pytest.mark.parametrize(
    "text", ["# a", "- a", "+ a", "* a", "1. a", "2) a", "> a", "=== ", "---", "*a*", "_a_", "`a`", "[a](b)"]
)
@pytest.mark.parametrize("frame", ["x y", "- x y", "| x y | z |\n|-|-|", "# x y", "> x y"])
def test_a_translation_cannot_write_markup(text, frame):
    written = translated(frame, "x.md", say(text))
    assert {unit.marked.text for unit in found(written + "\n\nb", "x.md")} <= {text.strip(), "b"}
    assert escaped(text, is_first=True) in written


def test_the_words_of_a_picture_cannot_write_markup():
    assert translated("![a](b)", "x.md", say("](c) *d*")) == r"![\](c) \*d\*](b)"


def test_a_text_that_lost_a_mark_stays_in_its_own_language_and_is_named():
    assert translated("a\n\nb *c* d", "x.md", lose_codes) == "A\n\nb *c* d"
    assert problems("a\n\nb *c* d", "x.md", lose_codes) == ["line 3: * is missing"]


def test_a_front_matter_that_is_not_yaml_is_named():
    assert problems("---\ntitle: {{ a }}: b\n---\nb", "x.md", copy) == [
        "line 1: what stands before its text is not YAML, so it was left as it is"
    ]


def test_lines_of_html_are_those_of_the_file():
    assert [(unit.line, unit.marked.text) for unit in found("a\n\n<div>\n<p>b\n</div>\n", "x.md")] == [
        (1, "a"),
        (4, "b"),
    ]


FRAGMENTS = [
    "a",
    "b ",
    "*",
    "**",
    "_",
    "~~",
    "`",
    "``",
    "[",
    "](u)",
    "]",
    "![",
    "\n",
    "\n\n",
    "> ",
    "- ",
    "  ",
    "\t",
    "|",
    "|-|\n",
    "# ",
]
FRAGMENTS += [
    "\\",
    "<b>",
    "</b>",
    "<!-- c -->",
    "&amp;",
    "1. ",
    "---\n",
    "```\n",
    "{{x}}",
    "[a]: b\n",
    "<u:v>",
    "\r\n",
    "\r",
    "각",
]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=25), st.integers(0, 1000))
def test_any_file_keeps_its_form(fragments, seed):
    content = "".join(fragments)
    assert translated(content.encode(), "x.md", copy) == content.encode()
    units = found(content, "x.md")
    assert all(code.start <= code.end for unit in units for code in unit.marked.codes)
    for translate in (shout, shuffle(seed)):
        translated(content, "x.md", translate)


WORDS = ["ab", "c*d", "_e_", "1.", "-", "#", "[f]", "&lt;", "<g>", "`h`", "\\", "|", "~~i~~", "!", "각", "==="]


@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6),
    st.sampled_from(["x", "- x", "> x", "# x", "|x|y|\n|-|-|"]),
)
def test_any_translation_is_read_again_as_what_it_says(words, frame):
    text = " ".join(["z", *words])
    written = translated(frame, "x.md", say(text))
    (first, *_) = found(written, "x.md")
    assert "".join((first.head.written(), first.marked.text, first.tail.text)) == text


def test_a_backslash_at_the_end_of_a_cell_keeps_the_bar_a_bar():
    written = translated("|x|y|\n|-|-|", "x.md", say("z \\"))
    assert [unit.marked.text for unit in found(written, "x.md")] == ["z \\", "z \\"]


def test_a_mark_around_a_line_break_is_no_problem():
    assert translated("z **a  \nb** c", "x.md", shout) == "Z **A  \nB** C"
    assert problems("z **a  \nb** c", "x.md", shout) == []


def test_what_is_left_is_named():
    assert translated("a\0b\n\nc", "x.md", shout) == "a\0b\n\nC"
    assert problems("a\0b\n\nc", "x.md") == [
        "line 1: a character in it, such as NUL, is not read as it stands there, so it was left as it is"
    ]


def test_a_unit_answers_for_itself():
    (unit,) = found("x", "x.md")
    assert Answered(unit, unit.marked).whole.text == "x"


@pytest.mark.parametrize("mark", ["---", "+++"])
def test_a_front_matter_without_an_end_takes_no_long_time(mark):
    content = f"{mark}\r\n" + "a\r\n" * 200
    assert translated(content, "x.md", copy) == content


@pytest.mark.parametrize("part", ["{{", "{{a ", "{%", "[^"])
def test_a_hostile_text_takes_no_long_time(part):
    assert grows_like_its_input(lambda parts: KEPT.sub("", part * parts), 5_000)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_front_matter_ends_at_its_second_line_of_marks(ending):
    content = "---\ntitle: a\nb: c\n---\nd\n".replace("\n", ending)
    assert translated(content, "x.md", shout) == "---\ntitle: A\nb: c\n---\nD\n".replace("\n", ending)


@pytest.mark.parametrize("kept", ["{{{a}}}", "{{{{a}}}}", "{{a {b} c}}", "{% a {{b}} %}", "[^a-b]:"])
def test_templates_and_notes_stay(kept):
    assert translated(f"a {kept} b", "x.md", shout) == f"A {kept} B"
