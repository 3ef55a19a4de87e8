"""Looking inside while one sentence is translated.

The sentence is translated (or its translation given); then one teacher-forced pass, in which source and target go in
whole, records every part of the model. A model that nobody looks into does no extra work.
"""

import numpy as np

from polyhead.batch import collate
from polyhead.decoding.length_penalty import length_penalty
from polyhead.engine.choice import PLAIN
from polyhead.errors import ModelError
from polyhead.inspection.anatomy import Attention, attentions
from polyhead.inspection.editing import apply
from polyhead.inspection.edits import Edits, Head
from polyhead.inspection.model_info import model_info
from polyhead.inspection.prediction import Prediction
from polyhead.inspection.recorder import record
from polyhead.inspection.search import Subject, beam_settings, search
from polyhead.inspection.sentence import (
    EmptyText,
    TooLong,
    check_length,
    given_target,
    source_tokens,
    written_target,
)
from polyhead.inspection.tensors import Tensors
from polyhead.inspection.traced import Trace
from polyhead.model.arrays import InArrays
from polyhead.model.recording import view_of
from polyhead.symbols import EOS

__all__ = ["Edits", "Head", "Trace", "trace"]


def trace(
    translator: Subject,
    text: str,
    *,
    target: str | None = None,
    target_language: str | None = None,
    beam_size: int | None = None,
    companion: str | None = None,
    edits: Edits | None = None,
) -> Trace:
    """Translates `text`, or takes `target` for its translation, and records one pass of both through the model.

    The translator's own engine searches, so that the trace shows the translation that the translator would give; where
    an edit changes decoding, the edited model searches. The recorded pass is the trained model's, in float32.
    `companion` is a second sentence in the batch: where it is longer, the source gets padding to look at. `edits`
    change the model for this trace alone, for the translation and for the recorded pass. The translator's model is not
    touched: a trace may be taken in any thread, whatever else the model is doing.
    Raises EmptyText and TooLong (PolyheadErrors) for a text that isn't one sentence, ModelError for a target language
    that the model doesn't know and for overwritten weights, PolyheadError for edits that don't fit the model.
    """
    bundle, edits = translator.bundle, edits or Edits()
    bundle.check()
    given = {"text": text, "companion": companion}
    sources = [_read(translator, one, target_language, name) for name, one in given.items() if one is not None]
    view = view_of(bundle.model)
    apply(edits, view)
    settings = beam_settings(translator, beam_size)
    if target is None:
        edited = edits.change_decoding
        engine = PLAIN if edited else translator.choices[0]
        ids, beam = search(translator, InArrays(view) if edited else translator.engine, sources[0], settings)
        written = written_target(bundle, ids)
    else:
        written, beam, engine = given_target(bundle, target), None, None
        check_length(len(written.ids) + 1, translator.max_length, "target")
    scales = {place.site: _scale(place, edits, bundle.config.model.d_model) for place in attentions(view)}
    # The companion gets the same target, so that there is padding in the source alone.
    batch = collate(sources, [written.ids] * len(sources)).to(view.device)
    notes, log_probabilities = record(view, batch)
    if not np.isfinite(log_probabilities).all():
        raise ModelError("the model's probabilities are not finite: its weights are damaged")
    prediction = Prediction(log_probabilities, np.array([*written.ids, EOS]))
    length = np.array(len(written.ids) + 1.0)
    width = batch.source.size(1)
    return Trace(
        model=model_info(bundle.config, bundle.parameters),
        language=target_language,
        text=text,
        source=source_tokens(bundle, text, sources[0], width),
        source_padding=width - len(sources[0]) - 1,
        target=written,
        tensors=Tensors(notes.arrays, scales),
        prediction=prediction,
        tokenizer=bundle.target_tokenizer,
        beam=beam,
        engine=engine,
        edits=edits,
        score=float(prediction.of_written.sum() / length_penalty(settings.length_penalty)(length)),
    )


def _read(translator: Subject, text: str, target_language: str | None, name: str) -> list[int]:
    """The ids that the encoder reads, without `<eos>`. name: what messages call the text. Raises EmptyText, TooLong."""
    if not text.strip():
        raise EmptyText(f"there is nothing to look at in an empty {name}")
    ids = translator.encode_source(text, target_language)
    check_length(len(ids) + 1, translator.longest_source, name)
    sentences = len(translator.pieces([text], target_language))
    if sentences > 1:
        raise TooLong(f"the {name} has {sentences} sentences, which are translated one by one: look at one of them")
    return ids


def _scale(place: Attention, edits: Edits, d_model: int) -> float:
    """What the scores of an attention are divided by: √d_k, or 1."""
    return (d_model / place.heads) ** 0.5 if place.divided and not edits.no_scale else 1.0
