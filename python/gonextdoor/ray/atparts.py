"""write_at_parts: the files of a partitioned graph, each made by one of its parts with the others."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import itertools
import math
from collections.abc import Sequence
from typing import Any

from .._core.log import logger
from ..partition import PartitionedGraph, PartitionedHeteroGraph, PartLostError
from ..partition.anygraph import open_graph
from ..ranges.ranges import Ranges
from .failed import reported
from .framework import ray
from .meters import Meter
from .transport import RANGES, ActorTransport

__all__ = ["write_at_parts"]

ATTEMPTS = 9  # at a range, if a part is lost each time


def ranges_at_once(num_cpus: float, parts: int, at_home: bool = False) -> int:
    """The ranges that a part makes at once, two at least.

    A range of walks keeps one CPU of each part busy, or one of the part that joins and writes. At each superstep it
    waits for the slowest part and for the network. So there are four ranges per CPU of a part, divided among the parts.
    Trees and mini-batches keep a CPU of their home busy.

    Args:
        num_cpus: of a part.
        parts: of the graph.
        at_home: whether the rows are trees or mini-batches.
    """
    wanted = num_cpus + 1 if at_home else 4 * num_cpus / parts
    return min(RANGES, max(2, math.ceil(wanted)))


@dataclasses.dataclass
class _Attempt:
    """A range that a part makes.

    Attributes:
        ids: the range.
        number: from 1.
        part: the part.
        block: of the numbers of its cohorts. Later attempts have larger ones.
    """

    ids: range
    number: int
    part: int
    block: int


def write_at_parts(run: Ranges, ranges: Sequence[range], path: str, compression: str, num_cpus: float) -> int:
    """Writes files of a run, and returns their size.

    All parts make ranges, several at once if they have several CPUs. A part starts the supersteps of its ranges at all
    parts, joins the walks, and writes the file. Trees and mini-batches grow in it. If a part is lost, this process
    makes it again, and redoes the ranges that needed it: no part has state beyond its ranges.

    Args:
        run: the run.
        ranges: the ranges of the files.
        path, compression: as for ``Ranges.write``.
        num_cpus: of the actor of a part.

    Raises:
        PartLostError: a range was lost too often.
    """
    graph = open_graph(run.uri)
    assert isinstance(graph, (PartitionedGraph, PartitionedHeteroGraph))
    meter, transport = Meter(len(ranges), num_cpus), ActorTransport(graph, num_cpus)
    with transport, contextlib.closing(meter):
        size = _Dispatch(run, path, compression, num_cpus, transport, meter).write(ranges)
    logger.info("%d files of %d parts: %s", len(ranges), run.parts, meter)
    return size


class _Dispatch:
    """Gives ranges to parts, each to a part that makes the fewest."""

    def __init__(
        self, run: Ranges, path: str, compression: str, num_cpus: float, transport: ActorTransport, meter: Meter
    ) -> None:
        self._arguments = ray.put(run), path, compression
        self._transport, self._meter = transport, meter
        self._at_once = ranges_at_once(num_cpus, run.parts, run.at_home)
        self._blocks = itertools.count(1)
        self._begun: dict[Any, _Attempt] = {}  # by Ray's references
        self._fresh = 1  # the first block since the last restart

    def write(self, ranges: Sequence[range]) -> int:
        """Writes the files of ranges."""
        waiting = collections.deque((ids, 1) for ids in ranges)
        size = 0
        while waiting or self._begun:
            # 1. Give ranges to all parts that have room.
            while waiting and (part := self._free()) is not None:
                self._begin(part, *waiting.popleft())
            # 2. Wait for one, and redo it if it was lost.
            ended, _ = ray.wait(list(self._begun), num_returns=1)
            attempt = self._begun.pop(ended[0])
            try:
                bytes_, counts, busy = self._transport.result((attempt.part, ended[0]))
            except PartLostError as lost:
                self._redo(attempt, lost)
                waiting.appendleft((attempt.ids, attempt.number + 1))
                continue
            size += bytes_
            self._meter.made(attempt.part, counts, busy)
        return size

    def _free(self) -> int | None:
        """The part that makes the fewest ranges; None if all make as many as they can."""
        makes = collections.Counter(attempt.part for attempt in self._begun.values())
        part = min(range(self._transport.parts), key=lambda part: (makes[part], -part))
        return part if makes[part] < self._at_once else None

    def _begin(self, part: int, ids: range, number: int) -> None:
        run, *rest = self._arguments
        block = next(self._blocks)
        _, reference = self._transport.write(part, block, run, ids, *rest)
        self._begun[reference] = _Attempt(ids, number, part, block)

    def _redo(self, attempt: _Attempt, lost: PartLostError) -> None:
        """Makes lost parts again, and lets all parts forget an attempt."""
        if attempt.number == ATTEMPTS:
            raise reported(lost, attempt.ids) from lost
        logger.warning("%s: beginning ids %d to %d again", lost, attempt.ids.start, attempt.ids.stop - 1)
        if attempt.block >= self._fresh:  # else a restart since then has found all parts
            self._transport.restart(lost.part)
            self._meter.restarted()
            self._fresh = 1 + max([attempt.block, *(other.block for other in self._begun.values())])
        transport = self._transport
        for ticket in [transport.ask(part, "retire", attempt.block) for part in range(transport.parts)]:
            with contextlib.suppress(PartLostError):
                transport.result(ticket)
