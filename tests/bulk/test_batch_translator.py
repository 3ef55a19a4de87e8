"""A translator that travels as settings."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from polyhead import BatchTranslator, PolyheadError, Translator
from polyhead.bulk.batch_translator import forget
from polyhead.bulk.fingerprint import fingerprint
from polyhead.decoding.config import SamplingConfig
from polyhead.errors import ModelError

TEXTS = ["bado kilu", "mera noti pasu", ""]


@pytest.fixture(autouse=True)
def forgetful():
    forget()
    yield
    forget()


def test_a_list_of_texts_is_translated_as_the_translator_does(toy_model):
    expected = [each.text for each in Translator.load(toy_model).translate(TEXTS)]
    travelled = pickle.loads(pickle.dumps(BatchTranslator(toy_model)))
    assert travelled(TEXTS) == expected
    assert travelled([None, "bado kilu", float("nan"), np.float32("nan")]) == [None, expected[0], None, None]
    assert travelled([]) == []
    with pytest.raises(TypeError, match="text 1 is of the type int"):
        BatchTranslator(toy_model)([3])  # type: ignore[list-item]


def test_a_table_gets_one_more_column(toy_model):
    translator = BatchTranslator(toy_model, column="source", into="target")
    table = {"id": np.arange(3), "source": np.array(["bado", None, "kilu"], object)}
    found = translator(table)
    assert list(found) == ["id", "source", "target"]
    assert found["target"].dtype == object
    assert list(found["target"]) == translator(["bado", None, "kilu"])
    assert list(table) == ["id", "source"]
    assert list(translator({"source": np.array([], object)})["target"]) == []


def test_what_travels_is_small_and_the_model_is_loaded_once_in_a_process(toy_model, monkeypatch):
    loads = []
    load = Translator.load
    monkeypatch.setattr(Translator, "load", lambda *given, **more: loads.append(given) or load(*given, **more))
    translator = BatchTranslator(toy_model, beam_size=1)
    assert len(pickle.dumps(translator)) < 2_000
    assert loads == []
    for _ in range(2):
        pickle.loads(pickle.dumps(translator))(["bado"])
    replace(translator, beam_size=3)(["bado"])
    assert len(loads) == 1


def test_another_model_than_expected_is_refused(toy_model):
    BatchTranslator(toy_model, fingerprint=fingerprint([toy_model])).check()
    with pytest.raises(ModelError, match="is another model now"):
        BatchTranslator(toy_model, fingerprint="0").check()


def test_settings_that_do_not_fit_are_found_by_the_check(tagged_model):
    BatchTranslator(tagged_model, target_language="xc").check()
    with pytest.raises(PolyheadError, match="does not translate to 'xd'"):
        BatchTranslator(tagged_model, target_language="xd").check()


def test_samples_of_two_places_are_drawn_apart(toy_model):
    translator = BatchTranslator(toy_model, search=SamplingConfig(temperature=4.0, seed=1))
    seeds = [translator.apart(place).search.seed for place in ("a:0", "a:1000", "a:0")]
    assert seeds[0] == seeds[2] != seeds[1]
    assert translator.apart("a")(TEXTS) != translator.apart("b")(TEXTS)
    plain = BatchTranslator(toy_model)
    assert plain.apart("a") is plain


def test_data_frames_get_one_more_column(toy_model):
    pandas = pytest.importorskip("pandas")
    translator = BatchTranslator(toy_model)
    frames = [pandas.DataFrame({"id": [1, 2], "text": ["bado", None]}), pandas.DataFrame({"id": [3], "text": ["kilu"]})]
    found = list(translator.frames(iter(frames)))
    assert [list(frame.columns) for frame in found] == [["id", "text", "translation"]] * 2
    texts = [None if pandas.isna(text) else text for frame in found for text in frame["translation"]]
    assert texts == translator(["bado", None, "kilu"])
