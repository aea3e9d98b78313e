"""SharedStream: edges that many processes count, store and build, for one folder.

A task is a function of this module, of a record that all tasks of a pass share, and of a number. It may be repeated,
also while a lost process still runs it: its files have the same bytes, and get their names when they are complete.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from .._core import memory, native
from .._version import __version__
from ..graph.dataset import ParquetFiles
from ..graph.edgeblocks import EdgeBlocks, Side, StreamHandle
from ..graph.streaming import MOST, EdgeStream, target

__all__ = ["SharedStream", "Tasks"]

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]


class Tasks(Protocol):
    """Runs tasks, in other processes.

    Attributes:
        at_once: how many.
    """

    at_once: int

    def run(self, task: Callable[[Any, int], Any], common: Pass, count: int) -> Iterator[tuple[int, Any]]:
        """Runs task(common, number) for the numbers below count; yields numbers and results as they are complete."""


class Pass(NamedTuple):
    """What the tasks of a pass over the edges have in common.

    Attributes:
        blocks: of all edges.
        shares: the number of shares.
        limit: of ids.
        counts: those of all shares, for the second pass.
        folder: the folder to write, for the second pass.
        options: of StreamConvert.
        version: of gonextdoor.
    """

    blocks: EdgeBlocks
    shares: int
    limit: int = MOST
    counts: Bytes | None = None
    folder: str = ""
    options: dict[str, Any] = {}  # noqa: RUF012 (it is not changed)
    version: str = __version__

    def share(self, number: int) -> EdgeBlocks:
        """The edges of a share.

        Raises:
            RuntimeError: this process has another version of gonextdoor.
        """
        if self.version != __version__:
            raise RuntimeError(
                f"{os.uname().nodename} has gonextdoor {__version__}, but the conversion was started by "
                f"{self.version}: install the same version on all machines"
            )
        return self.blocks.share(number, self.shares)

    def counted(self) -> StreamHandle:
        """A stream that has counted all edges.

        Raises:
            FileNotFoundError: this machine does not have the folder.
        """
        if not os.path.isdir(self.folder):
            why = f"{os.strerror(errno.ENOENT)} on {os.uname().nodename}; pass a path that all nodes can write"
            raise FileNotFoundError(errno.ENOENT, why, os.path.dirname(self.folder))
        stream = self.blocks.stream(MOST)
        _merge(stream, self.counts)
        native.call("StreamNumber", stream.number, memory.address(np.zeros(4, np.int64)))
        return stream


class SharedStream(EdgeStream):
    """The edges of files, of which tasks read shares.

    Args:
        tasks: runs them.
        files, chosen, symmetric: as of ``EdgeStream``.
    """

    def __init__(self, tasks: Tasks, files: ParquetFiles, chosen: dict[str, Any], symmetric: bool) -> None:
        self._tasks = tasks
        super().__init__(files, chosen, symmetric)

    def _counted(self, limit: int) -> bool:
        self._blocks.find_unit()
        self._handle = self._blocks.stream(limit)
        for counts in self._shared(count_share, Pass(self._blocks, self._tasks.at_once, limit)):
            if counts is None:
                return False
            _merge(self._handle, counts)
        self._counts = _counts(self._handle)
        return True

    def _found_sides(self) -> list[Side]:
        sides = [Side(), Side()]
        for found in self._shared(find_sides, Pass(self._blocks, self._tasks.at_once)):
            for side, other in zip(sides, found, strict=True):
                side.merge(other)
        return sides

    def _fill(self, options: dict[str, Any]) -> None:
        folder = native.call("StreamFolder", self._handle.number)
        work = Pass(self._blocks, self._tasks.at_once, counts=self._counts, folder=folder, options=options)
        for _ in self._shared(store_share, work):
            pass
        for part, words in self._tasks.run(build_part, work, options["parts"] + 1):  # and the hot rows
            native.call("StreamAccept", self._handle.number, part, work.shares, memory.address(words))

    def _shared(self, task: Callable[[Pass, int], Any], common: Pass) -> Iterator[Any]:
        """The results of a task for each share."""
        return (result for _, result in self._tasks.run(task, common, common.shares))


def count_share(common: Pass, number: int) -> Bytes | None:
    """Counts the edges of a share; None if an id is negative or not below the limit."""
    stream = common.share(number).counted(common.limit)
    return None if stream is None else _counts(stream)


def find_sides(common: Pass, number: int) -> list[Side]:
    """The ids of the sources and of the targets of a share."""
    return common.share(number).find_sides()


def store_share(common: Pass, number: int) -> None:
    """Stores the edges of a share by parts."""
    blocks, stream = common.share(number), common.counted()
    try:
        arguments = target(common.folder, common.options)
        native.call("StreamStore", stream.number, arguments.text(), number)
        with blocks.renamed():
            blocks.place(stream)
        native.call("StreamFinish", stream.number, "{}", 0)
    finally:
        stream.drop()


def build_part(common: Pass, part: int) -> Words:
    """Builds a part from all shares. The result is for the process that accepts the part."""
    stream, words = common.counted(), np.zeros(2, np.uint64)
    try:
        arguments = target(common.folder, common.options)
        spec = arguments.text()
        native.call("StreamBuild", stream.number, spec, part, common.shares, memory.address(words), 0)
    finally:
        stream.drop()
    return words


def _counts(stream: StreamHandle) -> Bytes:
    """What a stream has counted."""
    counts = np.empty(native.call("StreamCounts", stream.number, 0), np.uint8)
    native.call("StreamCounts", stream.number, memory.address(counts))
    return counts


def _merge(stream: StreamHandle, counts: Any) -> None:
    """Adds the counts of other edges to a stream."""
    native.call("StreamMerge", stream.number, memory.address(counts), len(counts))
