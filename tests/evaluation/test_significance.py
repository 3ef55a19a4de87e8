import json
import os
import random

import pytest

from polyhead.errors import PolyheadError
from polyhead.evaluation.metrics import evaluate
from polyhead.evaluation.significance import paired_bootstrap


def _corpus(sentences: int = 60) -> list[str]:
    generator = random.Random(7)
    return [" ".join(generator.choices("abcdefghij", k=12)) for _ in range(sentences)]


def _damaged(corpus: list[str], share: float, seed: int) -> list[str]:
    generator = random.Random(seed)
    return [" ".join("?" if generator.random() < share else word for word in line.split()) for line in corpus]


REFERENCES = _corpus()
GOOD, ALIKE, BAD = _damaged(REFERENCES, 0.1, 1), _damaged(REFERENCES, 0.1, 2), _damaged(REFERENCES, 0.4, 3)


def test_a_clear_difference_is_significant_and_a_small_one_is_not() -> None:
    comparison = paired_bootstrap({"good": GOOD, "alike": ALIKE, "bad": BAD}, REFERENCES, "en", samples=200)
    for metric in ("bleu", "chrf"):
        bad, alike = comparison.result("bad", metric).p_value, comparison.result("alike", metric).p_value
        assert bad is not None
        assert alike is not None
        assert bad < 0.01
        assert alike > 0.05
        assert comparison.result("good", metric).p_value is None


def test_scores_are_those_of_evaluate_and_lie_in_their_interval() -> None:
    comparison = paired_bootstrap({"good": GOOD, "bad": BAD}, REFERENCES, "en", samples=100)
    for name, output in (("good", GOOD), ("bad", BAD)):
        for score in evaluate(output, REFERENCES, "en", ["bleu", "chrf"]).scores:
            result = comparison.result(name, score.name)
            assert result.score == pytest.approx(score.value)
            assert result.half_width > 0
            assert abs(result.mean - result.score) < result.half_width


def test_an_output_never_differs_from_itself() -> None:
    comparison = paired_bootstrap({"one": GOOD, "other": list(GOOD)}, REFERENCES, "en", samples=50)
    assert comparison.result("other", "bleu").p_value == 1.0


def test_the_seed_fixes_the_figures_and_stands_in_the_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "99")
    systems = {"good": GOOD, "bad": BAD}
    first = paired_bootstrap(systems, REFERENCES, "en", ["bleu"], samples=50, seed=3)
    assert first == paired_bootstrap(systems, REFERENCES, "en", ["bleu"], samples=50, seed=3)
    assert first.results != paired_bootstrap(systems, REFERENCES, "en", ["bleu"], samples=50, seed=4).results
    assert "bs:50|seed:3|" in first.signatures["bleu"]
    assert os.environ["SACREBLEU_SEED"] == "99"


def test_no_seed_is_left_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    paired_bootstrap({"good": GOOD, "bad": BAD}, REFERENCES, "en", ["bleu"], samples=2)
    assert "SACREBLEU_SEED" not in os.environ


def test_several_references_are_used() -> None:
    comparison = paired_bootstrap({"good": GOOD, "bad": BAD}, [REFERENCES, BAD], "en", ["bleu"], samples=20)
    assert comparison.result("bad", "bleu").score == pytest.approx(100)
    assert "nrefs:2" in comparison.signatures["bleu"]


def test_the_forms_for_programs_and_for_people() -> None:
    comparison = paired_bootstrap({"good": GOOD, "bad": BAD}, REFERENCES[:], "en", ["bleu", "ter"], samples=50)
    read = json.loads(json.dumps(comparison.to_dict()))
    assert (read["baseline"], read["samples"], read["seed"]) == ("good", 50, 12345)
    assert {(each["system"], each["metric"]) for each in read["results"]} == {
        ("good", "bleu"), ("good", "ter"), ("bad", "bleu"), ("bad", "ter"),
    }  # fmt: skip
    text = str(comparison)
    assert "50 samples, seed 12345, against good" in text
    assert "TER (lower is better)" in text
    assert text.count(" *\n") == 2


def test_mistakes_are_named() -> None:
    with pytest.raises(PolyheadError, match="at least two outputs, not 1"):
        paired_bootstrap({"good": GOOD}, REFERENCES, "en")
    with pytest.raises(PolyheadError, match="59 hypotheses but 60 references"):
        paired_bootstrap({"good": GOOD, "bad": BAD[1:]}, REFERENCES, "en")
    with pytest.raises(PolyheadError, match="at least 1, not 0 and 5"):
        paired_bootstrap({"good": GOOD, "bad": BAD}, REFERENCES, "en", samples=0, seed=5)
    with pytest.raises(PolyheadError, match="no result of system 'ugly'"):
        paired_bootstrap({"good": GOOD, "bad": BAD}, REFERENCES, "en", ["bleu"], samples=2).result("ugly", "bleu")
