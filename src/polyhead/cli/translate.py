"""`polyhead translate`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from polyhead.cli.numbers import (
    BatchTokens,
    Beam,
    Length,
    LengthPenalty,
    Ngram,
    Patience,
    Pieces,
    PositiveLength,
    Seed,
    Share,
    Temperature,
    Texts,
    Threads,
)
from polyhead.cli.paths import NamedPath
from polyhead.cli.usage import UsageError
from polyhead.inline.find import Kind

if TYPE_CHECKING:
    from polyhead.translating.pieces import Split
    from polyhead.translating.translator import Translation


def translate(
    model: NamedPath,
    /,
    *files: NamedPath,
    to: str | None = None,
    beam: Beam | None = None,
    n_best: Beam = 1,
    sample: bool = False,
    temperature: Temperature = 1.0,
    top_k: Pieces = 0,
    top_p: Share = 1.0,
    seed: Seed = 1,
    min_length: Length | None = None,
    max_length: PositiveLength | None = None,
    length_penalty: LengthPenalty | None = None,
    patience: Patience | None = None,
    no_repeat_ngram: Ngram | None = None,
    prefix: NamedPath | None = None,
    out: NamedPath | None = None,
    protect: tuple[Kind, ...] = (),
    keep: tuple[str, ...] = (),
    ensemble: tuple[NamedPath, ...] = (),
    align: bool = False,
    no_split: bool = False,
    batch_tokens: BatchTokens = 4096,
    threads: Threads | None = None,
    engine: Literal["auto", "plain", "prepared"] = "auto",
    dtype: Literal["auto", "float32", "int8"] = "auto",
    shortlist: bool = False,
    json_lines: Annotated[bool, Parameter(name="--json")] = False,
    workers: Threads | None = None,
    shard_lines: Texts = 1000,
    column: str | None = None,
    into: str = "translation",
    ray: bool = False,
) -> None:
    """Translate lines of text, as many lines out as in, or a file with its form kept, or many files.

    Parameters
    ----------
    model
        A model directory.
    files
        Text to translate: lines of any number of sentences, which are translated one by one. Standard input if left
        out. With --out, several files, directories and patterns with wildcards, in quotes, as well.
    to
        The target language, for a model that writes several.
    beam
        Beam size; 1 is greedy search. The model's own setting if left out.
    n_best
        How many translations a line; more than one are written as `line number ||| translation ||| score`. The
        score is the log-probability, in nats, divided by the length penalty.
    sample
        Draw translations from the model's distribution instead of searching the best.
    temperature
        Below 1 sharpens the distribution to sample from, above 1 flattens it.
    top_k
        Sample among the k likeliest tokens only; 0 for all.
    top_p
        Sample among the likeliest tokens that together have this probability.
    seed
        Decides the samples.
    min_length
        The fewest tokens of an output.
    max_length
        The most tokens of an output.
    length_penalty
        α of Wu et al. 2016: the higher, the longer are translations; or average, which compares the mean
        log-probabilities of their tokens.
    patience
        Ends a line's beam search when beam × patience translations are finished: 1 is quick, and what most toolkits do.
        Left out, the search goes on until nothing better can come.
    no_repeat_ngram
        No n-gram of this n twice in an output.
    prefix
        A file of target prefixes, line by line, that the translations must begin with.
    out
        Translate the file with its form kept and write it here: HTML, Markdown, PO, XLIFF, TMX, SRT, WebVTT, JSON and
        YAML string tables, DOCX, ODT, plain text. Tags and placeholders come back once each, in their places. Or the
        directory for the translations of several files, which are shared out to worker processes; give the same command
        again to finish what was interrupted.
    protect
        What stays as it is in lines of text: printf (%s), braces ({name}), tags (<b>), entities (&amp;) or escapes,
        which are written with a backslash. Give it once for each. Files that --out writes have their own.
    keep
        A regular expression of more text that stays as it is.
    ensemble
        More model directories, whose probabilities are averaged with the first one's. Give it once for each.
    align
        Write word alignments after a tab, or behind the scores of several translations, as source-target pairs such as
        0-0 1-2.
    no_split
        Give the model whole lines to read, not their sentences one by one.
    batch_tokens
        Padded source tokens × hypotheses translated together.
    threads
        CPU threads.
    engine
        The model as it was trained (plain) or packed for this CPU (prepared); auto takes the faster one and says so.
    dtype
        The type that the prepared engine multiplies in; float32 gives the plain engine's translations, and auto takes
        int8 where that gives the same ones.
    shortlist
        Choose among the pieces that the model directory's shortlist has for a sentence, not among all: somewhat faster,
        but it may change answers, and scores are over those pieces. `polyhead shortlist` makes one.
    json_lines
        One JSON object a line: text, score, tokens, log-probabilities, alternatives, alignment.
    workers
        Processes that share out what goes into a directory; as many as there are cores and memory for if left out.
    shard_lines
        Lines that a worker translates in one go: what is lost at most when it is killed.
    column
        The column of Parquet tables to translate, into a directory.
    into
        The column that the translations of tables are written to.
    ray
        Let Ray Data share the work out to the machines of its cluster, which all reach the files under the same paths.

    """
    from polyhead.bundle.config import languages_of, read_config
    from polyhead.cli.bulk import Sharing, is_bulk, only_file, translate_bulk
    from polyhead.cli.documents import read_document, refuse_documents, say_problems, translate_document
    from polyhead.cli.fewer import say_fewer
    from polyhead.cli.searching import Asked
    from polyhead.cli.streams import progress_bar, read_lines, write_lines
    from polyhead.cli.written import written
    from polyhead.cores import use_cores
    from polyhead.inline.codes import Marked
    from polyhead.inline.find import find, pattern
    from polyhead.translating.translator import Translator

    shape = {"length_penalty": length_penalty, "no_repeat_ngram": no_repeat_ngram}
    drawn = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    asked = Asked((min_length, max_length), shape, patience, sample, drawn, seed)
    asked.check(has_beam=n_best > 1 or beam is not None)
    if out is not None and (prefix, align, json_lines, n_best) != (None, False, False, 1):
        raise UsageError("--out writes a file in its own form; leave out --prefix, --align, --json and --n-best")
    own = [pattern(each) for each in keep]
    split: Split = "line" if no_split else "auto"
    sharing = Sharing(workers, shard_lines, column, into, ray)
    if out is not None and is_bulk(files, out, sharing):
        from dataclasses import replace

        from polyhead.bulk.batch_translator import BatchTranslator

        settings = asked.settings(read_config(model).decoding)
        sent = BatchTranslator(model, ensemble, to, settings, beam, split, batch_tokens, engine, dtype)
        kept = replace(sent, shortlist=shortlist, protect=protect, keep=keep, threads=threads)
        translate_bulk(files, out, kept, sharing)
        return
    file = only_file(files, sharing)
    if threads is not None:
        use_cores(threads)
    document = read_document(file, out) if out is not None else None
    if document is None:
        refuse_documents(file)
    lines = read_lines(file) if document is None else []
    prefixes = read_lines(prefix) if prefix is not None else None
    translator = Translator.load(model, *ensemble, engine=engine, dtype=dtype, shortlist=shortlist)
    chosen = sorted({str(choice) for choice in translator.choices})
    print(", ".join([*chosen, "shortlist"] if shortlist else chosen), file=sys.stderr)
    search = asked.settings(translator.config.decoding)

    def run(texts: Sequence[Marked]) -> list[Translation]:
        with progress_bar("translating", len(texts)) as advance:
            return translator.translate(
                texts,
                search=search,
                beam_size=beam,
                n_best=n_best,
                target_language=to,
                prefixes=prefixes,
                align=align,
                split=split,
                batch_tokens=batch_tokens,
                progress=advance,
            )

    if document is not None and file is not None and out is not None:
        translate_document(document, (file, out), languages_of(translator.config, to), run, own)
    else:
        results = run([find(line, protect, own) for line in lines])
        write_lines(written(results, as_json=json_lines, ranked=n_best > 1, aligned=align))
        say_problems(results)
        say_fewer(results, n_best)
