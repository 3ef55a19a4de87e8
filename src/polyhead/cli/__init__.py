"""The command line: one small file a command, loaded only when it is called.

`COMMANDS` lists the commands. Each imports what it needs inside its function, so that `polyhead --help` answers at
once. Results go to standard output and everything else to standard error (`streams`). `corpora` has the options that
name text, `numbers` and `paths` what options take, `keys` what `train --keys` prints. `signals` and `ending` decide
how a command ends that doesn't succeed: with one sentence and an exit status, never a traceback. Of several processes
that train together one says it (`speaking`).
"""

import codecs
import os
import sys
import warnings
from io import TextIOWrapper

from cyclopts import App, Parameter

import polyhead
from polyhead.cli.ending import Ending, abandon_output, ending_of, say
from polyhead.cli.signals import raised_as_exceptions
from polyhead.cli.speaking import one_voice
from polyhead.cores import keep_to_quota
from polyhead.messages import show_messages
from polyhead.refusals import write_errors

COMMANDS = {
    "demo": "Make a small corpus, train one model on it for French and Korean, translate, draw.",
    "check": "Look at a corpus before training on it.",
    "train": "Train a translator from a recipe, from two text files, or from a file of both languages.",
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
    """Runs a command → exit status: 0 success, 1 failure with one clear sentence, 2 usage, 130 interrupted.

    A signal that ends the command gives 128 plus the signal's number.
    """
    warnings.showwarning = _warn
    _write_utf_8()
    if sys.stderr.isatty():
        show_messages()
    # PyTorch's idle threads shall sleep, not spin: beside other programs spinning costs far more than waking takes.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    keep_to_quota()
    # A lone hyphen is standard input, but would be parsed as an option; Path takes "./-" for the same path.
    words = [f"./{word}" if word == "-" else word for word in (sys.argv[1:] if arguments is None else arguments)]
    raised: list[BaseException] = []
    try:
        with raised_as_exceptions() as raised:
            result = app(words, exit_on_error=False, print_error=False, result_action="return_value")
            with write_errors("standard output"):
                sys.stdout.flush()
    except BaseException as error:
        ending = ending_of(error, words) or (ending_of(raised[-1], words) if raised else None)
        with one_voice() as speaks:
            if ending is None:
                raise
            abandon_output()
            return say(ending if speaks else Ending(ending.status, None))
    return result if isinstance(result, int) else 0


def _write_utf_8() -> None:
    """Has standard output be UTF-8, as in `write_lines`: in Windows' encodings not even an arrow could be printed."""
    output = sys.stdout
    if isinstance(output, TextIOWrapper) and codecs.lookup(output.encoding).name != "utf-8":
        output.reconfigure(encoding="utf-8", errors=output.errors)


def _warn(message: Warning | str, *place: object, **more: object) -> None:
    """A warning as a person reads it, without the line of code that it came from."""
    print(f"polyhead: {message}", file=sys.stderr)
