"""`polyhead look`."""

from pathlib import Path

from polyhead.cli.usage import UsageError


def look(
    model: Path,
    text: str,
    /,
    *,
    to: str | None = None,
    png: Path | None = None,
    svg: Path | None = None,
    layer: int = -1,
) -> None:
    """Draw the cross-attention of one translation.

    Parameters
    ----------
    model
        A model directory.
    text
        The sentence to translate.
    to
        The target language, for a model that writes several.
    png
        Where to write a PNG picture.
    svg
        Where to write an SVG picture.
    layer
        Which decoder layer, counted from 0; -1 is the last.

    """
    from polyhead.inspection.maps import cross_attention
    from polyhead.inspection.pictures import attention_picture
    from polyhead.translator import Translator

    paths = [path for path in (png, svg) if path is not None]
    if not paths:
        raise UsageError("say where to draw: --png FILE or --svg FILE")
    found = cross_attention(Translator.load(model), text, target_language=to)
    print(found.translation.text)
    for path in paths:
        attention_picture(found.weights, found.rows, found.columns, path, title=text, layer=layer)
