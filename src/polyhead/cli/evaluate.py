"""`polyhead evaluate`."""

import json
from pathlib import Path
from typing import Annotated, NamedTuple

from cyclopts import Parameter

from polyhead.cli.numbers import Beam
from polyhead.cli.paths import NamedPath
from polyhead.cli.usage import UsageError


def evaluate(
    model: NamedPath | None = None,
    /,
    *,
    reference: tuple[NamedPath, ...],
    source: NamedPath | None = None,
    hypothesis: NamedPath | None = None,
    baseline: NamedPath | None = None,
    to: str | None = None,
    tokenize: str | None = None,
    beam: Beam | None = None,
    by_length: bool = False,
    json_output: Annotated[bool, Parameter(name="--json")] = False,
) -> None:
    """Say how good a model, or an output, is: BLEU, chrF and TER by sacreBLEU, with signatures.

    Parameters
    ----------
    model
        A model directory; it translates --source. Leave it out to score a file with --hypothesis.
    reference
        The right translations. Give it once for each of several files, which are several references for each line.
    source
        The text that was, or is to be, translated.
    hypothesis
        An output to score instead of a model's.
    baseline
        Another output for the same source: a paired bootstrap test tells whether the difference is real.
    to
        The target language: it chooses the tokenizer for BLEU, and what a model of several languages writes. Unless
        given it is the model's, or the one that the reference's name ends in, as `test.ko` does.
    tokenize
        sacreBLEU's tokenizer for BLEU; "none" for text that is tokenized already. Unless given it is the one that the
        model's recipe names, else the target language's.
    beam
        Beam size.
    by_length
        Show quality by source length too.
    json_output
        Write JSON.

    """
    from polyhead.cli.scored import check_aligned, say_blank
    from polyhead.cli.streams import read_lines
    from polyhead.corpora.file_names import language_of
    from polyhead.evaluation.metrics import evaluate as measure
    from polyhead.evaluation.significance import paired_bootstrap

    _check_usage(model, source, hypothesis, by_length)
    output = {str(hypothesis): read_lines(hypothesis)} if hypothesis is not None else {}
    references = [read_lines(path) for path in reference]
    named = dict(zip(map(str, reference), references, strict=True))
    sources = read_lines(source) if source is not None else None
    beside = {str(source): sources} if source is not None and sources is not None else {}
    against = {str(baseline): read_lines(baseline)} if baseline is not None else {}
    files = {**output, **named, **against, **(beside if by_length or not output else {})}
    check_aligned(files)
    language = to
    if model is not None:
        translated = _translate(model, sources or [], beam, to)
        outputs, language, tokenize = translated.lines, to or translated.language, tokenize or translated.tokenize
    else:
        outputs = output[str(hypothesis)]
    language = language or language_of(reference[0])
    scores = measure(outputs, references, language, tokenize=tokenize, sources=sources if by_length else None)
    comparison = None
    if baseline is not None:
        systems = {"baseline": against[str(baseline)], "this": outputs}
        comparison = paired_bootstrap(systems, references, language, tokenize=tokenize)
    say_blank(files)
    if json_output:
        result = {**scores.to_dict(), **({"comparison": comparison.to_dict()} if comparison else {})}
        print(json.dumps(result, ensure_ascii=False))
    else:
        print(scores)
        if comparison is not None:
            print(f"\n{comparison}")


def _check_usage(model: Path | None, source: Path | None, hypothesis: Path | None, by_length: bool) -> None:
    """Raises UsageError for options that don't go together."""
    if model is not None and hypothesis is not None and model.is_file():
        raise UsageError(
            f"{model} is taken for a model directory, but it is a file; give --reference once for each of several "
            "files: --reference A --reference B"
        )
    if (model is None) == (hypothesis is None):
        raise UsageError("give either a model directory (with --source) or an output (--hypothesis)")
    if model is not None and source is None:
        raise UsageError("a model needs something to translate: give --source")
    if by_length and source is None:
        raise UsageError("quality by length needs the source text: give --source")


class _Translated(NamedTuple):
    """What a model wrote, its language if the model writes only one, and the tokenizer for BLEU in its recipe."""

    lines: list[str]
    language: str | None
    tokenize: str | None


def _translate(model: Path, sources: list[str], beam: int | None, to: str | None) -> _Translated:
    from polyhead.cli.streams import progress_bar
    from polyhead.translating.translator import Translator

    translator = Translator.load(model)
    known = translator.config.target_languages
    asked = to if translator.config.tagged else None
    with progress_bar("translating", len(sources)) as advance:
        results = translator.translate(sources, beam_size=beam, target_language=asked, progress=advance)
    language = known[0] if len(known) == 1 else None
    return _Translated([result.text for result in results], language, translator.config.score_tokenize)
