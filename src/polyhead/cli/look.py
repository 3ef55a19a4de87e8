"""`polyhead look`."""

import sys

from polyhead.cli.numbers import Layer
from polyhead.cli.paths import NamedPath
from polyhead.cli.usage import UsageError


def look(
    model: NamedPath,
    text: str,
    /,
    *,
    to: str | None = None,
    target: str | None = None,
    html: NamedPath | None = None,
    png: NamedPath | None = None,
    svg: NamedPath | None = None,
    npz: NamedPath | None = None,
    json: NamedPath | None = None,
    layer: Layer = -1,
) -> None:
    """Look inside while one sentence is translated: a page, a picture of the cross-attention, or the numbers.

    What is printed is the answer of `polyhead translate`; what is shown is what the model read and wrote, before
    capitals and numbers are put right.

    Parameters
    ----------
    model
        A model directory.
    text
        The sentence to translate.
    to
        The target language, for a model that writes several.
    target
        A translation to look at instead of the model's own.
    html
        Where to write the page that shows every part; one file, which opens without a network.
    png
        Where to write a PNG picture.
    svg
        Where to write an SVG picture.
    npz
        Where to write all arrays, for NumPy.
    json
        Where to write all of it as JSON, each array as a .npy file in base64.
    layer
        Which decoder layer a picture shows, counted from 0; -1 is the last.

    """
    files = {"html": html, "npz": npz, "json": json}
    pictures = {"png": png, "svg": svg}
    if not any((*files.values(), *pictures.values())):
        raise UsageError("say what to write: --html FILE, --png FILE, --svg FILE, --npz FILE or --json FILE")

    from polyhead.files import atomic_file
    from polyhead.translating.translator import Translator

    translator = Translator.load(model)
    pieces = [piece.content for piece in translator.pieces([text], to)]
    read = pieces[0] if len(pieces) == 1 else text  # `attention` refuses a text of several sentences
    found = translator.attention(read, target=target, target_language=to)
    answer = found.target.text if target is not None else translator.translate([text], target_language=to)[0].text
    for kind, path in (files | pictures).items():
        if path is None:
            continue
        content = found.export(kind) if kind in files else found.figure("decoder.cross", layer, format=kind)
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(path) as temporary:
            temporary.write_bytes(content)
    if found.engine is not None and found.engine.dtype != "float32":
        print(f"translated by the {found.engine}; what is shown of it is computed in float32", file=sys.stderr)
    if answer != found.target.text:
        print(f"what is shown: the model read {read!r} and wrote {found.target.text!r}", file=sys.stderr)
    print(answer)
