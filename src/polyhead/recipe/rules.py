"""Which settings suit a corpus and a machine: the rules for what a recipe leaves open.

Each rule sees what the rules before it have decided. Where its numbers come from is in docs/en/defaults-measured.md;
`make bench-defaults` measures them.
"""

from collections.abc import Callable, Sequence
from typing import Any

from polyhead.data.statistics import LARGE as MANY
from polyhead.errors import counted
from polyhead.model.config import CONFIGS, PRESETS
from polyhead.recipe.load import given
from polyhead.recipe.run_length import USUAL_LENGTH, is_short, needed_updates, readings, share_of_needed
from polyhead.recipe.situation import Situation
from polyhead.tokenizers.config import default_vocabulary_size

SCARCE, SCARCE_IN_LONG_PAIRS = 135_000, 250_000
"""Tokens of a text below which few layers learn more than many, as a layer learns from the gradient that comes back
through all layers after it, and below which batches are small; the second where pairs are longer than USUAL_LENGTH and
different words are not few."""
LARGE, HUGE = 100_000, 1_000_000
"""Sentence pairs from which the small model is taken in any case, and the base model on a GPU."""
WIDE, OFTEN, LONG = 256, 80, 2_000
"""d_model below which a model has so little room that it learns a text by heart only if it reads it so many times. A
wider model that reads the smallest texts so often learns them by heart most of all, in so many updates."""
MUON_PEAKS = {128: 4e-3, 256: 2e-3, 512: 1e-3, 1024: 5e-4}
ADAM_PEAKS = {128: 5e-3, 256: 2e-3, 512: 7e-4, 1024: 3e-4}
"""d_model → the highest learning rate, for either optimizer; wider models take smaller steps. Muon's is for the largest
batches and falls with the square root of their size: the steps of small ones are mostly noise."""
FEW, SPARSE = 600_000, 1_500_000
"""Between so many tokens words are too rare to be learnt well from one way of cutting them up. With fewer, a model
learns less from all the ways than from a single one."""
WEIGHT_DECAY = 0.2
"""λ of the weight decay that goes with Muon. Without it weights grow, so that steps of one length change them less and
less, and what is read often is learnt by heart."""
LEAST_DROPOUT = 0.1
VERY_SHORT, MOST_IN_VERY_SHORT, MOST_IN_SHORT = 0.3, 0.1, 0.2
"""The most dropout in a run of less than this share of the updates that its text is worth, and in any short run: what
is read only a few times is not learnt by heart. A short run has 0.1 less than a whole one in any case, where that
leaves LEAST_DROPOUT."""
MORE_SMOOTHING = 0.2
"""Label smoothing for texts below FEW tokens that are read to the end; the paper's 0.1 elsewhere."""
SMALL_BATCH, MEDIUM_BATCH, REGULAR_BATCH, LARGEST_BATCH = 2048, 4096, 8192, 16_384
"""Tokens of a batch: for texts that are scarce; below FEW; below FEW and with few words; and larger ones."""
WINDOW = 262_144
"""Pairs of a window: a few hundred batches of the largest size."""
TOKENS_A_SHARE, FEWEST_TOKENS = 4096, 2048
"""Tokens, source and target together, of a share of a batch, below which matrix products are too small; and the fewest
where there are only two shares. A smaller batch is computed fastest by one core alone."""
VALIDATIONS, FEWEST_VALIDATIONS = 40, 10
"""Of a whole run, and of a short one, in which they would take up to a third of the time."""
MIN_DELTA = 0.005

Suggestion = tuple[str, Any, str]
"""A key, a value for it, and why."""


Rule = Callable[[Situation], Sequence[Suggestion]]


def model_size(now: Situation) -> Sequence[Suggestion]:
    """The preset: large models suit large corpora and learn small ones by heart; the smallest need few layers."""
    if now.kind != "transformer" or now.has("model.preset") or now.has("model.d_model"):
        return []
    pairs, on_cpu = now.corpus.pairs, now.device == "cpu"
    if _is_scarce(now) and not now.is_regular:
        return [("model.preset", "shallow", f"{now.described}: few layers learn more from so little")]
    is_wide = now.has_many_words and not on_cpu  # a CPU takes up to three times as long for it
    size = "base" if pairs >= HUGE and not on_cpu else "small" if pairs >= LARGE or is_wide else "tiny"
    return [("model.preset", size, f"{now.described}, on {now.device}")]


def vocabulary(now: Situation) -> Sequence[Suggestion]:
    """The vocabulary's size: every piece must be seen often enough, and a text of few words needs few pieces."""
    kind, shared = now.get("tokenizer.kind", "bpe"), now.get("tokenizer.shared", True) is not False
    corpus = now.corpus
    size = default_vocabulary_size(corpus.tokens, corpus.word_types, corpus.characters, kind, shared)
    suggestions: list[Suggestion] = [("tokenizer.vocabulary_size", size, now.described)]
    if now.kind == "transformer" and not shared:
        suggestions.append(("model.tie_embeddings", "output", "two vocabularies"))
    return suggestions


def batch(now: Situation) -> Sequence[Suggestion]:
    """The batch size: large batches use the machine better and need a longer run; small corpora have few of them."""
    tokens = now.corpus.tokens
    medium = REGULAR_BATCH if now.is_regular else MEDIUM_BATCH
    size = SMALL_BATCH if _is_scarce(now) else medium if tokens < FEW else LARGEST_BATCH
    return [("data.batching.max_tokens", size, now.described)]


def window(now: Situation) -> Sequence[Suggestion]:
    """A large corpus is shuffled in windows, as each pair takes memory; a run begun without them goes on without."""
    key = "data.batching.window"
    if now.corpus.read <= MANY or (now.begun is not None and not given(now.begun, key.split("."))):
        return []
    return [(key, WINDOW, f"{counted(now.corpus.read, 'pair')}: so many are shuffled together")]


def workers(now: Situation) -> Sequence[Suggestion]:
    """A core for every share of a batch that is large enough to keep one busy, and one for a smaller batch."""
    tokens = int(now.number("data.batching.max_tokens", 8192)) // now.processes
    threads = int(now.number("threads", now.threads))
    shares = min(threads, max(tokens // TOKENS_A_SHARE, min(2, tokens // FEWEST_TOKENS)))
    divided = now.get("training.sharded", False) is not False  # then each process has one share, on all its cores
    if now.kind != "transformer" or now.device != "cpu" or threads < 2 or divided or now.has("training.workers"):
        return []
    if shares < 2:
        return [("threads", 1, f"batches of {tokens:,} tokens are too small to be shared among cores")]
    return [("training.workers", shares, f"{threads} CPU threads")]


def optimizer(now: Situation) -> Sequence[Suggestion]:
    """Muon needs about half as many updates as Adam, and no clipping: its steps are of one length."""
    if now.kind != "transformer" or now.has("training.optimizer.kind"):
        return []
    suggestions: list[Suggestion] = [
        ("training.optimizer.kind", "muon", "it needs fewer updates than Adam"),
        ("training.optimizer.clip_norm", 0.0, "Muon's steps are of one length"),
    ]
    if now.corpus.tokens <= FEW or not now.is_regular:
        why = f"{now.described}: small weights learn less by heart"
        suggestions.append(("training.optimizer.weight_decay", WEIGHT_DECAY, why))
    return suggestions


def length(now: Situation) -> Sequence[Suggestion]:
    """The number of updates: small texts are read more often than large ones, but each reading of them costs less."""
    return [("training.max_updates", needed_updates(now), "the most that so much text should need")]


def dropout(now: Situation) -> Sequence[Suggestion]:
    """Dropout: the less text there is, the more often it is read, so a long run easily learns it by heart."""
    rate = whole = _dropout_of_whole_run(now)
    if is_short(now):
        most = MOST_IN_VERY_SHORT if share_of_needed(now) < VERY_SHORT else MOST_IN_SHORT
        rate = max(LEAST_DROPOUT, round(min(most, whole - 0.1), 1))
    why = now.described if rate == whole else f"{now.described}; in so few updates little of it is learnt by heart"
    suggestions: list[Suggestion] = [("model.dropout", rate, why)]
    can_cut = now.kind == "transformer" and now.get("tokenizer.kind", "bpe") == "bpe"
    if can_cut and not is_short(now) and not now.is_regular and FEW < now.corpus.tokens < SPARSE:
        suggestions.append(("tokenizer.dropout", 0.1, "words are cut up differently every time, as there are few"))
    return suggestions


def _dropout_of_whole_run(now: Situation) -> float:
    """The dropout of a run that has as many updates as its text is worth."""
    tokens, is_wide, is_read_often = now.corpus.tokens, _d_model(now) >= WIDE, readings(now) >= OFTEN
    if now.is_regular or tokens > SPARSE:
        return LEAST_DROPOUT
    if tokens > FEW or not (is_wide or is_read_often):
        return 0.2
    is_memorized = now.kind == "transformer" and is_wide and is_read_often and needed_updates(now) >= LONG
    return 0.4 if tokens < SCARCE and is_memorized else 0.3


def label_smoothing(now: Situation) -> Sequence[Suggestion]:
    """Label smoothing: a model that has seen a word in a few sentences alone is soon too certain of it."""
    if now.kind != "transformer" or now.is_regular or is_short(now) or now.corpus.tokens > FEW:
        return []
    return [("training.label_smoothing", MORE_SMOOTHING, f"{now.described}: from so few a model is soon too certain")]


def validation(now: Situation) -> Sequence[Suggestion]:
    """How often to validate: it shows whether a run still learns, which one that is cut short does in any case."""
    validations = max(FEWEST_VALIDATIONS, round(VALIDATIONS * share_of_needed(now)))
    every = max(10, min(2000, now.updates // validations))
    suggestions: list[Suggestion] = [
        ("training.validate_every", every, f"about {counted(max(1, now.updates // every), 'validation')}")
    ]
    if now.get("training.schedule.kind", "wsd") == "wsd" and not now.has("training.patience"):
        why = "the gain in a quarter of the run that counts as learning"
        suggestions.append(("training.min_delta", MIN_DELTA, why))
    return suggestions


def schedule(now: Situation) -> Sequence[Suggestion]:
    """The schedule of the learning rate; the paper's is left as it is, as it has its own peak and meaning of keys."""
    if now.get("training.schedule.kind", "wsd") == "paper":
        return []
    muon = now.get("training.optimizer.kind", "adam") == "muon"
    peaks, width = MUON_PEAKS if muon else ADAM_PEAKS, _d_model(now)
    peak = peaks[min(peaks, key=lambda each: abs(each - width))]
    if muon:
        peak = float(f"{peak * min(1.0, now.batch / LARGEST_BATCH) ** 0.5:.2g}")
    return [
        ("training.schedule.kind", "wsd", "the end of the run need not be known beforehand"),
        ("training.schedule.learning_rate", peak, f"d_model {width}, batches of {now.batch:,} tokens"),
        ("training.schedule.warmup", max(20, min(4000, now.updates // 20)), "a twentieth of the run"),
    ]


def averaging(now: Situation) -> Sequence[Suggestion]:
    """How many snapshots are averaged: a learning rate that falls to 0 leaves little noise to be averaged away."""
    decays = now.get("training.schedule.kind", "paper") == "wsd"
    return [("training.averaging.count", 3 if decays else 5, "validations")]


def decoding(now: Situation) -> Sequence[Suggestion]:
    """The length penalty: the mean of a token's log-probability, as in most engines."""
    if now.kind != "transformer":
        return [("decoding.length_penalty", 1.0, "with the average, this kind of model scored lower on a dev set")]
    return [("decoding.length_penalty", "average", "with less, translations were too short on dev sets")]


def _is_scarce(now: Situation) -> bool:
    """Whether there is so little text that few layers and small batches learn the most from it."""
    has_long_pairs = now.corpus.tokens > USUAL_LENGTH * now.corpus.pairs
    return now.corpus.tokens < (SCARCE_IN_LONG_PAIRS if has_long_pairs and not now.is_regular else SCARCE)


def _d_model(now: Situation) -> int:
    usual = CONFIGS[now.kind].model_fields["d_model"].default
    preset = PRESETS.get(str(now.get("model.preset", "")), {})
    return int(now.get("model.d_model", preset.get("d_model", usual)))


RULES: tuple[Rule, ...] = (
    model_size,
    vocabulary,
    batch,
    window,
    workers,
    optimizer,
    length,
    dropout,
    label_smoothing,
    validation,
    schedule,
    averaging,
    decoding,
)
