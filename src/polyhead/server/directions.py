"""Which model answers: by its name, or by the languages asked for."""

from collections.abc import Iterable, Sequence

from polyhead.errors import shown
from polyhead.languages import nearest, same_code
from polyhead.server.pool import ModelDirectory
from polyhead.server.problems import Problem, UnknownLanguage


def sources(models: Sequence[ModelDirectory]) -> list[str]:
    """The languages that can be translated from, each once, in the order of the models."""
    return list(dict.fromkeys(language for model in models for language in model.config.source_languages))


def targets(models: Sequence[ModelDirectory], source: str | None = None) -> list[str]:
    """The languages that can be translated to, each once: from `source`, if it is given, or from any language."""
    fitting = [model for model in models if source is None or source in model.config.source_languages]
    languages = dict.fromkeys(language for model in fitting for language in model.config.target_languages)
    return [language for language in languages if language != source]


def choose(
    models: Sequence[ModelDirectory], name: str | None = None, source: str | None = None, target: str | None = None
) -> ModelDirectory:
    """The model that is called `name`, reads `source` and writes `target`; where one is None, any model fits.

    Codes need not be spelt alike: EN and en-US are en, if no model has a code of its own for them. A model that doesn't
    know its languages' codes takes every code. Of several models the first whose codes are nearest to these answers.
    Raises Problem not_found or unknown_language.
    """
    named = [model for model in models if name is None or model.id == name]
    if not named:
        raise Problem(
            "not_found", f"no model is called {shown(name)}; there are {_listed(model.id for model in models)}"
        )
    fitting = [model for model in named if _reads(model, source) and _writes(model, target)]
    if fitting:
        return min(fitting, key=lambda model: _distance(model, source, target))
    if not any(_reads(model, source) for model in named):
        raise UnknownLanguage(source or "", f"no model reads {shown(source)}; there are {_listed(sources(named))}")
    raise UnknownLanguage(target or "", f"no model writes {shown(target)}; there are {_listed(targets(named, source))}")


def writers(models: Sequence[ModelDirectory], target: str) -> list[ModelDirectory]:
    """The models that write a language."""
    return [model for model in models if _writes(model, target)]


def tag(model: ModelDirectory, target: str | None, field: str = "target") -> str | None:
    """The target language as the translator wants it: None for a model of one language, else the model's own code.

    field: what the request calls it. Raises Problem unknown_language where it is missing.
    """
    if not model.config.tagged:
        return None
    if target is None:
        languages = _listed(model.config.target_languages)
        raise Problem("unknown_language", f"the model {model.id} writes several languages; name a {field}: {languages}")
    return nearest(target, model.config.target_languages) or target


def _reads(model: ModelDirectory, language: str | None) -> bool:
    return _knows(model.config.source_languages, language)


def _writes(model: ModelDirectory, language: str | None) -> bool:
    return _knows(model.config.target_languages, language)


def _knows(languages: Sequence[str], language: str | None) -> bool:
    return language is None or not languages or nearest(language, languages) is not None


def _distance(model: ModelDirectory, source: str | None, target: str | None) -> int:
    """How far the codes asked for are from the model's own: for each 0 if equal, 1 if spelt otherwise, else 2."""
    distance = 0
    for asked, known in ((source, model.config.source_languages), (target, model.config.target_languages)):
        found = None if asked is None else nearest(asked, known)
        if asked is not None and found != asked:
            distance += 1 if found is not None and same_code(asked, found) else 2
    return distance


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none with a name"
