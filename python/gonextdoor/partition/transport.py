"""Transport: how the driver reaches the parts. InProcess runs them in this process."""

from __future__ import annotations

import abc
import concurrent.futures
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .._core.arguments import checked_threads, cores
from .part import Cohort, Part

if TYPE_CHECKING:
    from .graph import PartitionedGraph
    from .hetero import PartitionedHeteroGraph

__all__ = ["InProcess", "Transport"]


class Transport(abc.ABC):
    """How the driver of a sampling call reaches the parts of a graph.

    A transport makes a ``Part`` for each part, in this process or in another, and calls its methods. A call is started
    without waiting for it, and its ticket is exchanged for the result later, so that parts work at the same time. The
    driver passes boxes on and does not read them, so a report may have what stands for them instead.

    If a part dies, ``result`` raises ``PartLostError``. The driver then calls ``restart`` and begins the cohorts that
    have not ended again, from their roots. Nothing else must be restored, and the samples are the same.

    ``InProcess`` is the simplest implementation.

    Attributes:
        parts: the number of parts.
        cohorts: the cohorts in flight that keep the parts busy (default 3).
        home: the part in which trees and mini-batches grow unless a call says otherwise (default 0).
        block: of the numbers of cohorts. Drivers of different processes that use the same parts need different ones
            (default 0).
        redone: whether the caller redoes a call that a lost part ended (default False: ``restart`` makes the part
            again, and the driver continues).

    Examples:
        >>> graph = gnd.partition.split(gnd.rmat(8, seed=1), 2)
        >>> with gnd.partition.InProcess(graph) as transport:
        ...     walks = gnd.partition.sample(graph, gnd.apps.DeepWalk(4), [0, 7], seed=1, transport=transport)
        >>> walks.numpy()
        array([[  0, 232, 176, 222,  60],
               [  7,  91, 165, 209, 172]], dtype=int32)
    """

    parts: int
    cohorts = 3
    home = 0
    block = 0
    redone = False

    @abc.abstractmethod
    def superstep(self, part: int, cohort: Cohort, step: int, inboxes: Sequence[Any]) -> Any:
        """Starts ``Part.superstep(cohort, step, inboxes)``, and returns a ticket.

        Args:
            part: the part.
            cohort: the cohort.
            step: the superstep.
            inboxes: boxes of the reports of other calls, or arrays of the driver (uint8).
        """

    @abc.abstractmethod
    def ask(self, part: int, method: str, *arguments: Any) -> Any:
        """Starts a method of ``Part`` by its name, and returns a ticket."""

    def here(self, part: int) -> Part | None:
        """Returns a part of the graph that is open in this process; None (the default): a home opens it again."""
        del part
        return None

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
        threads: the number of calls of parts at the same time, at least 1; None (default): one per core.

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
        self._pool = concurrent.futures.ThreadPoolExecutor(count) if count > 1 else None
        # Each cohort occupies all parts. While one waits for its slowest part, another one works.
        self.cohorts = 1 + max(1, -(-count // graph.parts))

    def superstep(self, part: int, cohort: Cohort, step: int, inboxes: Sequence[Any]) -> Any:
        return self.ask(part, "superstep", cohort, step, inboxes)

    def ask(self, part: int, method: str, *arguments: Any) -> Any:
        return self._start(getattr(self._part[part], method), *arguments)

    def result(self, ticket: Any) -> Any:
        return ticket.result()

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
