"""What other processes open: the file of a graph that was in memory, and the folder of one that was opened."""

from __future__ import annotations

import contextlib
import mmap
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory, native

__all__ = ["Folder", "Shared", "mapped", "stamp_of"]

ALIGNED = 1 << 12  # alignment of arrays in the file, in bytes

Mapping = npt.NDArray[np.uint8]


class Shared(native.Owner):
    """The file of a graph that other processes map."""

    __slots__ = ("_number", "places", "size")

    _drop, _generation = os.close, None  # also in a forked child, which inherits the open file

    def __init__(self, descriptor: int) -> None:
        self._number, self.size = descriptor, os.fstat(descriptor).st_size
        self.places: dict[tuple[int, int], int] = {}  # offsets in the file, by address and size in this process

    @classmethod
    def new(cls) -> Shared:
        """An empty file."""
        return cls(os.memfd_create("gonextdoor-graph"))

    @property
    def key(self) -> int:
        """Identifies the file on this machine."""
        return os.fstat(self.descriptor).st_ino

    def layout(self, exported: dict[str, Any]) -> dict[str, Any]:
        """Replaces the addresses from GraphArrays by offsets in the file, and appends missing arrays to it.

        Raises:
            MemoryError: there is not enough memory.
        """
        self._append([a for a in _arrays(exported) if a["Bytes"] and (a["Address"], a["Bytes"]) not in self.places])
        for array in _arrays(exported):
            array["Address"] = self.places[array["Address"], array["Bytes"]] if array["Bytes"] else 0
        return exported

    def _append(self, arrays: list[dict[str, Any]]) -> None:
        end, at = self.size, {}
        for array in arrays:
            at[array["Address"], array["Bytes"]] = end
            end += -(-array["Bytes"] // ALIGNED) * ALIGNED
        if not at:
            return
        try:
            memory.check(end - self.size)
            os.ftruncate(self.descriptor, end)  # posix_fallocate would allocate small pages
        except (OSError, MemoryError) as error:
            need = f"{(end - self.size) / 1e9:.3f} GB"
            raise MemoryError(
                f"a graph that other processes are to map needs {need} of shared memory ({error}); save it to a folder "
                "and open that: processes then share its files"
            ) from None
        file = mapped(self.descriptor, end, mmap.PROT_READ | mmap.PROT_WRITE)
        for (address, count), place in at.items():
            file[place : place + count] = memory.show(self, address, count, np.uint8)
        self.places |= at
        self.size = end

    def found(self, exported: dict[str, Any], base: int) -> None:
        """Replaces offsets by addresses for a mapping at base."""
        for array in _arrays(exported):
            if array["Bytes"]:
                self.places[base + array["Address"], array["Bytes"]] = array["Address"]
                array["Address"] += base

    @property
    def descriptor(self) -> int:
        """The descriptor of the open file."""
        return self._number


class Folder:
    """The folder that a graph was opened from, and the identity of the graph at that time."""

    __slots__ = ("path", "stamp")

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)
        self.stamp = stamp_of(self.path)


def stamp_of(folder: str) -> tuple[int, ...]:
    """The identity of the graph in a folder."""
    status = os.stat(os.path.join(folder, "graph.json"))
    return status.st_ino, status.st_size, status.st_mtime_ns


def _arrays(exported: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All arrays that exist, in the result of GraphArrays."""
    yield from exported["Arrays"]
    for table in exported["Derived"].values():
        if isinstance(table, dict) and table["Name"]:
            yield table


def mapped(descriptor: int, size: int, protection: int) -> Mapping:
    """The file as a mapped array; deleting the array ends the mapping."""
    file = mmap.mmap(descriptor, size, mmap.MAP_SHARED, protection)
    with contextlib.suppress(OSError):  # if the kernel has no huge pages for such files
        file.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(file, np.uint8)
