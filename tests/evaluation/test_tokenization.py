import pytest

from polyhead.errors import PolyheadError
from polyhead.evaluation import tokenization
from polyhead.evaluation.tokenization import choose_tokenization, primary_language


@pytest.mark.parametrize(
    ("code", "language"),
    [("ko", "ko"), ("ko-KR", "ko"), ("ko_KR", "ko"), ("KO", "ko"), ("kor", "ko"), ("zh-Hans", "zh"), (None, "")],
)
def test_language_codes_are_read_leniently(code: str | None, language: str) -> None:
    assert primary_language(code) == language


def _pretend(monkeypatch: pytest.MonkeyPatch, installed: bool) -> None:
    def find_spec(module: str) -> object:
        return module if installed else None

    monkeypatch.setattr(tokenization, "find_spec", find_spec)


@pytest.mark.parametrize(
    ("language", "tokenizer"), [("ko", "ko-mecab"), ("ja", "ja-mecab"), ("zh", "zh"), ("de", "13a"), (None, "13a")]
)
def test_every_language_has_its_tokenizer(
    language: str | None, tokenizer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _pretend(monkeypatch, installed=True)
    chosen = choose_tokenization(language)
    assert (chosen.name, chosen.note) == (tokenizer, "")


@pytest.mark.parametrize("language", ["ko", "ja"])
def test_without_the_package_characters_are_counted_and_said(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _pretend(monkeypatch, installed=False)
    chosen = choose_tokenization(language)
    assert chosen.name == "char"
    assert f"sacrebleu[{language}]" in chosen.note


def test_the_callers_choice_wins() -> None:
    assert choose_tokenization("ko", "none").name == "none"


@pytest.mark.parametrize("name", ["spm", "flores200", "moses"])
def test_a_tokenizer_that_is_unknown_or_needs_the_network_is_refused(name: str) -> None:
    with pytest.raises(PolyheadError, match="choose one of"):
        choose_tokenization("de", name)


def test_a_named_tokenizer_that_is_not_installed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    _pretend(monkeypatch, installed=False)
    with pytest.raises(PolyheadError, match=r"sacrebleu\[ko\]"):
        choose_tokenization("ko", "ko-mecab")
