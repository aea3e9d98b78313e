"""Actors: the processes of a cluster that sample ranges, and the resources that each has."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from .._core.checks import check_int, checked_number
from ..ranges.ranges import Ranges
from . import resources
from .framework import ray

__all__ = ["Actors", "Concurrency"]

SOURCE_BLOCKS = 10_000  # of a dataset of ranges, at most

# Ranges that an actor has at once. Ray Data replaces finished ones every 0.1 s only, so two, its default, leave an
# actor without work if a range takes less than that. They cannot move to another actor, so they are a quarter of an
# actor's share at most.
MOST_AT_ONCE, LEAST_AT_ONCE = 8, 2

Concurrency = int | tuple[int, int] | None


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
            run: the run.
            numbers: of the ranges.
            kind: makes the callable object from the run and the arguments.
            arguments: the others.
        """
        blocks = max(1, min(len(numbers), SOURCE_BLOCKS))
        given: dict[str, Any] = {"num_cpus": self._cpus(1, 0.0), "compute": self._pool(blocks)}
        if self.gpus:
            given["num_gpus"] = self.gpus
        return _source(numbers, blocks).map_batches(
            kind, fn_constructor_args=(run, *arguments), batch_size=1, batch_format="numpy", **given
        )

    def map_of_one(self, run: Ranges, at_once: int, num_cpus: float, kind: Any, *arguments: Any) -> Any:
        """A lazy dataset: all ranges of a run, several at once passed to the callable object of one actor.

        Args:
            run, kind, arguments: as for ``map``.
            at_once: the ranges of a call.
            num_cpus: of the actor.
        """
        blocks = max(1, min(-(-len(run) // at_once), SOURCE_BLOCKS))
        return _source(range(len(run)), blocks).map_batches(
            kind, fn_constructor_args=(run, *arguments), batch_size=at_once, batch_format="numpy", num_cpus=num_cpus,
            compute=ray.data.ActorPoolStrategy(size=1),
        )  # fmt: skip

    def cpus_of_parts(self, parts: int, reserved: float = 0.0) -> float:
        """The CPUs of each part of a graph: an equal share of all, beside those reserved, unless they were given."""
        return self._cpus(parts, reserved, math.inf)

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


def _source(numbers: Sequence[int], blocks: int) -> Any:
    """A dataset of the numbers of ranges."""
    return ray.data.from_items([{"range": number} for number in numbers], override_num_blocks=blocks)
