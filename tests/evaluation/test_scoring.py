import subprocess
import sys

import pytest

from polyhead.errors import PolyheadError
from polyhead.evaluation.scoring import METRICS, MetricOptions, build_metrics, check_references, measure


@pytest.mark.parametrize("name", list(METRICS))
def test_every_metric_tells_a_right_translation_from_a_wrong_one(name: str) -> None:
    references = ["the cat sat on the mat .", "a dog runs through the park ."]
    options = MetricOptions("none", "en")
    [right] = measure(references, [references], [name], options)
    [wrong] = measure(["nothing of that sort here", "x y z"], [references], [name], options)
    assert (right.value > wrong.value) == METRICS[name].higher_is_better
    assert "version:" in right.signature
    assert "nrefs:1" in right.signature
    assert right.name == name


def test_the_asked_order_is_kept_and_repetitions_fall_away() -> None:
    assert list(build_metrics(["ter", "bleu", "ter"], MetricOptions("13a"))) == ["ter", "bleu"]


@pytest.mark.parametrize(("names", "message"), [(["blue"], "no metric 'blue'.*bleu, chrf"), ([], "no metric is asked")])
def test_an_unknown_or_missing_metric_is_an_error(names: list[str], message: str) -> None:
    with pytest.raises(PolyheadError, match=message):
        build_metrics(names, MetricOptions("13a"))


def test_unspaced_languages_are_split_for_ter() -> None:
    [score] = measure(["我喜欢狗"], [["我喜欢猫"]], ["ter"], MetricOptions("zh", "zh"))
    assert score.value == pytest.approx(25.0)
    assert "asian:yes" in score.signature
    [tokenized] = measure(["我 喜欢 狗"], [["我 喜欢 猫"]], ["ter"], MetricOptions("none", "zh"))
    assert tokenized.value == pytest.approx(100 / 3)


def test_references_are_one_list_or_several() -> None:
    assert check_references(["a", "b"], ("x", "y")) == [["x", "y"]]
    assert check_references(["a", "b"], [["x", "y"], ["p", "q"]]) == [["x", "y"], ["p", "q"]]


@pytest.mark.parametrize(
    ("hypotheses", "references", "message"),
    [
        (["a", "b", "c"], ["x"] * 4, "3 hypotheses but 4 references"),
        (["a", "b"], [["x", "y"], ["x"]], "2 hypotheses but 1 reference in set 2"),
        ([], [], "nothing to compare"),
        (["a"], [], "1 hypothesis and 0 references"),
        ("a sentence", ["a sentence"], "a list of sentences"),
        (["a sentence"], "a sentence", "a list of sentences"),
    ],
)
def test_what_cannot_be_compared_is_said_with_numbers(
    hypotheses: list[str], references: list[str], message: str
) -> None:
    with pytest.raises(PolyheadError, match=message):
        check_references(hypotheses, references)


def test_sacrebleu_is_loaded_only_when_something_is_measured() -> None:
    code = (
        "import sys, polyhead.evaluation.metrics, polyhead.evaluation.significance;"
        "assert not {'sacrebleu', 'torch', 'matplotlib'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_tokenizer_is_made_once() -> None:
    def metric(tokenizer: str) -> object:
        return build_metrics(["bleu"], MetricOptions(tokenizer))["bleu"]

    assert metric("char") is metric("char")
    assert metric("char") is not metric("13a")
