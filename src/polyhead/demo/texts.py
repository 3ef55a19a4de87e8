"""Texts as people have them, made of held-out sentences: paragraphs, capitals, tags, placeholders, numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from polyhead.demo.grammar import Example
from polyhead.evaluation.metrics import evaluate
from polyhead.inline.codes import Marked
from polyhead.inline.find import find
from polyhead.translating.translator import Translator

SENTENCES = 3
"""How many sentences a paragraph has."""
KINDS = ("tags", "braces")


@dataclass(frozen=True)
class TextScores:
    """How well a model that was trained on single sentences translates texts."""

    paragraphs: dict[str, float]
    """Target language → BLEU of paragraphs, each of which was translated as one text."""
    capitals: dict[str, float]
    """Target language → BLEU of sentences in capitals."""
    kept: float
    """The share of texts with tags, a placeholder and a number in which each came back exactly once."""


def score_texts(translator: Translator, examples: Sequence[Example]) -> TextScores:
    """The scores of texts made of `examples`, which are held-out sentences of any languages."""
    languages = sorted({example.language for example in examples})
    of = {language: [each for each in examples if each.language == language] for language in languages}
    return TextScores(
        {language: _bleu(translator, paragraphs(of[language])) for language in languages},
        {language: _bleu(translator, list(map(in_capitals, of[language]))) for language in languages},
        _kept(translator, of),
    )


def paragraphs(examples: Sequence[Example]) -> list[Example]:
    """Sentences of one language joined to paragraphs, with full stops. Sentences left over at the end are dropped."""
    groups = zip(*(examples[start::SENTENCES] for start in range(SENTENCES)), strict=False)
    return [
        replace(
            group[0],
            source=" ".join(f"{each.source}." for each in group),
            target=" ".join(f"{each.target}." for each in group),
        )
        for group in groups
    ]


def in_capitals(example: Example) -> Example:
    """A sentence and its translation, both in capitals."""
    return replace(example, source=example.source.upper(), target=example.target.upper())


def with_codes(example: Example, number: int) -> Marked:
    """The sentence with its first word in a pair of tags, and a placeholder and a number of three digits behind."""
    first, _, rest = example.source.partition(" ")
    return find(f"<b>{first}</b> {rest} {{name}} {100 + number % 900}", KINDS)


def _bleu(translator: Translator, examples: Sequence[Example]) -> float:
    language = examples[0].language
    results = translator.translate([each.source for each in examples], target_language=language)
    outputs, references = [each.text for each in results], [each.target for each in examples]
    return evaluate(outputs, references, language, metrics=("bleu",))["bleu"].value


def _kept(translator: Translator, of: dict[str, list[Example]]) -> float:
    whole = count = 0
    for language, examples in of.items():
        texts = [with_codes(example, number) for number, example in enumerate(examples)]
        for number, found in enumerate(translator.translate(texts, target_language=language)):
            written, wanted = found.marked.written(), ("<b>", "</b>", "{name}", str(100 + number % 900))
            whole += all(written.count(each) == 1 for each in wanted)
            count += 1
    return whole / count
