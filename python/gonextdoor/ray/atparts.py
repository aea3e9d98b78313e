"""AtParts: ranges of a partitioned graph, each made by one of its parts with the others."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

from .._core.log import logger
from ..partition import PartitionedGraph, PartitionedHeteroGraph, PartLostError
from ..partition.anygraph import open_graph
from ..ranges.ranges import Ranges
from .failed import reported
from .framework import ray
from .meters import Meter
from .transport import RANGES, ActorTransport

__all__ = ["AtParts", "ranges_at_once"]

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


class AtParts:
    """Makes ranges of a run at the parts of its graph.

    All parts make ranges, several at once. A part starts the supersteps of its ranges at all parts and joins the walks.
    Trees and mini-batches grow in it. If a part is lost, this process makes it again, and redoes the ranges that needed
    it: no part has state beyond its ranges.

    Args:
        run: the run.
        num_cpus: of the actor of a part.
        total: the number of ranges.

    Attributes:
        at_once: the ranges that all parts together make at once.
        meter: counts what they do.
    """

    def __init__(self, run: Ranges, num_cpus: float, total: int) -> None:
        graph = open_graph(run.uri)
        assert isinstance(graph, (PartitionedGraph, PartitionedHeteroGraph))
        self._run, self.meter = ray.put(run), Meter(total, num_cpus)
        self._transport = ActorTransport(graph, num_cpus)
        self._each = ranges_at_once(num_cpus, run.parts, run.at_home)
        self.at_once = self._each * run.parts
        self._blocks = itertools.count(1)
        self._begun: dict[Any, _Attempt] = {}  # by Ray's references
        self._fresh = 1  # the first block since the last restart

    def close(self) -> None:
        """Ends the parts, and reports what they did."""
        self._transport.close()
        self.meter.close()
        logger.info("%d parts: %s", self._transport.parts, self.meter)

    def make(self, ranges: Sequence[range], path: str | None = None, compression: str = "none") -> Iterator[Any]:
        """Makes ranges, and yields each when it is complete: the size of its file, or its table.

        Args:
            ranges: the ranges, in any order.
            path: the folder for files; None (default): tables.
            compression: of files.

        Raises:
            PartLostError: a range was lost too often.
        """
        waiting = collections.deque((ids, 1) for ids in ranges)
        while waiting or self._begun:
            # 1. Give ranges to all parts that have room.
            while waiting and (part := self._free()) is not None:
                ids, number = waiting.popleft()
                block = next(self._blocks)
                _, reference = self._transport.make(part, block, self._run, ids, path, compression)
                self._begun[reference] = _Attempt(ids, number, part, block)
            # 2. Wait for one, and redo it if it was lost.
            ended, _ = ray.wait(list(self._begun), num_returns=1)
            attempt = self._begun.pop(ended[0])
            try:
                made, counts, busy = self._transport.result((attempt.part, ended[0]))
            except PartLostError as lost:
                self._redo(attempt, lost)
                waiting.appendleft((attempt.ids, attempt.number + 1))
                continue
            self.meter.made(attempt.part, counts, busy)
            yield made

    def _free(self) -> int | None:
        """The part that makes the fewest ranges; None if all make as many as they can."""
        makes = collections.Counter(attempt.part for attempt in self._begun.values())
        part = min(range(self._transport.parts), key=lambda part: (makes[part], -part))
        return part if makes[part] < self._each else None

    def _redo(self, attempt: _Attempt, lost: PartLostError) -> None:
        """Makes lost parts again, and lets all parts forget an attempt."""
        if attempt.number == ATTEMPTS:
            raise reported(lost, attempt.ids) from lost
        logger.warning("%s: beginning ids %d to %d again", lost, attempt.ids.start, attempt.ids.stop - 1)
        if attempt.block >= self._fresh:  # else a restart since then has found all parts
            self._transport.restart(lost.part)
            self.meter.restarted()
            self._fresh = 1 + max([attempt.block, *(other.block for other in self._begun.values())])
        transport = self._transport
        for ticket in [transport.ask(part, "retire", attempt.block) for part in range(transport.parts)]:
            with contextlib.suppress(PartLostError):
                transport.result(ticket)
