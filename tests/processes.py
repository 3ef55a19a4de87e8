"""Processes of this machine, as Linux shows them."""

from pathlib import Path


def workers_of(process: int) -> list[int]:
    """The processes that work for a command, in rising order: children that `multiprocessing` has begun anew.

    A tracker of resources, which it starts as well, is none.
    """
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            is_worker = b"spawn_main" in (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if parent == process and is_worker:
            found.append(int(folder.name))
    return sorted(found)
