"""Languages of texts."""

import math

import pytest

from polyhead.bundle.profiles import save_profiles
from polyhead.manifest import accept
from polyhead.ngrams import profile_of
from polyhead.server.detection import Detector
from polyhead.server.pool import open_directories
from polyhead.tokenizers.build import train
from polyhead.tokenizers.config import TokenizerConfig
from tests.prose import PROSE


def detect(models, text):
    return Detector(models).detect(models, text)


GERMAN = ["Der Hund läuft schnell durch den Garten.", "Die Katze trinkt die Milch nicht."] * 3


def test_one_language_is_certain(models):
    (found,) = detect(models[:1], "whatever")
    assert (found.language, found.confidence) == ("xa", 100.0)


def test_a_text_for_models_that_do_not_know_their_languages_is_undetermined(make_model, known):
    models = open_directories([make_model("nameless", None, [])])
    assert [(each.language, each.confidence) for each in detect(models, "whatever")] == [("und", 0)]
    assert [each.language for each in Detector([*known, *models]).detect(models, "the baker")] == ["und"]


def test_a_text_is_in_the_language_whose_vocabulary_writes_it_shortest(make_model, plain):
    directory = make_model("german", "de", ["en"])
    train(GERMAN, TokenizerConfig(), 330).save(directory / "shared.spm")
    accept(directory)
    models = open_directories([directory, plain])
    german, english = detect(models, "Die Katze läuft."), detect(models, "The cat sat down.")
    assert [each.language for each in german] == ["de", "en"]
    assert [each.language for each in english] == ["en", "de"]
    assert math.isclose(sum(each.confidence for each in german), 100)


@pytest.fixture
def known(make_model):
    """Models that read German, English and French, and write French and Korean, with their n-grams."""
    directories = [make_model("german", "de", ["fr"]), make_model("english", "en", ["fr", "ko"])]
    for directory, languages in zip(directories, (("de", "fr"), ("en", "fr", "ko")), strict=True):
        save_profiles(directory, {language: profile_of(PROSE[language]) for language in languages})
    return open_directories(directories)


@pytest.mark.parametrize(("text", "language"), [("Der Bäcker und der Zug", "de"), ("the baker and the train", "en")])
def test_models_tell_what_their_languages_look_like(known, text, language):
    first, second = detect(known, text)
    assert (first.language, first.confidence > 90) == (language, True)
    assert first.confidence + second.confidence <= 100.001


@pytest.mark.parametrize("text", ["Погода была лучше", "날씨가 좋았다", "le temps était meilleur", "", " ", "42"])
def test_a_text_in_no_language_that_is_read_is_unknown(known, text):
    assert [round(each.confidence) for each in detect(known, text)] == [0, 0]


def test_the_likeliest_stands_first_though_it_is_unknown(known):
    for models in (known, known[::-1]):
        assert detect(models, "Zzyzx öffnete schwarzgelbgrün zzqxx vvxzq")[0].language == "de"


def test_only_the_models_that_are_asked_for_count(known):
    (only,) = Detector(known).detect(known[:1], "the baker and the train")
    assert (only.language, round(only.confidence)) == ("de", 0)


def test_one_model_without_ngrams_makes_vocabularies_tell(known, plain):
    assert len(detect([*known, *open_directories([plain])], "42")) == 2
    assert sum(each.confidence for each in detect([known[0], *open_directories([plain])], "42")) > 99


@pytest.mark.parametrize("blank", ["", "  ", "\n"])
def test_a_blank_text_could_be_any(models, blank):
    assert [each.confidence for each in detect(models, blank)] == [50.0, 50.0]


def test_a_long_text_costs_no_more_than_its_beginning(models):
    assert detect(models, "a" * 1_000) == detect(models, "a" * 1_000 + "The cat sat down. " * 10_000)
