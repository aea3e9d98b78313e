"""ActorTransport: the parts of a partitioned graph in actors, one per part."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

from ..partition import Cohort, Part, PartitionedGraph, PartitionedHeteroGraph, PartLostError, Superstep, Transport
from .framework import ray

__all__ = ["ActorTransport"]

AT_ONCE = 3  # calls of an actor: of cohorts in flight
LONGEST = 120.0  # seconds for the actors to be there again
PAUSE = 0.1  # seconds between questions to an actor that is not there

# Errors of Ray that mean that an actor, or what it returned, was on a machine that is lost.
LOST = (
    ray.exceptions.RayActorError,
    ray.exceptions.ActorUnavailableError,
    ray.exceptions.ObjectLostError,
    ray.exceptions.OwnerDiedError,
    ray.exceptions.GetTimeoutError,
)


class PartActor:
    """A part in a process of the cluster. Its arguments are a path and a number, so that it restarts anywhere.

    A part that cannot be opened is not a lost actor, which Ray would report, so its error is raised by the first call.
    """

    def __init__(self, folder: str, number: int) -> None:
        self._opened: Part | Exception
        try:
            self._opened = Part(folder, number)
        except Exception as error:
            self._opened = error

    def _part(self) -> Part:
        if isinstance(self._opened, Exception):
            raise self._opened
        return self._opened

    def superstep(self, cohort: Cohort, step: int, *inboxes: Any) -> tuple[Any, ...]:
        """The boxes to all parts, and the report."""
        boxes, report = self._part().superstep(cohort, step, inboxes)
        return *boxes, report

    def call(self, method: str, *arguments: Any) -> Any:
        """Calls a method of the part."""
        return getattr(self._part(), method)(*arguments)

    def number(self) -> int:
        """The number of the part, if the actor is there."""
        return self._part().number


class ActorTransport(Transport):
    """A transport for ``gonextdoor.partition`` whose parts are actors of a Ray cluster, spread over its nodes.

    Boxes pass from actor to actor through Ray's object store; this process has their references only. An actor that is
    lost with its node is restarted by Ray on another node, and opens its part by its path.

    Args:
        graph: a partitioned graph, whose folder all nodes can read.
        num_cpus: CPUs of an actor (default 1).

    Raises:
        ValueError: the parts are in memory.

    Examples:
        >>> import gonextdoor.ray
        >>> gnd.partition.write(gnd.rmat(8, seed=1), "parts", parts=2)
        >>> parts = gnd.partition.open("parts")
        >>> with gonextdoor.ray.ActorTransport(parts, num_cpus=0.25) as transport:
        ...     walks = gnd.partition.sample(parts, gnd.apps.DeepWalk(4), [0, 7], seed=1, transport=transport)
        >>> walks.numpy()
        array([[  0, 232, 176, 222,  60],
               [  7,  91, 165, 209, 172]], dtype=int32)
    """

    def __init__(self, graph: PartitionedGraph | PartitionedHeteroGraph, num_cpus: float = 1) -> None:
        if graph.path is None:
            raise ValueError("graph: its parts are in memory; write them with gonextdoor.partition.write")
        self.parts = graph.parts
        self._folder, self._num_cpus = os.path.abspath(graph.path), num_cpus
        self._actors = [self._actor(part) for part in range(self.parts)]

    def _actor(self, part: int) -> Any:
        kind = ray.remote(PartActor).options(
            num_cpus=self._num_cpus,
            max_restarts=-1,
            max_task_retries=0,  # a lost superstep has lost the state before it too
            max_concurrency=AT_ONCE,
            scheduling_strategy="SPREAD",
        )
        return kind.remote(self._folder, part)

    def superstep(self, part: int, cohort: Cohort, step: int, inboxes: Sequence[Any]) -> Superstep:
        call = self._actors[part].superstep.options(num_returns=self.parts + 1)
        *boxes, report = call.remote(cohort, step, *inboxes)
        return Superstep(boxes, (part, report))

    def ask(self, part: int, method: str, *arguments: Any) -> Any:
        return part, self._actors[part].call.remote(method, *arguments)

    def result(self, ticket: Any) -> Any:
        part, reference = ticket
        try:
            return ray.get(reference)
        except LOST as error:
            raise PartLostError(part, type(error).__name__) from error
        except ray.exceptions.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, LOST):  # an inbox was lost
                raise PartLostError(part, type(cause).__name__) from error
            if not isinstance(cause, Exception):
                raise
            raise cause from error

    def restart(self, part: int) -> None:
        """Waits until all actors are there: a node that is lost may have had several."""
        end = time.monotonic() + LONGEST
        for number in range(self.parts):
            while not self._there(number, end - time.monotonic()):
                if time.monotonic() > end:
                    raise PartLostError(number, f"no node started it again within {LONGEST:.0f} s")
                time.sleep(PAUSE)

    def _there(self, part: int, seconds: float) -> bool:
        try:
            return bool(ray.get(self._actors[part].number.remote(), timeout=max(seconds, PAUSE)) == part)
        except ray.exceptions.ActorDiedError:
            self._actors[part] = self._actor(part)
            return False
        except LOST:
            return False

    def close(self) -> None:
        for actor in self._actors:
            ray.kill(actor)
        self._actors = []
