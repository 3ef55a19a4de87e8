"""Which process of how many this one is, as torchrun and other launchers say it in the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from polyhead.errors import PolyheadError, shown

NEEDED = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
"""What a launcher sets for every process at least."""

LAST_PORT = 65_535


@dataclass(frozen=True)
class Place:
    """Where a process stands among those that were launched together."""

    rank: int
    size: int
    local_rank: int
    local_size: int
    address: str
    """Host name or address of the machine whose store all processes use to find each other."""
    port: int
    attempt: int
    """How often the launcher has restarted the processes."""
    store_is_there: bool
    """Whether the launcher runs the store; otherwise process 0 does."""

    @classmethod
    def of(cls, environment: Mapping[str, str] = os.environ) -> "Place | None":
        """The place that the environment names; None where it names none, as in a command that was started by itself.

        Raises PolyheadError where a variable that has to be a whole number is none, or the numbers contradict.
        """
        if not all(name in environment for name in NEEDED):
            return None
        rank, size = _number(environment, "RANK", 0), _number(environment, "WORLD_SIZE", 1)
        place = cls(
            rank,
            size,
            _number(environment, "LOCAL_RANK", rank),
            _number(environment, "LOCAL_WORLD_SIZE", size),
            environment["MASTER_ADDR"],
            _number(environment, "MASTER_PORT", 0),
            _number(environment, "TORCHELASTIC_RESTART_COUNT", 0),
            environment.get("TORCHELASTIC_USE_AGENT_STORE") == "True",
        )
        right = place.rank < place.size and place.local_rank < place.local_size <= place.size
        if not right or place.port > LAST_PORT:
            raise PolyheadError(
                f"the environment says RANK={place.rank} of WORLD_SIZE={place.size}, LOCAL_RANK={place.local_rank} of "
                f"LOCAL_WORLD_SIZE={place.local_size} and MASTER_PORT={place.port}, which cannot be; start the "
                "processes with torchrun, or unset RANK and WORLD_SIZE"
            )
        return place


def _number(environment: Mapping[str, str], name: str, otherwise: int) -> int:
    given = environment.get(name, str(otherwise))
    if not given.isdecimal() or len(given) > 9:
        raise PolyheadError(
            f"the environment variable {name} is {shown(given)}, which is no whole number that a launcher of several "
            "processes would set; start them with torchrun, or unset it"
        )
    return int(given)
