import json
import math
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhead.errors import PolyheadError
from polyhead.evaluation import metrics as metrics_module
from polyhead.evaluation.metrics import evaluate

WORDS = ["a", "b", "c", "d", "e"]
sentences = st.lists(st.sampled_from(WORDS), max_size=12)
corpora = st.integers(1, 3).flatmap(
    lambda sets: st.lists(
        st.tuples(sentences, st.lists(sentences, min_size=sets, max_size=sets)), min_size=1, max_size=8
    )
)
REFERENCES = ["The cat sat on the mat.", "A dog runs through the park.", "He sold all of his old books yesterday."]
OUTPUT = ["The cat sat on a mat.", "A dog is running through a park.", "He sold his old books yesterday."]


def n_grams(words: list[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[start : start + order]) for start in range(len(words) - order + 1))


def corpus_bleu(hypotheses: list[list[str]], references: list[list[list[str]]]) -> float:
    """Papineni et al. 2002, with mteval's smoothing: the k-th order without a match counts 1/2^k of a match."""
    hypothesis_words = sum(map(len, hypotheses))
    reference_words = 0
    for hypothesis, options in zip(hypotheses, references, strict=True):
        reference_words += min((abs(len(option) - len(hypothesis)), len(option)) for option in options)[1]
    logarithms: list[float] = []
    misses = 0
    for order in range(1, 5):
        matched = total = 0
        for hypothesis, options in zip(hypotheses, references, strict=True):
            counts = n_grams(hypothesis, order)
            best: Counter[tuple[str, ...]] = Counter()
            for option in options:
                best |= n_grams(option, order)
            matched += sum((counts & best).values())
            total += sum(counts.values())
        if total == 0 or (order == 1 and matched == 0):
            return 0.0
        misses += matched == 0
        logarithms.append(math.log((matched or 0.5**misses) / total))
    brevity = min(0.0, 1 - reference_words / hypothesis_words)
    return 100 * math.exp(brevity + sum(logarithms) / 4)


@settings(max_examples=60, deadline=None)
@given(corpora)
def test_bleu_agrees_with_the_definition(corpus: list[tuple[list[str], list[list[str]]]]) -> None:
    hypotheses = [hypothesis for hypothesis, _ in corpus]
    options = [options for _, options in corpus]
    reference_sets = [[" ".join(each) for each in column] for column in zip(*options, strict=True)]
    scores = evaluate([" ".join(words) for words in hypotheses], reference_sets, None, ["bleu"], tokenize="none")
    assert scores["bleu"].value == pytest.approx(corpus_bleu(hypotheses, options), abs=1e-9)
    assert f"nrefs:{len(reference_sets)}|" in scores["bleu"].signature


@settings(max_examples=15, deadline=None)
@given(corpora, st.randoms(use_true_random=False))
def test_the_order_of_sentences_does_not_matter(
    corpus: list[tuple[list[str], list[list[str]]]], shuffler: random.Random
) -> None:
    def values(rows: list[tuple[list[str], list[list[str]]]]) -> list[float]:
        outputs = [" ".join(hypothesis) for hypothesis, _ in rows]
        references = [" ".join(options[0]) for _, options in rows]
        return [score.value for score in evaluate(outputs, references, "en").scores]

    shuffled = list(corpus)
    shuffler.shuffle(shuffled)
    assert values(shuffled) == pytest.approx(values(corpus), abs=1e-9)


@pytest.mark.parametrize("language", ["en", "zh", "ko", "ja", None])
def test_identical_text_is_perfect(language: str | None) -> None:
    scores = evaluate(REFERENCES, REFERENCES, language)
    assert [round(score.value, 9) for score in scores.scores] == [100, 100, 0]


def test_empty_translations_score_nothing_and_do_not_crash() -> None:
    scores = evaluate([""] * 3, REFERENCES, "en")
    assert [score.value for score in scores.scores] == [0, 0, 100]
    both = evaluate(["", *OUTPUT[1:]], ["", *REFERENCES[1:]], "en", sources=["", "b c", "d"])
    assert 0 < both["bleu"].value < 100


def test_a_second_reference_can_only_help() -> None:
    one = evaluate(OUTPUT, REFERENCES, "en")
    two = evaluate(OUTPUT, [REFERENCES, OUTPUT], "en")
    assert one["bleu"].value < two["bleu"].value == pytest.approx(100)
    assert "nrefs:2" in two["ter"].signature


def test_signatures_name_tokenizer_case_and_version() -> None:
    scores = evaluate(OUTPUT, REFERENCES, "de")
    assert "tok:13a|smooth:exp|version:" in scores["bleu"].signature
    assert "nc:6|nw:0" in scores["chrf"].signature
    assert "tok:tercom" in scores["ter"].signature
    assert "tok:none" in evaluate(OUTPUT, REFERENCES, "de", tokenize="none")["bleu"].signature
    assert "tok:zh" in evaluate(OUTPUT, REFERENCES, "zh")["bleu"].signature


def test_a_missing_tokenizer_is_said_where_bleu_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    from polyhead.evaluation.tokenization import Tokenization

    def characters(*_: object) -> Tokenization:
        return Tokenization("char", "no words here")

    monkeypatch.setattr(metrics_module, "choose_tokenization", characters)
    scores = evaluate(OUTPUT, REFERENCES, "ko")
    assert "tok:char" in scores["bleu"].signature
    assert "note: no words here" in str(scores)
    assert not evaluate(OUTPUT, REFERENCES, "ko", ["chrf"]).notes


def test_the_forms_for_programs_and_for_people() -> None:
    scores = evaluate(OUTPUT, REFERENCES, "en", sources=["x"] * 3)
    read = json.loads(json.dumps(scores.to_dict()))
    assert read["sentences"] == 3
    assert read["scores"]["bleu"]["value"] == scores["bleu"].value
    assert read["by_length"]["buckets"][0]["sentences"] == 3
    text = str(scores)
    assert f"BLEU   {scores['bleu'].value:6.2f}  nrefs:1" in text
    assert "BP = " in text
    assert "source words" in text


def test_errors_name_what_is_wrong() -> None:
    with pytest.raises(PolyheadError, match="3 hypotheses but 2 references"):
        evaluate(OUTPUT, REFERENCES[:2], "en")
    with pytest.raises(PolyheadError, match="3 hypotheses but 1 source:"):
        evaluate(OUTPUT, REFERENCES, "en", sources=["x"])
    with pytest.raises(PolyheadError, match="'ter' was not measured, only bleu"):
        evaluate(OUTPUT, REFERENCES, "en", ["bleu"])["ter"]
