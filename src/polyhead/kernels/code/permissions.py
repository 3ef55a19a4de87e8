"""Whether machine code in a file may be run: only if nobody but this user and root can have put it there.

OpenSSH asks the same before it reads a user's keys. Windows has other permissions: there nothing is asked.
"""

import os
import stat
from pathlib import Path

ASKED = os.name == "posix"
"""Whether files have an owner and permission bits to be asked for."""
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_FLAGS = ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
"""The flags by which a link is not opened and a pipe is not waited for; no system has all of these."""
_HOW = os.O_RDONLY | sum(int(getattr(os, name, 0)) for name in _FLAGS)


class Untrusted(OSError):
    """A file is not this user's or root's, or somebody else can write to it."""


def is_safe_folder(folder: Path) -> bool:
    """Whether nobody else can write to a folder, or put another one in its place; `folder` must hold no link.

    The folder and those above it belong to this user or to root and are writable by their owner alone; one above it may
    be writable by all if it is root's and sticky, as /tmp is, where nobody can rename what is another's.
    """
    if not ASKED:
        return True
    try:
        first, *above = (os.lstat(each) for each in (folder, *folder.parents))
    except OSError:
        return False
    return _is_ours(first, stat.S_IFDIR) and all(_is_ours(each, stat.S_IFDIR) or _is_shared(each) for each in above)


def read_safely(file: Path, most: int) -> bytes:
    """What is in a file that nobody else can write to, at most so many bytes.

    It is the opened file whose owner is checked: a link, or what takes the file's place meanwhile, is never read.
    Raises Untrusted for another's file and for one that others can write to, OSError where there is none.
    """
    descriptor = os.open(file, _HOW)
    with os.fdopen(descriptor, "rb") as opened:
        found = os.fstat(descriptor)
        if ASKED and not _is_ours(found, stat.S_IFREG):
            raise Untrusted(f"{file} is not this user's alone")
        if found.st_size > most:
            raise OSError(f"{file} is larger than any file that was written here")
        return opened.read(found.st_size)


def are_safe_files(folder: Path) -> bool:
    """Whether nobody else can write to anything in a folder, at any depth: it shuts them out, or each file is safe."""
    if not ASKED:
        return True
    try:
        first = os.lstat(folder)
        if _is_ours(first, stat.S_IFDIR) and not first.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            return True
        found = [first, *(os.lstat(each) for each in folder.rglob("*"))]
    except OSError:
        return False
    return all(_is_ours(each, stat.S_IFDIR) or _is_ours(each, stat.S_IFREG) for each in found)


def _is_ours(found: os.stat_result, kind: int) -> bool:
    """Whether a file is of this kind, belongs to this user or root, and is writable by no one else."""
    return stat.S_IFMT(found.st_mode) == kind and _is_of_user(found) and not found.st_mode & _OTHERS_WRITE


def _is_of_user(found: os.stat_result) -> bool:
    return found.st_uid in (0, os.geteuid())


def _is_shared(found: os.stat_result) -> bool:
    """Whether this is a folder like /tmp: root's and sticky, so that nobody can rename what is another's."""
    return stat.S_ISDIR(found.st_mode) and found.st_uid == 0 and bool(found.st_mode & stat.S_ISVTX)
