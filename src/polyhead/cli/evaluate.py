"""`polyhead evaluate`."""

import json
from typing import Annotated

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
        The right translations; several files are several references for each line.
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
    from polyhead.cli.streams import progress_bar, read_lines
    from polyhead.corpora.file_names import language_of
    from polyhead.evaluation.metrics import evaluate as measure
    from polyhead.evaluation.significance import paired_bootstrap

    if (model is None) == (hypothesis is None):
        raise UsageError("give either a model directory (with --source) or an output (--hypothesis)")
    references = [read_lines(path) for path in reference]
    sources = read_lines(source) if source is not None else None
    language = to
    if model is not None:
        from polyhead.translating.translator import Translator

        if sources is None:
            raise UsageError("a model needs something to translate: give --source")
        translator = Translator.load(model)
        known = translator.config.target_languages
        tokenize = tokenize or translator.config.score_tokenize
        language = to or (known[0] if len(known) == 1 else None)
        asked = to if translator.config.tagged else None
        with progress_bar("translating", len(sources)) as advance:
            results = translator.translate(sources, beam_size=beam, target_language=asked, progress=advance)
        outputs = [result.text for result in results]
    else:
        outputs = read_lines(hypothesis)
    if by_length and sources is None:
        raise UsageError("quality by length needs the source text: give --source")
    language = language or language_of(reference[0])
    scores = measure(outputs, references, language, tokenize=tokenize, sources=sources if by_length else None)
    comparison = None
    if baseline is not None:
        systems = {"baseline": read_lines(baseline), "this": outputs}
        comparison = paired_bootstrap(systems, references, language, tokenize=tokenize)
    if json_output:
        result = {**scores.to_dict(), **({"comparison": comparison.to_dict()} if comparison else {})}
        print(json.dumps(result, ensure_ascii=False))
    else:
        print(scores)
        if comparison is not None:
            print(f"\n{comparison}")
