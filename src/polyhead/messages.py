"""What the library has to say while it works, for who waits for it."""

import logging


def show_messages() -> None:
    """Writes them on standard error from now on."""
    handler, logger = logging.StreamHandler(), logging.getLogger("polyhead")
    handler.setFormatter(logging.Formatter("polyhead: %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
