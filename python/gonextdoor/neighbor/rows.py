"""Rows of features for the batches of ``gonextdoor.loader``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from .batch import NeighborBatch
from .pipelined import edges_to
from .sampler import NeighborSampler

if TYPE_CHECKING:
    from ..features.loading import GPURows

__all__ = ["BatchRows"]


class BatchRows:
    """The features of a loader.

    Args:
        sampler: draws the batches.
        features: what ``gonextdoor.features.open`` takes or what it or ``cached`` returned; of a ``HeteroGraph`` a dict
            of these by type.
        room: GPU memory for caches; None: none.
        policy: of the caches.
        threads: CPU threads of a read.
        presampled: draws the next batches and counts their visits, see ``presample``.

    Attributes:
        on_gpu: reads the rows to the GPUs of the batches; None: they stay in this machine's memory.

    Raises:
        TypeError, ValueError: an argument does not go with the graph or the sampler; the text names it.
    """

    def __init__(
        self,
        sampler: NeighborSampler,
        features: Any,
        room: Any,
        policy: Any,
        threads: int,
        presampled: Callable[[Callable[[Any], Mapping[Any, Any]], Mapping[Any, int]], Mapping[Any, Any]],
    ) -> None:
        self._types, self._presampled = sampler.types, presampled
        self._vertices = _vertices(sampler.graph)
        opened = _opened(sampler.graph, features, threads)
        gpus = sampler.gpus
        devices = [f"cuda:{id}" for id in gpus]
        for kind, one in opened.items():
            own = getattr(one, "devices", [one.device] if hasattr(one, "device") else None)
            if own is None:
                continue
            devices = devices or own[:1]
            if missing := [device for device in devices if device not in own]:
                name = "features" if kind is None else f"features[{kind!r}]"
                raise ValueError(
                    f"{name} are on {', '.join(own)}: expected them on {', '.join(missing)}, as the batches are"
                )
        if room is not None and not devices:
            raise ValueError(f'cache = {room!r} with device = {sampler.device!r}: pass device="cuda"')
        self.on_gpu: GPURows | None = None
        self._here = opened
        if devices:
            from ..features.loading import GPURows

            types = {kind: kind for kind in opened}
            scores = functools.partial(edges_to, sampler)
            self.on_gpu = GPURows(opened, types, devices, room, policy, scores, self._visits)

    def _visits(self) -> Mapping[Any, Any]:
        """How often the next batches visit each vertex."""
        return self._presampled(self.ids, self._vertices)

    def ids(self, batch: NeighborBatch) -> dict[Any, Any]:
        """The ids of a batch's nodes by type; None is the type of a ``Graph``."""
        return {None: batch.nodes} if self._types is None else dict(batch.nodes)

    def read(self, batch: NeighborBatch) -> Any:
        """The rows of a batch, in this machine's memory."""
        ids = self.ids(batch)
        return self.as_given({kind: one.read(ids[kind]) for kind, one in self._here.items()})

    def as_given(self, rows: Mapping[Any, Any]) -> Any:
        """Rows by type as a batch has them: without the type if there is only one."""
        return rows[None] if self._types is None else dict(rows)

    def size(self, batch: NeighborBatch) -> int:
        """The bytes of a batch's rows."""
        counts = [sum(new) for new in batch.num_nodes]
        if self.on_gpu is not None:
            return self.on_gpu.size(dict(zip([None] if self._types is None else self._types, counts, strict=True)))
        return 0 if batch.features is None else sum(one.nbytes for one in _parts(batch.features))


def _vertices(graph: Graph | HeteroGraph) -> dict[Any, int]:
    """The number of vertices by type."""
    return {**graph.num_vertices} if isinstance(graph, HeteroGraph) else {None: graph.num_vertices}


def _parts(features: Any) -> list[Any]:
    return list(features.values()) if isinstance(features, dict) else [features]


def _opened(graph: Graph | HeteroGraph, given: Any, threads: int) -> dict[Any, Any]:
    """Features by type, long enough for the graph."""
    from .. import features

    several = isinstance(graph, HeteroGraph)
    if several != isinstance(given, Mapping):
        wanted = "a dict of features by type, as the graph has several" if several else "features of one type"
        raise TypeError(f"features: expected {wanted}, got {type(given).__name__}")
    parts = {**given} if several else {None: given}
    if not parts:
        raise ValueError("features is empty: expected features of at least one type")
    counts = _vertices(graph)
    opened = {}
    for kind, one in parts.items():
        name = "features" if kind is None else f"features[{kind!r}]"
        if kind not in counts:
            raise ValueError(f"{name}: the graph has the vertex types {list(counts)}")
        known = isinstance(one, (features.Features, features.CachedFeatures, features.SharedFeatures))
        try:
            opened[kind] = one if known else features.open(one, threads=threads)
        except (TypeError, ValueError) as why:
            raise type(why)(f"{name}: {why}") from None
        if len(opened[kind]) < counts[kind]:
            raise ValueError(f"{name} has {len(opened[kind])} rows, but there are {counts[kind]} vertices")
    return opened
