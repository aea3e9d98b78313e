"""Actors: the processes of a cluster that sample ranges, and the resources that each has."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from .._core.checks import check_int, checked_number
from ..partition import PartitionedGraph, PartitionedHeteroGraph
from ..partition.anygraph import open_graph
from ..ranges.ranges import Ranges
from . import resources
from .framework import ray
from .transport import ActorTransport

__all__ = ["Actors", "Parts"]

SOURCE_BLOCKS = 10_000  # of a dataset of ranges, at most
DRIVER_CPUS = 0.1  # of the actor that makes the rows of a dataset of a partitioned graph, and mostly waits

# Ranges that an actor has at once. Ray Data replaces finished ones every 0.1 s only, so two, its default, leave an
# actor without work if a range takes less than that. They cannot move to another actor, so they are a quarter of an
# actor's share at most.
MOST_AT_ONCE, LEAST_AT_ONCE = 8, 2

Concurrency = int | tuple[int, int] | None


class Parts:
    """Makes the actors of a partitioned graph's parts when they are first needed, in the process that needs them.

    Args:
        num_cpus: of each of them.
    """

    def __init__(self, num_cpus: float) -> None:
        self._num_cpus = num_cpus
        self._transport: ActorTransport | None = None

    def transport(self, run: Ranges) -> ActorTransport | None:
        """The transport to the parts of a run's graph; None if it is not partitioned."""
        if run.parts and self._transport is None:
            graph = open_graph(run.uri)
            assert isinstance(graph, (PartitionedGraph, PartitionedHeteroGraph))
            self._transport = ActorTransport(graph, self._num_cpus)
        return self._transport


@dataclasses.dataclass(frozen=True)
class Actors:
    """The resources and the number of actors.

    Attributes:
        device: "cpu", or "cuda".
        num_cpus: of an actor. None: one, or less if a partitioned graph has more parts than the cluster has CPUs.
        num_gpus: of an actor. None: one if the device is "cuda".
        concurrency: the number of actors, or (least, most); None: as many as the cluster has resources for.
    """

    device: Any
    num_cpus: float | None
    num_gpus: float | None
    concurrency: Concurrency

    def __post_init__(self) -> None:
        if self.device not in ("cpu", "cuda"):
            raise ValueError(
                f'device = {self.device!r}: expected "cpu" or "cuda", of which Ray assigns one to an actor'
            )
        for name in ("num_cpus", "num_gpus"):
            value = getattr(self, name)
            if value is not None and not 0 <= checked_number(name, value) < math.inf:
                raise ValueError(f"{name} = {value}: expected a number of at least 0")
        if self.device == "cpu" and self.num_gpus:
            raise ValueError(f'num_gpus = {self.num_gpus}: expected none with device = "cpu"; pass device="cuda"')
        if self.concurrency is not None:
            least, most = self.bounds()
            check_int("concurrency", most, check_int("concurrency", least, 1, 1 << 20), 1 << 20)

    @property
    def threads(self) -> int:
        """CPU threads of an actor."""
        return max(1, int(1 if self.num_cpus is None else self.num_cpus))

    @property
    def gpus(self) -> float:
        """GPUs of an actor."""
        return (1 if self.device == "cuda" else 0) if self.num_gpus is None else self.num_gpus

    def bounds(self) -> tuple[int, int]:
        """The least and the most actors that were asked for."""
        given: Any = self.concurrency
        if isinstance(given, (tuple, list)) and len(given) == 2:
            return given[0], given[1]
        return given, given

    def map(self, run: Ranges, numbers: Sequence[int], kind: Any, *arguments: Any) -> Any:
        """A lazy dataset: the ranges of a run with these numbers, each passed to a callable object of an actor.

        Args:
            run: the run. Of a partitioned graph, one actor makes all rows. It has the others, which have the parts.
            numbers: of the ranges.
            kind: makes the callable object from the run, its parts and the arguments.
            arguments: the others.
        """
        blocks = max(1, min(len(numbers), SOURCE_BLOCKS))
        source = ray.data.from_items([{"range": number} for number in numbers], override_num_blocks=blocks)
        reserved = DRIVER_CPUS if run.parts and not run.at_home else 0.0
        cpus = self._cpus(run.parts or 1, reserved)
        given: dict[str, Any] = {"num_cpus": reserved or cpus}
        if self.gpus:
            given["num_gpus"] = self.gpus
        return source.map_batches(
            kind,
            fn_constructor_args=(run, Parts(cpus), *arguments),
            batch_size=1,
            batch_format="numpy",
            compute=ray.data.ActorPoolStrategy(size=1) if run.parts else self._pool(blocks),
            **given,
        )

    def cpus_of_parts(self, parts: int) -> float:
        """The CPUs of each part of a graph whose parts make the rows: an equal share of all unless they were given."""
        return self._cpus(parts, 0.0, math.inf)

    def _cpus(self, actors: int, reserved: float, most: float = 1) -> float:
        """The CPUs of each of a number of actors that run at once. Warns if the cluster lacks them."""
        shared = self.num_cpus is None and (actors > 1 or most > 1)
        cpus = resources.share(actors, reserved, most) if shared else self.num_cpus
        cpus = 1 if cpus is None else cpus
        resources.check(cpus, self.gpus, actors, reserved)
        return cpus

    def _pool(self, blocks: int) -> Any:
        """The actors of a dataset with that number of blocks: as many as it can use."""
        least, most = (1, None) if self.concurrency is None else self.bounds()
        at_once = blocks // (4 * (most or self._room()))
        return ray.data.ActorPoolStrategy(
            min_size=min(least, blocks),
            max_size=most and min(most, blocks),
            max_tasks_in_flight_per_actor=max(LEAST_AT_ONCE, min(at_once, MOST_AT_ONCE)),
        )

    def _room(self) -> int:
        """The number of actors for which the cluster has resources, at least 1."""
        there: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        cpus = 1 if self.num_cpus is None else self.num_cpus
        each = [there.get(name, 0) / count for name, count in (("CPU", cpus), ("GPU", self.gpus)) if count]
        return max(1, int(min(each, default=1)))
