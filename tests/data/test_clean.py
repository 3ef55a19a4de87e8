"""What cleaning leaves out, and that it leaves out little."""

from hypothesis import given
from hypothesis import strategies as st

from polyhead.data.clean import CleaningConfig, clean
from polyhead.data.readers import Pair


def pairs_of(*texts: tuple[str, str]) -> list[Pair]:
    return [Pair(source, target, None, f"f:{line}") for line, (source, target) in enumerate(texts, start=1)]


ORDINARY = [(f"The dog number {i} runs across the field.", f"개 {i} 마리가 들판을 달린다.") for i in range(50)]


def reasons(texts: list[tuple[str, str]], config: CleaningConfig | None = None) -> dict[str, tuple[int, str]]:
    _, report = clean(pairs_of(*texts), config or CleaningConfig())
    return {drop.reason: (drop.count, drop.example) for drop in report.dropped}


def test_ordinary_pairs_stay_as_they_are() -> None:
    pairs = pairs_of(*ORDINARY, ("OK.", "Das ist ganz in Ordnung."), ("  Hm. ", "Hm."))
    kept, report = clean(pairs, CleaningConfig())
    assert kept == pairs
    assert (report.read, report.kept, report.dropped) == (52, 52, ())


def test_each_reason_is_counted_with_its_first_place() -> None:
    texts = [
        *ORDINARY,
        ("", "leer"),  # 51
        ("dog", " \t"),
        ("x " * 251, "y " * 251),  # 53
        ("x" * 2001, "y" * 2001),
        ("dog", "A sentence of another length altogether, " * 4),  # 55
        ORDINARY[0],  # 56
        ORDINARY[0],
        ("GmbH", "GmbH"),  # 58, which may stay
    ]
    assert "duplicate" not in reasons(texts)
    assert reasons(texts, CleaningConfig(drop_duplicates=True)) == {
        "empty": (2, "f:51"),
        "too many words": (1, "f:53"),
        "too many characters": (1, "f:54"),
        "lengths do not match": (1, "f:55"),
        "duplicate": (2, "f:56"),
    }
    assert reasons(texts, CleaningConfig(drop_untranslated=True))["same on both sides"] == (1, "f:58")


def test_every_rule_can_be_turned_off() -> None:
    texts = [("", "x"), ("x " * 999, "y"), ("a" * 9999, "b"), ("same", "same"), ("same", "same")]
    off = CleaningConfig(drop_empty=False, max_words=None, max_characters=None, max_ratio=None, drop_duplicates=False)
    assert reasons(texts, off) == {}


def test_languages_of_other_lengths_are_usual() -> None:
    long_to_short = [
        ("An English sentence that takes some forty characters " + str(i), f"中文句子{i}") for i in range(9)
    ]
    assert reasons(long_to_short, CleaningConfig(max_ratio=1.5)) == {}


def test_target_languages_are_judged_apart() -> None:
    short = [Pair("x" * 100 + str(i), "중" * 10, "ko", f"f:{i}") for i in range(10)]
    long = [Pair("x" * 100 + str(i), "y" * 200, "fi", f"g:{i}") for i in range(20)]
    _, report = clean(short + long, CleaningConfig(max_ratio=2.0))
    assert report.dropped == ()


def test_the_same_source_with_other_targets_is_no_duplicate() -> None:
    pairs = [
        Pair("Hi.", "Salut.", "fr", "f:1"),
        Pair("Hi.", "Bonjour.", "fr", "f:2"),
        Pair("Hi.", "Salut.", "ro", "f:3"),
    ]
    assert clean(pairs, CleaningConfig())[0] == pairs


TEXTS = st.lists(st.tuples(st.text("ab ", max_size=4), st.text("ab ", max_size=90)), max_size=12)


@given(TEXTS)
def test_every_pair_is_accounted_for(texts: list[tuple[str, str]]) -> None:
    pairs = pairs_of(*texts)
    kept, report = clean(pairs, CleaningConfig(drop_duplicates=True))
    assert report.read == len(pairs) == report.kept + sum(drop.count for drop in report.dropped)
    assert kept == [pair for pair in pairs if pair in kept]
    assert len(kept) == report.kept == len({(pair.source, pair.target) for pair in kept})
    everything, counted = clean(pairs, CleaningConfig())
    assert len(everything) - counted.repeated == len(kept)


def test_the_report_is_a_table() -> None:
    pairs = pairs_of(*ORDINARY, ("", "x"), ORDINARY[0])
    report = clean(pairs, CleaningConfig(drop_duplicates=True))[1]
    assert str(report).splitlines() == [
        "pairs read   52",
        "  empty       1  first at f:51",
        "  duplicate   1  first at f:52",
        "pairs kept   50",
    ]
    assert str(clean(pairs, CleaningConfig())[1]).splitlines() == [
        "pairs read  52",
        "  empty      1  first at f:51",
        "pairs kept  51  of which 1 came before",
    ]


def test_the_report_names_the_limit_that_a_pair_was_above() -> None:
    pairs = pairs_of(*ORDINARY, ("x " * 31, "y"), ("z" * 300, "y"), ("dog", "y" * 250))
    report = clean(pairs, CleaningConfig(max_words=30, max_characters=270))[1]
    assert str(report).splitlines()[1:-1] == [
        "  too many words         1  first at f:51, above data.cleaning.max_words = 30",
        "  too many characters    1  first at f:52, above data.cleaning.max_characters = 270",
        "  lengths do not match   1  first at f:53, above data.cleaning.max_ratio = 5",
    ]


def test_what_is_usual_is_the_median_of_all_pairs() -> None:
    short, usual = [("a" * 80, "b" * 5)] * 4, [("a" * 80, "b" * 80)] * 5  # ratios of 1/4 and 1
    assert reasons([*short, *usual], CleaningConfig(max_ratio=2.0)) == {"lengths do not match": (4, "f:1")}
    assert reasons([*short, *usual[:3]], CleaningConfig(max_ratio=2.0)) == {"lengths do not match": (3, "f:5")}
