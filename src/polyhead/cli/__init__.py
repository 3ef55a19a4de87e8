"""The command line: one small file a command, loaded only when it is called."""

import os
import sys

from cyclopts import App, CycloptsError

import polyhead
from polyhead.errors import PolyheadError

COMMANDS = {
    "demo": "Make a small corpus, train one model on it for French and Korean, translate, draw.",
    "check": "Look at a corpus before training on it.",
    "train": "Train a translator from a recipe or from two text files.",
    "translate": "Translate lines of text.",
    "evaluate": "Say how good a model, or an output, is: BLEU, chrF, TER.",
    "score": "Give the log-probability of translations.",
    "look": "Draw the attention of one translation.",
    "info": "Describe a model directory.",
}

app = App(
    name="polyhead",
    help="Train, use and look inside Transformer translators.",
    version=polyhead.__version__,
    help_format="plaintext",
)
for _name, _help in COMMANDS.items():
    app.command(f"polyhead.cli.{_name}:{_name}", name=_name, help=_help)


def main(arguments: list[str] | None = None) -> int:
    """Runs a command → exit status: 0 success, 1 failure with one clear sentence, 2 usage."""
    try:
        result = app(arguments, exit_on_error=False, print_error=True, result_action="return_value")
    except CycloptsError:
        return 2
    except PolyheadError as error:
        print(f"polyhead: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader (head, less) has left; Python's own flush at exit must not complain about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("polyhead: interrupted", file=sys.stderr)
        return 130
    return result if isinstance(result, int) else 0
