"""Graphs for worker processes: multiprocessing sends a mapping of the graph, not a copy.

A graph in memory is copied once, to a file without a name (Linux's memfd), when it is first sent; tables
that were made of it since are added at the next. The file's descriptor is sent with the message, every process maps the
same pages, and the kernel frees the file with the last process that has it open, however that process ended. A graph
that was opened from a folder is opened there again.

This applies to multiprocessing's pickler only: a plain pickle holds the arrays themselves, for a file or another
machine. So does a message from a worker, which may end before it is read.
"""

from __future__ import annotations

import json
import mmap
import os
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from .._core import memory, native
from ..errors import FormatError
from .constructors import Constructors
from .sharedfile import Shared, mapped, stamp_of

__all__ = ["register"]

G = TypeVar("G", bound=Constructors)

# The graphs that this process has sent or was sent, by the number of the file or the path of the folder: a process maps
# each once, however often it is sent.
_known = native.WeakValues()
_registered: set[type] = set()
_making = threading.Lock()


def register(kind: type[Constructors]) -> None:
    """Registers how multiprocessing sends graphs of a class."""
    if kind in _registered or not hasattr(os, "memfd_create"):
        return
    from multiprocessing.reduction import ForkingPickler

    _registered.add(kind)
    ForkingPickler.register(kind, _reduced)


def _reduced(graph: G) -> tuple[Callable[..., G], tuple[Any, ...]]:
    from multiprocessing import context, parent_process
    from multiprocessing.reduction import DupFd

    if (folder := graph._folder) is not None:
        _known.put((folder.path, folder.stamp), graph)
        return _opened, (type(graph), folder.path, folder.stamp)
    if parent_process() is not None and context.get_spawning_popen() is None:
        return graph.__reduce__()  # type: ignore[return-value]  # a worker may end before its message is read
    graph._held.check()
    with _making:
        shared = graph._held.shared()
        exported = json.loads(native.call("GraphArrays", graph._held.number))
        exported["Summary"].pop("Files", None)  # the receiver maps a copy
        layout = shared.layout(exported)
    _known.put(shared.key, graph)
    return _received, (type(graph), DupFd(shared.descriptor), shared.key, json.dumps(layout | {"Source": graph.source}))


def _opened(kind: type[G], path: str, stamp: tuple[int, ...]) -> G:
    """A graph that another process opened from a folder."""
    known: G | None = _known.of((path, stamp))
    if known is not None:
        return known
    if stamp_of(path) != stamp:
        raise FormatError(f"{path}: the graph that was opened has been removed or replaced")
    opened: G = _known.put_first((path, stamp), kind.open(path))
    return opened


def _received(kind: type[G], sent: Any, key: int, layout: str) -> G:
    """A graph whose file another process sent."""
    shared = Shared(sent.detach())  # always, since the sender keeps it open until then
    os.set_inheritable(shared.descriptor, False)
    known: G | None = _known.of(key)
    if known is not None:
        return known
    exported = json.loads(layout)
    source = exported.pop("Source")
    file = mapped(shared.descriptor, shared.size, mmap.PROT_READ)
    shared.found(exported, memory.address(file))
    graph = kind._of(native.call("GraphFromArrays", json.dumps(exported)), source=source)
    graph._held.keep(file, shared)
    first: G = _known.put_first(key, graph)
    return first
