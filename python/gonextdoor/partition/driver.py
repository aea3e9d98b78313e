"""The driver: cohorts of samples, superstep by superstep, on the parts of a graph."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory, native
from .._core.log import logger
from .graph import PartitionedGraph
from .part import BLOCK, Cohort, HeldState, PartLostError, Recorded, taken
from .transport import Transport

__all__ = ["Done", "Driver", "Work"]

Array = npt.NDArray[Any]

_numbers = itertools.count()  # of the cohorts of this process, whose drivers may use the same parts


@dataclasses.dataclass(frozen=True)
class Work:
    """Samples that one cohort makes.

    Attributes:
        first_id: the id of the first sample.
        roots: the roots, (count, each) uint32.
    """

    first_id: int
    roots: Array


@dataclasses.dataclass(frozen=True)
class Done:
    """A cohort that has ended.

    Attributes:
        work: the samples.
        recorded: what each part recorded.
        supersteps: their number.
        messages: the messages between parts, those of attempts that failed left out.
        size: the bytes of their boxes.
    """

    work: Work
    recorded: list[Recorded]
    supersteps: int
    messages: int
    size: int


@dataclasses.dataclass
class _Flight:
    """An attempt of a cohort."""

    work: Work
    cohort: Cohort
    attempt: int
    step: int
    started: dict[int, Any]  # tickets of supersteps, by part
    messages: int = 0
    size: int = 0


class Driver:
    """Makes samples on the parts that a transport reaches.

    Each superstep of a cohort advances its walks at all parts, which then exchange one box per pair of parts. A few
    cohorts are in flight, so that some compute while others exchange. Several drivers may use the same parts at once.
    If a part is lost, all cohorts in flight begin again from their roots, unless the transport's owner redoes the call.

    Args:
        graph: the partitioned graph.
        transport: reaches its parts.
        in_flight: the number of cohorts that are in flight, at least 1.
        retries: how often a cohort may begin again.
    """

    def __init__(self, graph: PartitionedGraph, transport: Transport, in_flight: int = 2, retries: int = 8) -> None:
        self._graph, self._transport, self._in_flight, self._retries = graph, transport, in_flight, retries

    def run(self, work: Iterable[Work], template: Cohort) -> Iterator[Done]:
        """Makes samples, and yields each cohort when it has ended, which may be in any order.

        Args:
            work: the samples of each cohort.
            template: the cohort of all of them, but for its number, its first id and its count.

        Raises:
            PartLostError: a cohort was begun again too often.
        """
        waiting = iter(work)
        flights: collections.deque[_Flight] = collections.deque()
        try:
            while True:
                # 1. Start cohorts until there are enough in flight.
                while len(flights) < self._in_flight:
                    one = next(waiting, None)
                    if one is None:
                        break
                    flights.append(self._launch(one, template, 0))
                if not flights:
                    return
                # 2. Wait for the superstep of the first one, and start its next one or yield it.
                flight = flights.popleft()
                try:
                    done = self._advance(flight)
                except PartLostError as lost:
                    if self._transport.redone:  # and the parts retire the cohorts
                        flights.clear()
                        raise
                    flights.appendleft(flight)
                    flights = collections.deque(self._again(flights, lost))
                    continue
                if done is None:
                    flights.append(flight)
                else:
                    yield done
        finally:
            self._forget(flights)

    def _launch(self, work: Work, template: Cohort, attempt: int) -> _Flight:
        """Begins a cohort at all parts."""
        count, each = work.roots.shape
        number = (self._transport.block << BLOCK) + next(_numbers)
        cohort = dataclasses.replace(template, number=number, first_id=work.first_id, count=count)
        roots = np.ascontiguousarray(work.roots, np.uint32)
        arguments = *cohort.app, memory.address(roots), roots.size, each
        started = HeldState(native.call("CohortStart", self._graph._held.number, *arguments), "DropCohort", roots)
        boxes = taken(started, self._graph.parts).boxes
        steps = {part: self._transport.superstep(part, cohort, 0, [box]) for part, box in enumerate(boxes)}
        return _Flight(work, cohort, attempt, 0, steps)

    def _advance(self, flight: _Flight) -> Done | None:
        """Waits for the superstep of a cohort. Starts the next one, or returns the cohort if it has ended."""
        transport = self._transport
        inboxes: dict[int, list[Any]] = {}
        for report in [transport.result(ticket) for ticket in flight.started.values()]:
            flight.messages += report.messages
            for to, size in enumerate(report.sizes):
                if size:
                    flight.size += size
                    inboxes.setdefault(to, []).append(report.boxes[to])
        if inboxes:
            flight.step += 1
            flight.started = {
                part: transport.superstep(part, flight.cohort, flight.step, boxes) for part, boxes in inboxes.items()
            }
            return None
        tickets = [transport.ask(part, "collect", flight.cohort.number) for part in range(self._graph.parts)]
        recorded = [transport.result(ticket) for ticket in tickets]
        return Done(flight.work, recorded, flight.step + 1, flight.messages, flight.size)

    def _again(self, flights: Iterable[_Flight], lost: PartLostError) -> Iterator[_Flight]:
        """Begins cohorts again after a part was lost."""
        flights = list(flights)
        logger.warning("%s: beginning %d cohorts again", lost, len(flights))
        self._transport.restart(lost.part)
        self._forget(flights)  # when the part is there again: each call of a lost one may take seconds to fail
        for flight in flights:
            if flight.attempt == self._retries:
                raise lost
            yield self._launch(flight.work, flight.cohort, flight.attempt + 1)

    def _forget(self, flights: Iterable[_Flight]) -> None:
        """Makes the parts forget attempts. Waits for their supersteps first, which may have failed."""
        transport, flights = self._transport, list(flights)
        for ticket in [ticket for flight in flights for ticket in flight.started.values()]:
            with contextlib.suppress(Exception):
                transport.result(ticket)
        parts, numbers = range(self._graph.parts), [flight.cohort.number for flight in flights]
        for ticket in [transport.ask(part, "forget", number) for number in numbers for part in parts]:
            with contextlib.suppress(Exception):
                transport.result(ticket)
