"""The README of an exported model: the lines of code that make the engine do what polyhead does."""

from polyhead.bundle.bundle import Bundle
from polyhead.symbols import PAD_PIECE, SOS_PIECE, language_tag

_CTRANSLATE2 = """\
# {directions}, for CTranslate2

```python
import ctranslate2, sentencepiece

source = sentencepiece.SentencePieceProcessor(model_file="source.spm")
target = sentencepiece.SentencePieceProcessor(model_file="target.spm")
translator = ctranslate2.Translator(".", compute_type="float32")
results = translator.translate_batch(
    [{tag}source.encode({text}, out_type=str)],
    beam_size={beam},
    length_penalty={penalty},
    patience={patience},
    min_decoding_length={shortest},
    disable_unk={no_unknown},
    suppress_sequences={never},
)
print(target.decode(results[0].hypotheses[0]))
```

The weights are the same, in float32. What differs from polyhead:

{stopping}- Tokens that are never written are left out before the softmax here, after it in polyhead: scores differ.
{differences}
"""

SEARCH_ON = 20
"""A patience so large that it hardly ever ends a search early."""
_SEARCHING_ON = "- polyhead searches until no hypothesis can win any more; here a large patience comes near that.\n"

_HUGGING_FACE = """\
# {directions}, for Hugging Face transformers

```python
from transformers import AutoModelForSeq2SeqLM, MarianTokenizer

tokenizer, model = MarianTokenizer.from_pretrained("."), AutoModelForSeq2SeqLM.from_pretrained(".")
batch = tokenizer([{tag}{text}], return_tensors="pt", padding=True)
print(tokenizer.batch_decode(model.generate(**batch), skip_special_tokens=True))
```

The weights are the same, in float32, the dimensions of d_model in another order. What differs from polyhead:

- MarianTokenizer changes punctuation where the package sacremoses is installed; polyhead doesn't.
- MarianTokenizer takes special tokens such as `<eos>` in a text for what they say; to polyhead they are text.
{differences}
"""


def ctranslate2_card(bundle: Bundle) -> str:
    """The README of a directory that `write_ctranslate2` filled."""
    languages = bundle.target_tokenizer.languages
    never = [[piece] for piece in (PAD_PIECE, SOS_PIECE, *map(language_tag, languages))]
    tag = f'["{language_tag(languages[0])}"] + ' if languages else ""
    return _CTRANSLATE2.format(
        directions=_directions(bundle),
        tag=tag,
        text='"…"',
        beam=bundle.config.decoding.beam_size,
        penalty=nearest_penalty(bundle),
        patience=bundle.config.decoding.patience or SEARCH_ON,
        stopping="" if bundle.config.decoding.patience else _SEARCHING_ON,
        shortest=bundle.config.decoding.min_length,
        no_unknown=not bundle.config.decoding.allow_unknown,
        never=never,
        differences=_differences(bundle),
    )


def hugging_face_card(bundle: Bundle) -> str:
    """The README of a directory that `write_hugging_face` filled."""
    languages = bundle.config.target_languages if bundle.config.tagged else ()
    tag = f'">>{languages[0]}<<" ' if languages else ""
    return _HUGGING_FACE.format(directions=_directions(bundle), tag=tag, text='"…"', differences=_differences(bundle))


def nearest_penalty(bundle: Bundle) -> float:
    """The exponent α with which the other engines' length penalty |Y|^α is nearest to the model's own penalty."""
    penalty = bundle.config.decoding.length_penalty
    return 1.0 if penalty == "average" else penalty


def _directions(bundle: Bundle) -> str:
    config = bundle.config
    return f"{config.source_language or 'source'} → {', '.join(config.target_languages) or 'target'}"


def _differences(bundle: Bundle) -> str:
    config = bundle.config
    lines: list[str] = []
    if config.decoding.length_penalty not in ("average", 0):
        lines.append(
            f"- polyhead divides log P by ((5 + |Y|) / 6)^{config.decoding.length_penalty}, here it is by "
            f"|Y|^{config.decoding.length_penalty}: with no penalty, 0, or the average, 1, both rank alike."
        )
    if config.tokenizer.normalisation != "none":
        lines.append(f"- polyhead brings text into the form {config.tokenizer.normalisation} first.")
    if config.tokenizer.lowercase:
        lines.append("- This model reads lower case only, and polyhead makes it so; here that is up to you.")
    if config.tokenizer.kind == "word":
        lines.append('- Words outside the vocabulary are "<unk>" one by one; sentencepiece makes one of several.')
    lines.append("- polyhead splits texts longer than any in training; here that is up to you.")
    return "\n".join(lines)
