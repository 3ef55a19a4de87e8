"""Which model answers: by its name, or by the languages asked for."""

from collections.abc import Iterable, Sequence

from polyhead.server.pool import ModelDirectory
from polyhead.server.problems import Problem


def sources(models: Sequence[ModelDirectory]) -> list[str]:
    """The languages that can be translated from, each once, in the order of the models."""
    return list(dict.fromkeys(language for model in models for language in model.config.source_languages))


def targets(models: Sequence[ModelDirectory], source: str | None = None) -> list[str]:
    """The languages that can be translated to, from `source` if given."""
    fitting = [model for model in models if source is None or source in model.config.source_languages]
    languages = dict.fromkeys(language for model in fitting for language in model.config.target_languages)
    return [language for language in languages if language != source]


def choose(
    models: Sequence[ModelDirectory], name: str | None = None, source: str | None = None, target: str | None = None
) -> ModelDirectory:
    """The first model that is called so and knows these languages; None asks for nothing.

    A model whose languages have no names takes every name. Raises Problem not_found or unknown_language.
    """
    named = [model for model in models if name is None or model.id == name]
    if not named:
        raise Problem("not_found", f"no model is called {name!r}; there are {_listed(model.id for model in models)}")
    for model in named:
        if _reads(model, source) and _writes(model, target):
            return model
    if not any(_reads(model, source) for model in named):
        raise Problem("unknown_language", f"no model reads {source!r}; there are {_listed(sources(named))}")
    raise Problem("unknown_language", f"no model writes {target!r}; there are {_listed(targets(named, source))}")


def tag(model: ModelDirectory, target: str | None) -> str | None:
    """The target language as the translator wants it: a model of one language needs none, of several its name.

    Raises Problem unknown_language where it is missing.
    """
    if not model.config.tagged:
        return None
    if target is None:
        languages = _listed(model.config.target_languages)
        raise Problem("unknown_language", f"the model {model.id} writes several languages; name a target: {languages}")
    return target


def _reads(model: ModelDirectory, language: str | None) -> bool:
    return language is None or not model.config.source_languages or language in model.config.source_languages


def _writes(model: ModelDirectory, language: str | None) -> bool:
    return language is None or not model.config.target_languages or language in model.config.target_languages


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none with a name"
