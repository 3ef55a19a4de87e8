"""Sequence-level knowledge distillation (Kim & Rush 2016): a student learns a teacher's translations of its corpus.

What a teacher writes is more regular than what people wrote, so that a smaller, faster model can learn it.
"""

import hashlib
import time
from collections.abc import Sequence
from pathlib import Path

import torch
from pydantic import Field

from polyhead.bundle.config import read_config
from polyhead.config import Config
from polyhead.data.readers import Pair
from polyhead.errors import RecipeError, counted, shown
from polyhead.limits import WIDEST_BEAM
from polyhead.reading import open_regular
from polyhead.recipe.directions import both_ways
from polyhead.recipe.distilled import Distilled, DistilledCorpus, Identity
from polyhead.recipe.feasible import check_feasible
from polyhead.recipe.languages import with_languages
from polyhead.recipe.load import Values, make_recipe, merge
from polyhead.recipe.plan import choose_device
from polyhead.recipe.prepare import Pairs
from polyhead.recipe.record import check_started, read_record, started
from polyhead.recipe.schema import Recipe
from polyhead.recipe.selection import SelectionKind, build_selection
from polyhead.recipe.signals import stop_on_signals
from polyhead.recipe.stored import read_corpus
from polyhead.recipe.train import Outcome, check_directory, directory_of, train_in
from polyhead.run_lock import Held, exclusive
from polyhead.training.interrupt import Interrupt
from polyhead.training.log import PlainDisplay, duration
from polyhead.translating.translator import Translator

SHARD = 500
"""Pairs that are translated together. At most so many translations are lost when the power fails."""
_PART = 1 << 20
"""Bytes of a file that are read at a time."""
TELL_EVERY = 10.0
"""Seconds between two lines of progress."""


class DistillationConfig(Config):
    """How a teacher's translations are made and chosen."""

    beam_size: int = Field(default=5, ge=1, le=WIDEST_BEAM)
    """K, the teacher's beam (Kim & Rush: 5)."""
    select: SelectionKind = "best"
    """The teacher's best translation, or of its K best the nearest to the reference by the sentence's BLEU or chrF."""
    keep_original: bool = False
    """Whether the student learns the original pairs too."""


def distill(
    teachers: Sequence[Path], values: Values, config: DistillationConfig | None = None, *, resume: bool = False
) -> Outcome:
    """Translates a recipe's training text with the teachers (several: an ensemble), then trains the recipe on that.

    The recipe's dev and test sets stay as they are. Translations stay in `distilled/` of the model directory.
    Raises PolyheadError; what was written stays, and `resume` goes on from it, wherever it was interrupted.
    """
    with exclusive(directory_of(values)) as held:
        return _distill_in(held, teachers, values, config or DistillationConfig(), resume)


def _distill_in(
    held: Held, teachers: Sequence[Path], values: Values, config: DistillationConfig, resume: bool
) -> Outcome:
    draft = make_recipe(values)
    corpus = DistilledCorpus(draft.out / "distilled")
    _check(draft.out, corpus, resume)
    if draft.threads is not None:
        torch.set_num_threads(draft.threads)
    check_feasible(draft, choose_device())
    begun = read_record(draft.out) if started(draft.out) else None
    values = with_languages(values, begun, PlainDisplay().message)
    draft = make_recipe(values)
    if not corpus.begun:
        _check_languages(teachers[0], draft)
    pairs = read_corpus(draft, PlainDisplay().message)
    identity = _identity(teachers, config, pairs)
    corpus.check(identity)
    if not corpus.finished:
        teacher = Translator.load(*teachers, dtype="float32")  # what is learnt shall not depend on the machine
        held.check()
        if damaged := corpus.begin(identity, [str(directory) for directory in teachers]):
            PlainDisplay().message(f"{corpus.directory}: {counted(damaged, 'damaged shard')} translated again")
        if not _translate(teacher, corpus, held, pairs.train, config, draft.data.score_tokenize):
            return Outcome(draft.out, False, {})
        sets = {"train": pairs.train, "original": pairs.train, "dev": pairs.dev}
        wanted = {"train": True, "original": config.keep_original, "dev": pairs.held_out}
        corpus.finish({name: some for name, some in sets.items() if wanted[name]}, pairs.weights)
    corpus.remove_shards()
    return train_in(held, _with_readers(values, corpus), resume=started(draft.out))


def _check(out: Path, corpus: DistilledCorpus, resume: bool) -> None:
    if resume and not corpus.begun:
        raise RecipeError(
            f"{out}: there is no distillation to resume, as distilled/record.json is missing; leave out --resume to "
            "start one"
        )
    if corpus.begun and not resume:
        raise RecipeError(f"{out} already holds a distillation: go on with --resume, or choose another --out")
    if not corpus.begun:
        check_directory(out, resume=False)
    elif started(out):
        check_started(out)


def _check_languages(teacher: Path, recipe: Recipe) -> None:
    """Raises RecipeError for a language that the teacher doesn't write, and where none of its several is named."""
    config = read_config(teacher)
    data, known = both_ways(recipe.data), config.target_languages
    for language in [reader.target_language or data.target_language for reader in data.train]:
        if known and language not in known and (config.tagged or language is not None):
            asked = f"does not translate to {shown(language)}" if language else "writes several languages"
            raise RecipeError(f"{teacher} {asked}; name one of {', '.join(known)} with --to")


def _identity(teachers: Sequence[Path], config: DistillationConfig, pairs: Pairs) -> Identity:
    data = {"pairs": len(pairs.train), "sha256": pairs.facts.sha256}
    if pairs.weights is not None:
        data["weights"] = hashlib.sha256(pairs.weights.tobytes()).hexdigest()
    return {
        "teacher": [_sha256(teacher) for teacher in teachers],
        "data": data,
        "settings": config.model_dump(mode="json"),
    }


def _sha256(model: Path) -> str:
    """The SHA-256 of all files that decide a model's translations."""
    digest = hashlib.sha256()
    for path in (model / "config.json", model / "model.safetensors", *sorted(model.glob("*.spm"))):
        try:
            with open_regular(path) as file:
                while part := file.read(_PART):
                    digest.update(part)
        except FileNotFoundError as error:
            raise RecipeError(f"{model} is no model directory: it has no {path.name}") from error
        except OSError as error:
            raise RecipeError(f"{path} cannot be read: {error.strerror}") from error
    return digest.hexdigest()


def _translate(
    teacher: Translator,
    corpus: DistilledCorpus,
    held: Held,
    pairs: Sequence[Pair],
    config: DistillationConfig,
    tokenize: str | None,
) -> bool:
    """Translates every missing shard → False where a signal asked to stop, after the shard under way was finished."""
    say, interrupt = PlainDisplay().message, Interrupt()
    say(f"translating {counted(len(pairs), 'source')}, beam {config.beam_size}, {teacher.choices[0]}")
    missing = [start for start in range(0, len(pairs), SHARD) if not corpus.has(start // SHARD)]
    began = told = time.monotonic()
    with stop_on_signals(interrupt):
        for done, start in enumerate(missing, start=1):
            some = pairs[start : start + SHARD]
            shard = _distil(teacher, some, config, tokenize)
            held.check()
            corpus.keep(start // SHARD, shard)
            if interrupt.requested:
                translated = counted(start + len(some), "pair")
                say(f"stopped after {translated}; the same command with --resume goes on from there")
                return False
            if time.monotonic() - told > TELL_EVERY:
                told = time.monotonic()
                left = (told - began) / done * (len(missing) - done)
                say(f"translated {start + len(some):,} of {counted(len(pairs), 'pair')} · {duration(left)} left")
    return True


def _distil(
    teacher: Translator, pairs: Sequence[Pair], config: DistillationConfig, tokenize: str | None
) -> list[Distilled]:
    """The translations that replace the pairs' targets, in order."""
    found: list[Distilled | None] = [None] * len(pairs)
    for language in sorted({pair.target_language or "" for pair in pairs}):
        select = build_selection(config.select, language or None, tokenize)
        numbers = [i for i, pair in enumerate(pairs) if (pair.target_language or "") == language]
        translations = teacher.translate(
            [pairs[i].source for i in numbers],
            beam_size=config.beam_size,
            n_best=1 if config.select == "best" else config.beam_size,
            target_language=language or None,
        )
        for i, translation in zip(numbers, translations, strict=True):
            rank = select(translation, pairs[i].target)
            chosen = (translation.alternatives or (translation,))[rank]
            found[i] = Distilled(chosen.text, rank, chosen.log_probability)
    return [each for each in found if each is not None]


def _with_readers(values: Values, corpus: DistilledCorpus) -> Values:
    """The recipe with the distilled corpus to learn from, and the dev set that was held out, if one was.

    The distilled corpus has its directions written out, so the dev and test sets get theirs, too.
    """
    given = make_recipe(values).data
    data: Values = {}
    if given.both_directions:
        spelled = both_ways(given).model_dump(mode="json", include={"dev", "test"})
        data = {**spelled, "both_directions": False}
        values = {**values, "data": {key: value for key, value in values["data"].items() if key != "source_language"}}
    readers = corpus.readers()
    data["train"] = [*readers["train"], *readers.get("original", [])]
    if "dev" in readers:
        data["dev"] = readers["dev"]
    return merge(values, {"data": data})
