"""An object file, as compilers write them for linkers, made to run: ELF for x86-64, by the System V ABI's tables.

LLVM writes a kernel as one that refers to everything by whole addresses and changes nothing but what it is given, so
that little of a linker's work is left: sections come into memory, and addresses into the sections.
"""

import ctypes
import mmap
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Addresses = NDArray[np.uint64]


def _record(fields: str) -> np.dtype[Any]:
    """ "name kind …" → what a table's line is made of."""
    words = fields.split()
    return np.dtype([(name, f"<{kind}") for name, kind in zip(words[::2], words[1::2], strict=True)])


_HEADER = _record(
    "magic S4 form S12 type u2 machine u2 version u4 entry u8 segments_at u8 sections_at u8 flags u4 "
    "header_size u2 segment_size u2 segments u2 section_size u2 sections u2 names u2"
)
_SECTION = _record("name u4 type u4 flags u8 address u8 offset u8 size u8 link u4 info u4 alignment u8 line_size u8")
_SYMBOL = _record("name u4 info u1 other u1 section u2 value u8 size u8")
_REFERENCE = _record("offset u8 type u4 symbol u4 addend i8")

_MAGIC, _RELOCATABLE, _X86_64 = b"\x7fELF", 1, 62
_SYMBOLS, _REFERENCES, _UNWINDING = 2, 4, 0x70000001
"""Types of sections; the last says how to leave a function in its middle, which no kernel does."""
_WRITTEN, _LOADED = 1, 2
"""Flags of sections."""
_UNDEFINED, _ASKED_FOR = 0, 0xFFF2
"""Where symbols are that are in no section: elsewhere, and in memory that the file only asks for."""
_WHOLE_ADDRESS = 1
"""The one way of referring to a symbol that is known here: all 64 bits of where it is."""
_WORD = 8


class UnknownForm(Exception):
    """An object file that needs more of a linker than there is here."""


class Loaded:
    """Code that can be called as long as this is kept."""

    def __init__(self, file: bytes, find: Callable[[str], int], variables: Mapping[str, int]) -> None:
        """`find` knows where what is elsewhere is: a name → its address, or LookupError.

        Variables that the file only asks for have these values, of one word each, and 0 where there is none.
        Raises UnknownForm.
        """
        sections = _sections(file)
        symbols, names = _symbols(file, sections)
        begins, end = _placed(sections)
        asked_for = np.flatnonzero(symbols["section"] == _ASKED_FOR)
        self._memory = mmap.mmap(-1, max(end + _WORD * len(asked_for), _WORD))
        content = np.frombuffer(self._memory, np.uint8)
        first = content.ctypes.data
        addresses = np.zeros(len(symbols), np.uint64)
        for number, (name, symbol) in enumerate(zip(names, symbols, strict=True)):
            if symbol["section"] == _UNDEFINED:
                addresses[number] = find(name) if name else 0
            elif symbol["section"] in begins:
                addresses[number] = first + begins[symbol["section"]] + int(symbol["value"])
        for place, number in enumerate(asked_for):
            addresses[number] = first + end + _WORD * place
            _write(content, np.array([end + _WORD * place]), np.array([variables.get(names[number], 0)], np.uint64))
        for number, begin in begins.items():
            section = sections[number]
            content[begin : begin + int(section["size"])] = _table(file, section, np.dtype(np.uint8))
        for begin, references in _references(file, sections, begins):
            found = addresses[references["symbol"]] + references["addend"].view(np.uint64)
            _write(content, begin + references["offset"].astype(np.int64), found)
        self._addresses = dict(zip(names, addresses.tolist(), strict=True))
        _let_run(first, len(self._memory))

    def address(self, name: str) -> int:
        """Where a function begins. Raises KeyError if there is none of that name."""
        return self._addresses[name]


def _sections(file: bytes) -> Any:
    if len(file) < _HEADER.itemsize:
        raise UnknownForm("this is no object file")
    header: Any = np.frombuffer(file, _HEADER, 1)[0]
    if (header["magic"], header["type"], header["machine"]) != (_MAGIC, _RELOCATABLE, _X86_64):
        raise UnknownForm("this is no object file for x86-64")
    return np.frombuffer(file, _SECTION, int(header["sections"]), int(header["sections_at"]))


def _symbols(file: bytes, sections: Any) -> tuple[Any, list[str]]:
    """The table of symbols, and their names."""
    (table,) = sections[sections["type"] == _SYMBOLS]
    symbols = _table(file, table, _SYMBOL)
    if (symbols["size"][symbols["section"] == _ASKED_FOR] > _WORD).any():
        raise UnknownForm("it asks for memory of more than a word")
    begins = int(sections[table["link"]]["offset"]) + symbols["name"].astype(np.int64)
    return symbols, [file[begin : file.index(b"\0", begin)].decode() for begin in begins.tolist()]


def _placed(sections: Any) -> tuple[dict[int, int], int]:
    """Section that comes into memory → where it begins there; and where all end."""
    begins: dict[int, int] = {}
    end = 0
    for number, section in enumerate(sections):
        flags, size = int(section["flags"]), int(section["size"])
        if not flags & _LOADED or section["type"] == _UNWINDING or not size:
            continue
        if flags & _WRITTEN:
            raise UnknownForm("it has variables of its own")
        begins[number] = _rounded_up(end, max(int(section["alignment"]), 1))
        end = begins[number] + size
    return begins, _rounded_up(end, _WORD)


def _references(file: bytes, sections: Any, begins: Mapping[int, int]) -> Iterator[tuple[int, Any]]:
    """Where a section that refers to symbols begins in memory, and its references."""
    for section in sections[sections["type"] == _REFERENCES]:
        if (begin := begins.get(int(section["info"]))) is not None:
            references = _table(file, section, _REFERENCE)
            if (references["type"] != _WHOLE_ADDRESS).any():
                raise UnknownForm("it refers to symbols by less than their whole address")
            yield begin, references


def _table(file: bytes, section: Any, line: np.dtype[Any]) -> Any:
    return np.frombuffer(file, line, int(section["size"]) // line.itemsize, int(section["offset"]))


def _rounded_up(number: int, unit: int) -> int:
    return -(-number // unit) * unit


def _write(content: Bytes, places: NDArray[np.int64], words: Addresses) -> None:
    content[places[:, None] + np.arange(_WORD)] = words.view(np.uint8).reshape(-1, _WORD)


def _let_run(first: int, size: int) -> None:
    """From here on the memory is not written to, and may be run."""
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    if protect(first, size, mmap.PROT_READ | mmap.PROT_EXEC):
        raise UnknownForm(f"the system lets no new code run: {os.strerror(ctypes.get_errno())}")
