"""NeighborSampler: mini-batches of a partitioned graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, SupportsIndex

import numpy as np
import numpy.typing as npt

from .._core import native, running
from .._core.binding import advised, refuse_unknown
from ..apps.parameters import Weighted
from ..graph.hetero import HeldHetero
from ..neighbor.batch import NeighborBatch
from ..neighbor.fanouts import Fanouts
from ..neighbor.flat import flat_parts
from ..neighbor.method import Method
from ..neighbor.sampler import NeighborSampler as WholeSampler
from ..neighbor.sampler import SeedNodes
from ..neighbor.sampling import NeighborSampling
from .exchange import Asking, HeldCall, Traffic
from .graph import PartitionedGraph
from .hetero import PartitionedHeteroGraph
from .transport import Transport

__all__ = ["NeighborSampler"]

Array = npt.NDArray[Any]

# Arguments of the sampler of a whole graph that a partitioned graph does not support, their defaults, and why.
REFUSED: dict[str, tuple[Any, str]] = {
    "device": ("cpu", "the parts choose edges on CPUs"),
    "times": (None, "a part has no times of the vertices to which its edges lead; give the edges times"),
    "direction": ("out", "a part has the rows of its vertices; divide the graph whose rows list the edges to sample"),
}


@advised
class NeighborSampler(WholeSampler):
    """Samples the multi-hop neighbourhoods of batches of vertices of a partitioned graph.

    The batches are equal to those of ``gonextdoor.NeighborSampler`` on the whole graph, for any division of it. One
    part, the home, draws them: in each hop it asks the parts that own the vertices of the frontier for edges, and
    numbers the vertices at their ends. Rows of the home part and hot rows are read there.

    Args:
        graph: the partitioned graph, which may be heterogeneous.
        fanouts: as for ``gonextdoor.NeighborSampler``, like the arguments from ``replace`` on. Temporal sampling needs
            times of edges, and the times of the seed nodes unless the graph is heterogeneous and has times of vertices.
        home: the part that draws, which is opened in this process; None (default): ``Transport.home``. It changes the
            speed only: fastest is the part that owns most seed nodes.
        transport: the way to the other parts; None (default): they are opened in this process too.
        replace: whether a vertex may take one edge several times in a hop (default False).
        weighted: whether edges are chosen by their weights; False (default), True or "auto".
        expand: "new" (default) or "all".
        disjoint: whether each vertex of the batch is the root of a separate tree (default False).
        temporal: "uniform", "last" or None (default). The edges must have times, and ``draw`` needs those of the seed
            nodes.
        layout: "coo" (default) or "csc".
        method: "neighbor" (default), "labor" or "labor-poisson".
        layer_dependency: with LABOR, whether all hops share the random numbers (default False).
        refused: the arguments ``device``, ``times`` and ``direction`` of ``gonextdoor.NeighborSampler``, which accept
            their default only.

    Attributes:
        traffic: what all calls have exchanged with other parts.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range or contradicts another, is not supported on partitioned graphs, or the
            graph lacks the weights or times that it needs.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> parts = gnd.partition.split(graph, 4, "hash")
        >>> batch = gnd.partition.NeighborSampler(parts, [3, 2]).sample([3, 7], batch_seed=1)
        >>> batch
        NeighborBatch(19 nodes, 18 edges)
        >>> whole = gnd.NeighborSampler(graph, [3, 2]).sample([3, 7], batch_seed=1)
        >>> (batch.nodes == whole.nodes).all()
        np.True_
    """

    graph: Any  # a PartitionedGraph or PartitionedHeteroGraph

    def __init__(
        self,
        graph: PartitionedGraph | PartitionedHeteroGraph,
        fanouts: Fanouts,
        *,
        home: int | None = None,
        transport: Transport | None = None,
        replace: bool = False,
        weighted: Weighted = False,
        expand: Literal["new", "all"] = "new",
        disjoint: bool = False,
        temporal: Literal["uniform", "last"] | None = None,
        layout: Literal["coo", "csc"] = "coo",
        method: Method = "neighbor",
        layer_dependency: bool = False,
        **refused: Any,
    ) -> None:
        refuse_unknown("gonextdoor.partition.NeighborSampler", NeighborSampler, refused, REFUSED)
        for name, value in refused.items():
            default, why = REFUSED[name]
            if value is not default and not (isinstance(value, str) and value == default):
                shown = f"{name} = {value!r}" if isinstance(value, str) else name
                raise ValueError(f"{shown}: is not supported on a partitioned graph, since {why}")
        self._asking = Asking(graph, home, transport)
        super().__init__(
            graph,  # type: ignore[arg-type]
            fanouts,
            replace=replace,
            weighted=weighted,
            expand=expand,
            disjoint=disjoint,
            temporal=temporal,
            layout=layout,
            method=method,
            layer_dependency=layer_dependency,
        )

    @property
    def traffic(self) -> Traffic:
        """What all calls of this sampler, in this process, have exchanged with other parts."""
        return self._asking.traffic

    @property
    def home(self) -> int:
        """The part that draws."""
        return self._asking.home

    def _facing(self, times: Any) -> Any:
        return HomeRows(self._asking)

    def _sampling(self, fanouts: list[list[int]], **parameters: Any) -> NeighborSampling:
        return PartSampling(self._asking, fanouts, **parameters)

    def _name(self) -> None:
        graph = self.graph
        self.types, self.relations = None, None
        if isinstance(graph, PartitionedHeteroGraph):
            self.types, self.relations = list(graph.num_vertices), list(graph.relations)

    def _refuse_missing(self) -> None:
        graph, chosen = self.graph, self._handle.parameters
        parts = {"the graph": graph}
        if isinstance(graph, PartitionedHeteroGraph):
            parts = {repr(relation): part for relation, part in graph.relations.items()}
        for name, part in parts.items():
            if chosen["weighted"] is True and not part.weighted:
                raise ValueError(f"weighted = True: {name} has no weights")
        if chosen["temporal"] and not any(part._facts["Timed"] for part in parts.values()):
            raise ValueError(
                f"temporal = {chosen['temporal']!r}: the edges of the partitioned graph have no times, which parts need"
            )

    def sample_many(
        self,
        seed_nodes: Sequence[SeedNodes],
        batch_seeds: Sequence[SupportsIndex],
        *,
        times: Sequence[Any] | None = None,
        time_window: Sequence[Any] | None = None,
        exclude: Sequence[Any] | None = None,
        threads: int = 0,
    ) -> list[NeighborBatch]:
        known = self.graph.times if self.types is not None and self._handle.parameters["temporal"] else None
        if known is not None and (times is None or all(given is None for given in times)):
            times = [self._times_of(given, known) for given in seed_nodes]
        return super().sample_many(
            seed_nodes, batch_seeds, times=times, time_window=time_window, exclude=exclude, threads=threads
        )

    draw_many = sample_many  # another name

    def _times_of(self, seed_nodes: Any, known: Mapping[str, Array]) -> dict[str, Array]:
        """The times of the seed nodes of a batch, by type. Types without seed nodes need none.

        Raises:
            IndexError: a seed node is not a vertex.
            ValueError: there are seed nodes of a type without times.
        """
        found = {}
        for kind, (name, nodes) in zip(self.types or (), flat_parts("seed_nodes", seed_nodes, self.types), strict=True):
            count = self.graph.num_vertices[kind]
            bad = np.flatnonzero((nodes < 0) | (nodes >= count))
            if bad.size:
                raise IndexError(f"{name}[{bad[0]}] = {nodes[bad[0]]}: the graph has {count} vertices")
            if kind in known:
                found[kind] = known[kind][nodes]
            elif nodes.size:
                raise ValueError(f"times is missing: expected one time per seed, since the type {kind!r} has no times")
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "asking": self._asking}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._asking = state["asking"]
        super().__setstate__(state)


class HomeRows:
    """The part that draws, in the place of ``HeldHetero``.

    Attributes:
        types, relations: their numbers.
        names: the names of the types and those of the relations; None for a graph of one type.
        edges: the number of edges of the graph.
        warm: whether the tables of weights may exist.
        widest: what has the handle.
    """

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        graph = asking.graph
        if isinstance(graph, PartitionedHeteroGraph):
            self.types, self.relations = len(graph.num_vertices), len(graph.relations)
            self.names: Any = list(graph.num_vertices), list(graph.relations)
            self.edges = sum(part.num_edges for part in graph.relations.values())
        else:
            self.types, self.relations, self.edges, self.names = 1, 1, graph.num_edges, None
        self.warm = True

    @property
    def widest(self) -> HomeRows:
        return self

    @property
    def number(self) -> int:
        """The handle of the part."""
        number: int = self._asking.part._held.number
        return number


class PartSampling(NeighborSampling):
    """The parameters of neighbour sampling, and the call that draws batches of a partitioned graph by them."""

    __slots__ = ("_asking",)

    def __init__(self, asking: Asking, fanouts: list[list[int]], **parameters: Any) -> None:
        super().__init__(fanouts, **parameters)
        self._asking = asking

    def sample_one(
        self, graph: HeldHetero, seed_nodes: Array, batch_seed: int, threads: int, on: tuple[int, ...] = ()
    ) -> NeighborBatch:
        return self.sample(graph, [[seed_nodes]], [batch_seed], None, None, threads)[0]

    def _call(self, part: int, sampling: int, record: int, seconds: float) -> None:
        call = HeldCall(running.call("PartBatches", part, sampling, record, seconds=0), self._asking.part)
        self._asking.run(call)
        native.call("PartBatchesFinish", call.number)
