"""Text in, text out: splitting, tokenizing, batching, searching, and putting everything back in order."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyhead.bundle.bundle import Bundle
from polyhead.bundle.load import load_bundle
from polyhead.decoding.config import SearchConfig
from polyhead.decoding.ensemble import Ensemble
from polyhead.decoding.hypothesis import Hypothesis
from polyhead.decoding.length_penalty import length_penalty
from polyhead.decoding.rules import Rule
from polyhead.decoding.trace import Observer
from polyhead.engine.choice import DtypeName, EngineName, choose
from polyhead.engine.prepare import prepare
from polyhead.extras import needing_extra
from polyhead.inline.codes import Marked
from polyhead.kernels.code import preload
from polyhead.shortlist.by_language import AnyShortlist
from polyhead.shortlist.file import load_shortlist
from polyhead.shortlist.masked import Masked
from polyhead.shortlist.search import ShortlistSearch
from polyhead.translating.arguments import (
    check_choice,
    check_count,
    check_marked,
    check_text,
    check_texts,
    search_within,
)
from polyhead.translating.companions import check_together
from polyhead.translating.piece_alignment import attending, with_alignments
from polyhead.translating.pieces import Split, cut_into_pieces, cut_with_codes
from polyhead.translating.protected import Protection
from polyhead.translating.search import PieceSearch
from polyhead.translating.source import Limits, encode_source, rules_of
from polyhead.translating.translation import Piece, Translation, join_all, with_taken

if TYPE_CHECKING:
    from polyhead.inspection.trace import Edits, Trace

__all__ = ["Translation", "Translator"]

BATCH_TOKENS = 4096
"""Padded source tokens × hypotheses decoded together."""


class Translator:
    """A loaded model, or several as an ensemble, that translates and scores text."""

    def __init__(
        self,
        bundle: Bundle,
        others: Sequence[Bundle] = (),
        *,
        engine: EngineName = "plain",
        dtype: DtypeName = "auto",
        shortlist: AnyShortlist | None = None,
        packed: Path | None = None,
    ) -> None:
        """engine, dtype, packed: as in `load`; "plain" searches with the models as they are, now and after changes.

        shortlist: what a translation may be made of; it is for the vocabularies of these models

        Of an ensemble, the fewest tokens that any model reads and writes are the limits of all. Raises ModelError for
        models of different vocabularies or languages, for a shortlist of other vocabularies, and for a damaged file of
        weights.
        """
        check_choice(engine, EngineName, "engine")
        check_choice(dtype, DtypeName, "dtype")
        check_together([bundle, *others], shortlist)
        self.bundle = bundle
        self.bundles = (bundle, *others)
        self.config = bundle.config
        self.limits = Limits.of(self.bundles)
        self.choices = tuple(choose(each.trained, engine, dtype) for each in self.bundles)
        prepared: list[Any] = [
            prepare(each.trained if choice.engine == "prepared" else each.model, choice, packed, each.weights)
            for each, choice in zip(self.bundles, self.choices, strict=True)
        ]
        for each in self.bundles:
            each.verify()
        self._first = prepared[0]
        masked = prepared if shortlist is None else [Masked(each, shortlist) for each in prepared]
        self.engine: Any = Ensemble(masked) if others else masked[0]
        self.shortlist = shortlist
        self._shortlisted = None if shortlist is None else ShortlistSearch(prepared, shortlist)

    @classmethod
    def load(
        cls,
        model: Path | str,
        *others: Path | str,
        engine: EngineName = "auto",
        dtype: DtypeName = "auto",
        shortlist: bool = False,
        packed: Path | None = None,
    ) -> "Translator":
        """Reads a model directory; more than one make an ensemble. Raises ModelError.

        engine: "plain", the model as it was trained, or "prepared", the same for a CPU with its weights packed
        dtype: that of the prepared engine's products; "float32" gives the plain engine's translations
        shortlist: write only what the model directory's shortlist (the first one's) has for a sentence: somewhat faster
        packed: a folder of this user's alone; processes that name the same one have packed weights in memory once

        "auto" is what is fastest here with the translations of "float32"; `choices` says what was chosen. A shortlist
        may change answers: what is missing there can't be written, and log-probabilities are over it.
        """
        if engine != "plain":
            preload()
        bundle, others_ = load_bundle(model), [load_bundle(other) for other in others]
        found = load_shortlist(Path(model), bundle.source_tokenizer, bundle.target_tokenizer) if shortlist else None
        return cls(bundle, others_, engine=engine, dtype=dtype, shortlist=found, packed=packed)

    def translate(
        self,
        texts: Sequence[str | Marked],
        *,
        search: SearchConfig | None = None,
        beam_size: int | None = None,
        n_best: int | None = None,
        target_language: str | None = None,
        prefixes: Sequence[str] | None = None,
        align: bool = False,
        split: Split = "auto",
        batch_tokens: int = BATCH_TOKENS,
        progress: Callable[[int], None] | None = None,
        observer: Observer | None = None,
        check: Callable[[], None] | None = None,
    ) -> list[Translation]:
        """One translation for each text, in order.

        A text is translated sentence by sentence: what stands between them, line breaks and all other white space,
        stays as it is, and so does a sentence without letters. `split="line"` gives the model whole lines to read,
        which "auto" does for a model that was trained on lines of several sentences. A sentence above the model's
        length limit is cut. A text may have inline codes (`Marked`): each comes back once, in its translation's
        `codes`, and what `problems` says is to be looked at. Addresses come back as they are, numbers digit by digit.
        `search` is the model's own setting unless given; `beam_size` and `n_best` change it. A text whose translation
        has a prefix is not cut into sentences. `progress` is told how many more texts are done;
        `observer` is shown every step of every beam search, one search after the other; `check` is called at every step
        from whatever thread searches. What either raises ends the translating.
        Raises ModelError for a target language that the model doesn't know, PolyheadError for prefixes that don't fit.
        """
        marked, prefixes = check_marked(texts), None if prefixes is None else check_texts(prefixes, "prefixes")
        check_count(batch_tokens, "batch_tokens")
        check_choice(split, Split, "split")
        config = self.search_settings(search, beam_size, n_best)
        given, marked, taken = cut_with_codes(self.bundle, marked, target_language, prefixes, self.limits, split)
        searching = PieceSearch(self.engine, self._shortlisted, self.rules, config, batch_tokens, observer, check)
        hearing = iter([progress])  # of the first search: what is searched again has been counted

        def run(pieces: Sequence[Piece]) -> list[list[Hypothesis]]:
            return searching.run(pieces, len(marked), next(hearing, None))

        looking = attending(self.bundle, self._first)
        has_attention = self.config.model.kind != "rnn"
        protection = Protection(self.bundle, run, looking if has_attention else None)
        pieces, found, translated = protection.run(given)
        if align:
            translated = with_alignments(self.bundle, looking, (given, pieces), found, translated)
        joined = join_all(marked, pieces, translated)
        whole = [with_taken(each, taken[i]) if i in taken else each for i, each in enumerate(joined)]
        return [replace(each, alignment=each.alignment or ()) for each in whole] if align else whole

    def pieces(self, texts: Sequence[str], target_language: str | None = None) -> list[Piece]:
        """The parts of the texts that are translated one by one, in order. Raises what `translate` does."""
        return list(cut_into_pieces(self.bundle, check_marked(texts), target_language, None, self.limits))

    def score(
        self, sources: Sequence[str], targets: Sequence[str], *, target_language: str | None = None
    ) -> list[Translation]:
        """The log-probability of given translations, in nats, and the score that the model's search would give them.

        Raises PolyheadError where the counts differ or a text is above the model's length limit, ModelError where the
        file of the weights has been overwritten.
        """
        with needing_extra("scoring"):
            from polyhead.translating.scoring import score_pairs

        sources, targets = check_texts(sources, "score()"), check_texts(targets, "score()")
        for bundle in self.bundles:
            bundle.check()
        return score_pairs(
            [each.model for each in self.bundles],
            self.bundle.target_tokenizer,
            [self.encode_source(text, target_language) for text in sources],
            targets,
            self.max_length,
            length_penalty(self.config.decoding.length_penalty),
        )

    def attention(
        self,
        text: str,
        *,
        target: str | None = None,
        target_language: str | None = None,
        beam_size: int | None = None,
        companion: str | None = None,
        edits: "Edits | None" = None,
    ) -> "Trace":
        """Translates one sentence and gives all that happened inside, to be drawn, saved, or shown by a notebook.

        See `polyhead.inspection.trace.trace`. Of an ensemble, the first model is looked at.
        """
        with needing_extra("looking inside"):
            from polyhead.inspection.trace import trace

        text, asked = check_text(text, "the text to look into"), {"target": target, "target_language": target_language}
        return trace(self, text, **asked, beam_size=beam_size, companion=companion, edits=edits)

    @property
    def longest_source(self) -> int:
        """The most tokens of one piece of source, tag and `<eos>` included: positions beyond were never trained."""
        return self.limits.source

    @property
    def max_length(self) -> int:
        """The most tokens of a translation, `<eos>` included."""
        return self.limits.target

    def search_settings(
        self, search: SearchConfig | None = None, beam_size: int | None = None, n_best: int | None = None
    ) -> SearchConfig:
        """The model's own settings unless others are given, with a length limit that fits the model.

        Raises PolyheadError for a beam that can't be had.
        """
        return search_within(self.max_length - 1, search or self.config.decoding, beam_size, n_best)

    def encode_source(self, text: str, target_language: str | None = None) -> list[int]:
        """The ids the model reads: the language tag, where it has tags, and the tokens; without `<eos>`."""
        return encode_source(self.bundle, text, target_language)

    @property
    def rules(self) -> list[Rule]:
        """The rules that every search keeps to on top of its settings: no language tag is ever written."""
        return rules_of(self.bundle.target_tokenizer)
