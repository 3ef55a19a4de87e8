"""The command line: one small file a command, loaded only when it is called."""

import logging
import os
import sys
import warnings

from cyclopts import App, CycloptsError, Parameter

import polyhead
from polyhead.cli.usage import UsageError
from polyhead.errors import PolyheadError, shortened

COMMANDS = {
    "demo": "Make a small corpus, train one model on it for French and Korean, translate, draw.",
    "check": "Look at a corpus before training on it.",
    "train": "Train a translator from a recipe or from two text files.",
    "distill": "Train a student on a teacher's translations.",
    "shortlist": "Find the target pieces that each source piece may become, for `translate --shortlist`.",
    "translate": "Translate lines of text.",
    "evaluate": "Say how good a model, or an output, is: BLEU, chrF, TER.",
    "score": "Give the log-probability of translations.",
    "look": "Draw the attention of one translation.",
    "serve": "Serve models over HTTP, and the page that shows what happens inside them.",
    "info": "Describe a model directory.",
    "verify": "Say whether the files of a model directory are as they were written.",
    "export": "Write a model for CTranslate2 or Hugging Face.",
}


def _shown(default: object) -> str | None:
    """A default as people read it; what is unset, off or empty is not worth a word."""
    unset = default is None or default is False or default == ()
    return None if unset else str(default)


app = App(
    name="polyhead",
    help="Train, use and look inside Transformer translators.",
    version=polyhead.__version__,
    help_format="plaintext",
    default_parameter=Parameter(negative=(), show_default=_shown),
    suppress_keyboard_interrupt=False,
)
for _name, _help in COMMANDS.items():
    app.command(f"polyhead.cli.{_name}:{_name}", name=_name, help=_help)


def main(arguments: list[str] | None = None) -> int:
    """Runs a command → exit status: 0 success, 1 failure with one clear sentence, 2 usage, 130 interrupted."""
    warnings.showwarning = _warn
    if sys.stderr.isatty():
        _show_messages()
    # PyTorch's idle threads shall sleep, not spin: beside other programs spinning costs far more than waking takes.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    # A lone hyphen is standard input, not an option without a name: written so it is the same path to Path.
    words = [f"./{word}" if word == "-" else word for word in (sys.argv[1:] if arguments is None else arguments)]
    try:
        result = app(words, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
    except (CycloptsError, UsageError) as error:
        return _fail(f"{error}\nTry `polyhead --help` or `polyhead COMMAND --help`.", 2)
    except PolyheadError as error:
        return _fail(str(error), 1)
    except BrokenPipeError:
        # The reader (head, less) has left; Python's own flush at exit must not complain about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _fail(": ".join(str(part) for part in (error.filename, error.strerror or error) if part), 1)
    except KeyboardInterrupt:
        return _fail("interrupted", 130)
    return result if isinstance(result, int) else 0


def _show_messages() -> None:
    """What the library has to say to who waits for it."""
    handler, logger = logging.StreamHandler(), logging.getLogger("polyhead")
    handler.setFormatter(logging.Formatter("polyhead: %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)


def _warn(message: Warning | str, *place: object, **more: object) -> None:
    """A warning as a person reads it, without the line of code that it came from."""
    print(f"polyhead: {message}", file=sys.stderr)


def _fail(message: str, status: int) -> int:
    print(f"polyhead: {shortened(message)}", file=sys.stderr)
    return status
