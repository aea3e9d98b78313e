"""Transport: how the driver reaches the parts. InProcess runs them in this process."""

from __future__ import annotations

import abc
import concurrent.futures
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .._core.arguments import checked_threads, cores
from .part import Cohort

if TYPE_CHECKING:
    from .graph import PartitionedGraph
    from .hetero import PartitionedHeteroGraph

__all__ = ["InProcess", "Superstep", "Transport"]


class Superstep(NamedTuple):
    """A superstep of one part that was started.

    Attributes:
        boxes: the box to each part, which the driver passes on and does not read.
        ticket: for ``Transport.result``, which returns the ``Report``.

    Examples:
        >>> class Counting(gnd.partition.InProcess):
        ...     count = 0
        ...
        ...     def superstep(self, part, cohort, step, inboxes):
        ...         Counting.count += 1
        ...         boxes, ticket = super().superstep(part, cohort, step, inboxes)
        ...         return gnd.partition.Superstep(boxes, ticket)
        >>> graph = gnd.partition.split(gnd.Graph.from_edges([0, 1], [1, 2]), 3, [0, 1, 2])
        >>> with Counting(graph) as transport:
        ...     walks = gnd.partition.sample(graph, gnd.apps.DeepWalk(2), [0], seed=1, transport=transport)
        >>> Counting.count
        4
    """

    boxes: Sequence[Any]
    ticket: Any


class Transport(abc.ABC):
    """How the driver of a sampling call reaches the parts of a graph.

    A transport makes a ``Part`` for each part, in this process or in another, and calls its methods. A call is started
    without waiting for it, and its ticket is exchanged for the result later, so that parts work at the same time. Boxes
    are passed from part to part; the driver only holds what stands for them.

    If a part dies, ``result`` raises ``PartLostError``. The driver then calls ``restart`` and begins the cohorts that
    have not ended again, from their roots. Nothing else must be restored, and the samples are the same.

    ``InProcess`` is the simplest implementation.

    Attributes:
        parts: the number of parts.

    Examples:
        >>> graph = gnd.partition.split(gnd.rmat(8, seed=1), 2)
        >>> with gnd.partition.InProcess(graph) as transport:
        ...     walks = gnd.partition.sample(graph, gnd.apps.DeepWalk(4), [0, 7], seed=1, transport=transport)
        >>> walks.numpy()
        array([[  0, 232, 176, 222,  60],
               [  7,  91, 165, 209, 172]], dtype=int32)
    """

    parts: int

    @abc.abstractmethod
    def superstep(self, part: int, cohort: Cohort, step: int, inboxes: Sequence[Any]) -> Superstep:
        """Starts ``Part.superstep(cohort, step, inboxes)``.

        Args:
            part: the part.
            cohort: the cohort.
            step: the superstep.
            inboxes: boxes of other calls of this method, or arrays of the driver (uint8).

        Returns:
            The boxes to all parts, and the ticket of the report.
        """

    @abc.abstractmethod
    def ask(self, part: int, method: str, *arguments: Any) -> Any:
        """Starts a method of ``Part`` by its name. Returns a ticket."""

    @abc.abstractmethod
    def result(self, ticket: Any) -> Any:
        """Waits for a call and returns its result, or raises its exception.

        Raises:
            PartLostError: the part died, or lost the state of the cohort.
        """

    @abc.abstractmethod
    def restart(self, part: int) -> None:
        """Makes a part that was lost again, without state. Does nothing if that is automatic."""

    @abc.abstractmethod
    def close(self) -> None:
        """Ends the parts."""

    def __enter__(self) -> Transport:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class InProcess(Transport):
    """A transport that runs all parts in this process.

    Args:
        graph: the partitioned graph.
        threads: the number of parts that work at the same time, at least 1; None (default): one per core.

    Raises:
        TypeError: threads is not an int.
        ValueError: threads is below 1.
        OSError: a part cannot be read.
        FormatError: a part is damaged, or of another run.

    Examples:
        >>> graph = gnd.partition.split(gnd.rmat(8, seed=1), 2)
        >>> gnd.partition.InProcess(graph, threads=1).parts
        2
    """

    def __init__(self, graph: PartitionedGraph | PartitionedHeteroGraph, threads: int | None = None) -> None:
        count = cores() if threads is None else checked_threads(threads)
        self._graph, self.parts = graph, graph.parts
        self._part = [graph.part(i) for i in range(graph.parts)]
        self._pool = concurrent.futures.ThreadPoolExecutor(count) if min(count, graph.parts) > 1 else None

    def superstep(self, part: int, cohort: Cohort, step: int, inboxes: Sequence[Any]) -> Superstep:
        given = [self.result(box) if isinstance(box, _Ticket) else box for box in inboxes]
        call = self._start(self._part[part].superstep, cohort, step, given)
        return Superstep([_Ticket(call, (0, to)) for to in range(self.parts)], _Ticket(call, (1,)))

    def ask(self, part: int, method: str, *arguments: Any) -> Any:
        return _Ticket(self._start(getattr(self._part[part], method), *arguments), ())

    def result(self, ticket: Any) -> Any:
        value = ticket.call.result()
        for index in ticket.path:
            value = value[index]
        return value

    def restart(self, part: int) -> None:
        self._part[part] = self._graph.part(part)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def _start(self, function: Callable[..., Any], *arguments: Any) -> concurrent.futures.Future[Any]:
        """Calls a function in the pool, or here if there is none."""
        if self._pool is not None:
            return self._pool.submit(function, *arguments)
        call: concurrent.futures.Future[Any] = concurrent.futures.Future()
        try:
            call.set_result(function(*arguments))
        except Exception as error:
            call.set_exception(error)
        return call


class _Ticket(NamedTuple):
    """An element of the result of a call: result[i][j] for the path (i, j)."""

    call: concurrent.futures.Future[Any]
    path: tuple[int, ...]
