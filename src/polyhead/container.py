"""What the container of this process may take, as Linux's control groups say, in either version of them.

A container sees all cores and all memory of its machine, whatever its limits.
"""

from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")
_QUOTAS = ("cpu.max",), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us")
"""The files below CGROUP, of version 2 and of version 1 of control groups, that say how many microseconds of computing
the container has in a period, and how long the period is."""
_LIMITS = "memory.max", "memory/memory.limit_in_bytes"
"""The files below CGROUP, of version 2 and of version 1 of control groups, that say how many bytes of memory the
container may take. Where it has no limit, version 1 says more than any machine has."""


def cpu_quota() -> int | None:
    """How many cores the container may keep busy, rounded up; None without a limit. More threads stop each other."""
    for names in _QUOTAS:
        try:
            quota, period = " ".join((CGROUP / name).read_text() for name in names).split()
        except (OSError, ValueError):
            continue
        return max(1, -(-int(quota) // int(period))) if quota.isdecimal() else None
    return None


def memory_limit() -> int | None:
    """How many bytes of memory the container may take; None without a limit. A process that takes more is killed."""
    for name in _LIMITS:
        try:
            found = (CGROUP / name).read_text().strip()
        except OSError:
            continue
        return int(found) if found.isdecimal() else None
    return None
