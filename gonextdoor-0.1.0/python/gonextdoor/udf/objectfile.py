"""Links an object file to flat position-independent code, which needs no loader and no LLVM afterwards.

The code of hooks has only relative references to itself, so the sections are concatenated and the references resolved.
"""

from __future__ import annotations

import struct

__all__ = ["flat"]

_X86_64 = 62
_PC32, _PLT32 = 2, 4  # both: symbol + addend - position
_ALLOCATED, _SYMBOLS, _RELOCATIONS = 2, 2, 4


def flat(code: bytes) -> tuple[bytes, dict[str, int]]:
    """The code, and the offset of each global symbol.

    Raises:
        ValueError: the object file has relocations that are not supported.
    """
    if code[:6] != b"\x7fELF\x02\x01" or struct.unpack_from("<H", code, 18)[0] != _X86_64:
        raise ValueError("not an ELF object for x86-64")
    sections = _sections(code)
    image = bytearray()
    places: dict[int, int] = {}
    for number, (kind, flags, at, size, _, _, align) in enumerate(sections):
        if flags & _ALLOCATED and kind == 1:
            image.extend(b"\xcc" * (-len(image) % max(align, 1)))
            places[number] = len(image)
            image += code[at : at + size]
    symbols = _symbols(code, sections)
    for kind, _, at, size, _, target, _ in sections:
        if kind == _RELOCATIONS and target in places:
            for offset in range(at, at + size, 24):
                where, info, addend = struct.unpack_from("<QQq", code, offset)
                _, section, value = symbols[info >> 32]
                if info & 0xFFFFFFFF not in (_PC32, _PLT32) or section not in places:
                    raise ValueError(f"a reference of kind {info & 0xFFFFFFFF} to {symbols[info >> 32][0]!r}")
                here = places[target] + where
                struct.pack_into("<i", image, here, places[section] + value + addend - here)
    return bytes(image), {
        name: places[section] + value for name, section, value in symbols if name and section in places
    }


def _sections(code: bytes) -> list[tuple[int, int, int, int, int, int, int]]:
    """Kind, flags, offset, size, link, info and alignment of each section."""
    table = struct.unpack_from("<Q", code, 40)[0]
    size, count = struct.unpack_from("<HH", code, 58)
    found = []
    for i in range(count):
        _, kind, flags, _, at, length, link, info, align, _ = struct.unpack_from("<IIQQQQIIQQ", code, table + i * size)
        found.append((kind, flags, at, length, link, info, align))
    return found


def _symbols(code: bytes, sections: list[tuple[int, int, int, int, int, int, int]]) -> list[tuple[str, int, int]]:
    """Name, section and value of each symbol; local ones are without names."""
    for kind, _, at, size, link, _, _ in sections:
        if kind == _SYMBOLS:
            names = sections[link][2]
            found = []
            for offset in range(at, at + size, 24):
                name, info, _, section, value, _ = struct.unpack_from("<IBBHQQ", code, offset)
                end = code.index(b"\0", names + name)
                text = code[names + name : end].decode() if info >> 4 else ""
                found.append((text, section, value))
            return found
    return []
