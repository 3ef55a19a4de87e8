"""`polyhead info`."""

import json
from typing import Annotated

from cyclopts import Parameter

from polyhead.cli.paths import NamedPath


def info(model: NamedPath, /, *, json_output: Annotated[bool, Parameter(name="--json")] = False) -> None:
    """Describe a model directory: languages, sizes, vocabulary, how it translates.

    Parameters
    ----------
    model
        A model directory.
    json_output
        Write JSON.

    """
    from polyhead.bundle.load import load_bundle
    from polyhead.engine.choice import choose

    bundle = load_bundle(model)
    bundle.check()
    config = bundle.config
    choice = choose(bundle.trained)
    if json_output:
        here = {"engine": choice.engine, "dtype": choice.dtype}
        print(json.dumps({**config.model_dump(mode="json"), "parameters": bundle.parameters, "here": here}))
        return
    print(f"directions   {config.source_language or '?'} → {', '.join(config.target_languages) or '?'}")
    print(f"parameters   {bundle.parameters:,}")
    print(f"vocabulary   {config.source_vocabulary:,} source, {config.target_vocabulary:,} target pieces")
    for name, part in (("model", config.model), ("tokenizer", config.tokenizer), ("decoding", config.decoding)):
        settings = ", ".join(f"{key} {value}" for key, value in part.model_dump(mode="json").items())
        print(f"{name:<12} {settings}")
    print(f"here         {choice}")
    print(f"written by   polyhead {config.polyhead}, format {config.format}")
