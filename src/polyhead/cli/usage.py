"""What is wrong with a command line itself."""

from polyhead.errors import PolyheadError


class UsageError(PolyheadError):
    """The command cannot be understood or lacks something: exit status 2."""
