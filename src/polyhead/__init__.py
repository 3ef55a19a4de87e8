"""polyhead: train, use and look inside Transformer translators.

    import polyhead

    translator = polyhead.Translator.load("model/")
    translator.translate(["A dog runs."])

What `__all__` names is the public interface; it loads when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from polyhead.extras import needing_extra

if TYPE_CHECKING:
    from polyhead.bulk.batch_translator import BatchTranslator
    from polyhead.errors import PolyheadError
    from polyhead.evaluation.metrics import evaluate
    from polyhead.recipe.train import train
    from polyhead.translating.translation import Translation
    from polyhead.translating.translator import Translator

__version__ = "0.1.0"
__all__ = ["BatchTranslator", "PolyheadError", "Translation", "Translator", "__version__", "evaluate", "train"]

_HOMES = {
    "BatchTranslator": "polyhead.bulk.batch_translator",
    "PolyheadError": "polyhead.errors",
    "Translation": "polyhead.translating.translation",
    "Translator": "polyhead.translating.translator",
    "evaluate": "polyhead.evaluation.metrics",
    "train": "polyhead.recipe.train",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'polyhead' has no attribute {name!r}")
    with needing_extra(f"polyhead.{name}"):
        return getattr(import_module(_HOMES[name]), name)
