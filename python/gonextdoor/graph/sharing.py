"""Graphs for worker processes: multiprocessing sends a mapping of the graph, not a copy.

A graph in memory is copied once, to a file without a name (Linux's memfd), when it is first sent; tables
that were made of it since are added at the next. The file's descriptor is sent with the message, every process maps the
same pages, and the kernel frees the file with the last process that has it open, however that process ended. A graph
that was opened from a folder is opened there again.

This applies to multiprocessing's pickler only: a plain pickle holds the arrays themselves, for a file or another
machine. So does a message from a worker, which may end before it is read.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core import memory, native
from ..errors import FormatError

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["Folder", "Shared", "register"]

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
        file = _mapped(self.descriptor, end, mmap.PROT_READ | mmap.PROT_WRITE)
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
        self.stamp = _stamp(self.path)


def _stamp(folder: str) -> tuple[int, ...]:
    status = os.stat(os.path.join(folder, "graph.json"))
    return status.st_ino, status.st_size, status.st_mtime_ns


def _arrays(exported: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All arrays that exist, in the result of GraphArrays."""
    yield from exported["Arrays"]
    for table in exported["Derived"].values():
        if isinstance(table, dict) and table["Name"]:
            yield table


def _mapped(descriptor: int, size: int, protection: int) -> Mapping:
    """The file as a mapped array; deleting the array ends the mapping."""
    file = mmap.mmap(descriptor, size, mmap.MAP_SHARED, protection)
    with contextlib.suppress(OSError):  # if the kernel has no huge pages for such files
        file.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(file, np.uint8)


# The graphs that this process has sent or was sent, by the number of the file or the path of the folder: a process maps
# each once, however often it is sent.
_known = native.WeakValues()
_registered: set[type] = set()
_making = threading.Lock()


def register(kind: type[Graph]) -> None:
    """Registers how multiprocessing sends graphs of a class."""
    if kind in _registered or not hasattr(os, "memfd_create"):
        return
    from multiprocessing.reduction import ForkingPickler

    _registered.add(kind)
    ForkingPickler.register(kind, _reduced)


def _reduced(graph: Graph) -> tuple[Callable[..., Graph], tuple[Any, ...]]:
    from multiprocessing import context, parent_process
    from multiprocessing.reduction import DupFd

    if (folder := graph._folder) is not None:
        _known.put((folder.path, folder.stamp), graph)
        return _opened, (type(graph), folder.path, folder.stamp)
    if parent_process() is not None and context.get_spawning_popen() is None:
        kind, arrays = graph.__reduce__()  # a worker may end before its message is read
        return kind, arrays
    graph._held.check()
    with _making:
        shared = graph._held.shared()
        exported = json.loads(native.call("GraphArrays", graph._held.number))
        exported["Summary"].pop("Files", None)  # the receiver maps a copy
        layout = shared.layout(exported)
    _known.put(shared.key, graph)
    return _received, (type(graph), DupFd(shared.descriptor), shared.key, json.dumps(layout | {"Source": graph.source}))


def _opened(kind: type[Graph], path: str, stamp: tuple[int, ...]) -> Graph:
    """A graph that another process opened from a folder."""
    known: Graph | None = _known.of((path, stamp))
    if known is not None:
        return known
    if _stamp(path) != stamp:
        raise FormatError(f"{path}: the graph that was opened has been removed or replaced")
    opened: Graph = _known.put_first((path, stamp), kind.open(path))
    return opened


def _received(kind: type[Graph], sent: Any, key: int, layout: str) -> Graph:
    """A graph whose file another process sent."""
    shared = Shared(sent.detach())  # always, since the sender keeps it open until then
    os.set_inheritable(shared.descriptor, False)
    known: Graph | None = _known.of(key)
    if known is not None:
        return known
    exported = json.loads(layout)
    source = exported.pop("Source")
    file = _mapped(shared.descriptor, shared.size, mmap.PROT_READ)
    shared.found(exported, memory.address(file))
    graph = kind._of(native.call("GraphFromArrays", json.dumps(exported)))
    graph._source = source
    graph._held.keep(file, shared)
    first: Graph = _known.put_first(key, graph)
    return first
