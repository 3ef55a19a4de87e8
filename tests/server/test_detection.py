"""Languages of texts."""

import math

import pytest

from polyhead.manifest import accept
from polyhead.server.detection import detect
from polyhead.server.pool import open_directories
from polyhead.tokenizers.build import train
from polyhead.tokenizers.config import TokenizerConfig

GERMAN = ["Der Hund läuft schnell durch den Garten.", "Die Katze trinkt die Milch nicht."] * 3


def test_one_language_is_certain(models):
    (found,) = detect(models[:1], "whatever")
    assert (found.language, found.confidence) == ("xa", 100.0)


def test_a_text_is_in_the_language_whose_vocabulary_writes_it_shortest(make_model, plain):
    directory = make_model("german", "de", ["en"])
    train(GERMAN, TokenizerConfig(), 330).save(directory / "shared.spm")
    accept(directory)
    models = open_directories([directory, plain])
    german, english = detect(models, "Die Katze läuft."), detect(models, "The cat sat down.")
    assert [each.language for each in german] == ["de", "en"]
    assert [each.language for each in english] == ["en", "de"]
    assert math.isclose(sum(each.confidence for each in german), 100)


@pytest.mark.parametrize("blank", ["", "  ", "\n"])
def test_a_blank_text_could_be_any(models, blank):
    assert [each.confidence for each in detect(models, blank)] == [50.0, 50.0]


def test_a_long_text_costs_no_more_than_its_beginning(models):
    assert detect(models, "a" * 1_000) == detect(models, "a" * 1_000 + "The cat sat down. " * 10_000)
