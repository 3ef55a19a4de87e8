"""Messages of the library while it works, for the person who waits."""

import logging


def show_messages() -> None:
    """Writes the library's messages on standard error from now on."""
    handler, logger = logging.StreamHandler(), logging.getLogger("polyhead")
    handler.setFormatter(logging.Formatter("polyhead: %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
