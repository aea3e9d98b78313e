"""ActorTransport: the parts of a partitioned graph in actors, one per part."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from typing import Any

from .._version import __version__
from ..partition import PartitionedGraph, PartitionedHeteroGraph, PartLostError
from ..storage.head import head_of
from ..storage.location import located
from . import resources
from .calls import LOST, ActorCalls
from .framework import NodeAffinitySchedulingStrategy, ray
from .partactor import PartActor

__all__ = ["ActorTransport"]

AT_ONCE = 3  # calls of an actor at the same time, at least
RANGES = 16  # that an actor makes at the same time, at most: they bound its memory
LONGEST = 120.0  # seconds for the actors to be there again
PATIENCE = 1.0  # seconds until an actor that is not there gets a substitute
PAUSE = 0.2  # seconds between calls of an actor that is not there


class ActorTransport(ActorCalls):
    """A transport for ``gonextdoor.partition`` whose parts are actors of a Ray cluster, spread over its nodes.

    The actor of a part is made at its first call. A superstep returns one object, which has the boxes below 1 MB; they
    pass through this process. Larger ones pass from actor to actor. If an actor is lost with its node, another one
    opens the part by its path, on another node. Several threads may use a transport.

    Args:
        graph: a partitioned graph, whose folder all nodes can read, or copy from its URI.
        num_cpus: CPUs of an actor. None (default): one, or less if the cluster has fewer CPUs than there are parts.

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

    def __init__(self, graph: PartitionedGraph | PartitionedHeteroGraph, num_cpus: float | None = None) -> None:
        if graph.path is None:
            raise ValueError("graph: its parts are in memory; write them with gonextdoor.partition.write")
        at = located("graph", graph.path)
        super().__init__(graph.parts)
        self._folder, self._digest, self._num_cpus = at.uri, head_of(at).digest, num_cpus
        self._checked = False  # whether the nodes were compared with the CPUs
        self._actors: dict[int, Any] = {}  # by part
        self._making = threading.Lock()  # guards the actors
        self._restarting = threading.Lock()

    def _actor(self, part: int) -> Any:
        """The actor of a part, which is made if there is none."""
        with self._making:
            if part not in self._actors:
                self._actors[part] = self._made(part, "SPREAD")
            return self._actors[part]

    @property
    def cohorts(self) -> int:  # type: ignore[override]
        """The cohorts in flight that keep the parts busy: one per CPU of an actor, and at least 3."""
        return max(AT_ONCE, math.ceil(self._cpus()))

    def make(self, part: int, block: int, *arguments: Any) -> Any:
        """Starts ``PartActor.make`` with all arguments but the last two, and returns a ticket."""
        actors = [self._actor(number) for number in range(self.parts)]
        call = actors[part].make.options(concurrency_group="ranges")
        return part, call.remote(*arguments, actors, block)

    def _cpus(self) -> float:
        """The CPUs of an actor, which are determined when the first one is made."""
        if not self._checked:
            if self._num_cpus is None:
                self._num_cpus = resources.share(self.parts)
            resources.check(self._num_cpus, actors=max(1, self.parts - 1))  # a home part may be in this process
            self._checked = True
        assert self._num_cpus is not None
        return self._num_cpus

    def _made(self, part: int, scheduling: Any) -> Any:
        cpus = self._cpus()
        groups: Any = {"concurrency_groups": {"ranges": RANGES, "asked": 1}}
        kind = ray.remote(**groups)(PartActor).options(
            num_cpus=cpus,
            max_restarts=-1,
            max_task_retries=0,  # a lost superstep has lost the state before it too
            max_concurrency=max(AT_ONCE, math.ceil(cpus)),
            scheduling_strategy=scheduling,
        )
        return kind.remote(__version__, self._folder, self._digest, part)

    def restart(self, part: int) -> None:
        """Waits until all actors are there: a node that is lost may have had several.

        Ray starts them again when it has noticed that the node is lost, which may take long. Meanwhile each has a
        substitute on a node that answers. The first of both that is there is used.

        A call of a lost actor takes some 2 s to fail, even if the actor is there again meanwhile, but a later call does
        not wait for it. So each actor is asked again and again without waiting for earlier calls.
        """
        with self._restarting:
            waiting = {number: [self._actor(number)] for number in list(self._actors)}
            try:
                self._await(waiting)
            finally:
                for _, *substitutes in waiting.values():
                    for actor in substitutes:
                        ray.kill(actor)

    def _await(self, waiting: dict[int, list[Any]]) -> None:
        """Waits until each part has an actor, and removes it from the actors that it may have."""
        begin = time.monotonic()
        nodes: list[str] = []  # of parts that answer
        asked: dict[Any, tuple[int, Any]] = {}  # parts and their actors by calls
        while waiting:
            if time.monotonic() > begin + LONGEST:
                raise PartLostError(min(waiting), f"no node started it again within {LONGEST:.0f} s")
            for number, actors in waiting.items():
                if len(actors) == 1 and time.monotonic() > begin + PATIENCE:
                    on = nodes or [ray.get_runtime_context().get_node_id()]
                    actors.append(self._made(number, NodeAffinitySchedulingStrategy(on[number % len(on)], soft=True)))
                asked |= {actor.node.options(concurrency_group="asked").remote(): (number, actor) for actor in actors}
            time.sleep(PAUSE)
            ended, _ = ray.wait(list(asked), num_returns=len(asked), timeout=0)
            for call in ended:
                number, actor = asked.pop(call)
                if (node := self._node(call)) and number in waiting:
                    nodes.append(node)
                    self._replace(number, actor, waiting.pop(number))

    def _replace(self, part: int, actor: Any, actors: Sequence[Any]) -> None:
        """Makes one of the actors of a part the only one."""
        with self._making:
            self._actors[part] = actor
        for other in actors:
            if other is not actor:
                ray.kill(other)

    def _node(self, call: Any) -> str | None:
        """The node on which an actor has answered a call that ended; None if it is lost."""
        try:
            return str(ray.get(call))
        except LOST:
            return None
        except ray.exceptions.RayTaskError as error:  # it cannot open its part
            raise error.cause from error

    def close(self) -> None:
        with self._making:
            for actor in self._actors.values():
                ray.kill(actor)
            self._actors = {}
