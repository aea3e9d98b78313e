"""MiniBatches: the batches of a loader as rows, for training from files or from a dataset."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from .. import partition
from .._core.binding import advised
from .._core.checks import checked_ints
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from ..neighbor.order import Batch, BatchOrder, Pass, Positions
from ..neighbor.ranks import Ranks
from ..neighbor.sampler import NeighborSampler
from . import tables
from .run import Run, TypedNodes
from .sizes import distinct, end_degree, mean_degree

if TYPE_CHECKING:
    from ..partition import Transport
    from ..partition.anygraph import AnyGraph
    from ..storage.head import Head

__all__ = ["MiniBatches"]

Array = npt.NDArray[Any]

REFUSED = ("device", "disjoint", "layout", "times")  # options whose batches have other columns, or which a run decides


@advised
@dataclasses.dataclass(frozen=True)
class MiniBatches:
    """The mini-batches of ``gonextdoor.loader``, one per row: pass it as the ``app`` of a run.

    The ``roots`` of the run are the loader's ``input_nodes``, its ``repeat`` the number of epochs. Row e * n + k is
    batch k of epoch e, for n batches in an epoch: the one that the loader yields for the same seed. The graph may be
    partitioned, heterogeneous, or both. Of a heterogeneous one there are columns per type, ``nodes/TYPE`` and
    ``num_nodes/TYPE``, and per relation, ``row/SOURCE/NAME/DESTINATION`` and so on.

    Args:
        num_neighbors: edges that each vertex takes, hop by hop from the batch outwards; -1: all edges. For a hop of a
            heterogeneous graph one number, or a dict of one per relation.
        batch_size: the number of vertices in a batch (default 1,024).
        shuffle: whether each epoch has the vertices in another order (default False).
        drop_last: whether a last batch of fewer vertices is left out (default False).
        share: the number of consecutive batches in which a vertex takes the same edges (default 1).
        options: of ``NeighborSampler``: replace, weighted, direction, method, ... as a dict (default: none).

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range, or an option that rows do not have.

    Examples:
        >>> gnd.rmat(8, seed=1).save("graph")
        >>> batches = gnd.ranges.MiniBatches([3, 2], batch_size=64, shuffle=True)
        >>> run = gnd.ranges.Ranges("graph", batches, repeat=2, seed=1)
        >>> table = run.table(run[0])
        >>> table.num_rows, table.column_names
        (8, ['id', 'num_nodes', 'num_edges', 'nodes', 'row', 'col', 'edges'])
        >>> loader = gnd.loader(gnd.Graph.open("graph"), [3, 2], batch_size=64, shuffle=True, seed=1)
        >>> batch = next(iter(loader))
        >>> table["nodes"][0].as_py() == batch.nodes.tolist()
        True
    """

    num_neighbors: Any
    batch_size: int = 1024
    shuffle: bool = False
    drop_last: bool = False
    share: int = 1
    options: dict[str, Any] = dataclasses.field(default_factory=dict)

    at_home: ClassVar[bool] = True

    def __post_init__(self) -> None:
        hops: Any = self.num_neighbors
        if isinstance(hops, Iterable) and not isinstance(hops, str):
            hops = [dict(hop) if isinstance(hop, Mapping) else hop for hop in hops]
        if not (
            isinstance(hops, list) and any(isinstance(hop, dict) for hop in hops)
        ):  # those are checked with the graph
            hops = checked_ints("num_neighbors", hops, "one per hop")
        object.__setattr__(self, "num_neighbors", hops)
        self._order(1, 0)  # checks the numbers
        for name in self.options:
            if name in REFUSED:
                raise ValueError(f"options: {name!r} does not apply to mini-batches as rows; leave it out")

    def rows(self, run: Run, head: Head) -> int:
        """The batches of all epochs."""
        counts = head.vertices if head.types is None else head.types
        return run.repeat * len(self._positions(len(self._inputs(run, counts)[1])))

    def row_bytes(self, run: Run, head: Head) -> float:
        """24 bytes for each edge, and 8 for each vertex."""
        degree = max(1.0, mean_degree(head))
        edges, nodes = 0.0, float(self.batch_size)
        frontier = nodes
        relations = 1 if head.relations is None else len(head.relations)
        for hop in self.num_neighbors:
            widths = list(hop.values()) if isinstance(hop, Mapping) else [hop] * relations
            fanout = -1 if min(widths, default=0) < 0 else sum(widths)
            taken = frontier * (degree if fanout < 0 else min(fanout, degree))
            edges += min(taken, head.edges)
            frontier = distinct(taken, max(0.0, head.vertices - nodes))  # the new vertices of the hop
            nodes, degree = nodes + frontier, max(1.0, end_degree(head))
        return 64 + 24 * edges + 8 * nodes

    def table(self, run: Run, graph: AnyGraph, ids: range, transport: Transport | None = None) -> Any:
        """The batches of consecutive ids."""
        kind, nodes = self._inputs(run, graph.num_vertices)
        sampler = _sampler(graph, _Arguments(self.num_neighbors, run.device, self.options), transport)
        order = self._order(len(nodes), run.seed)
        names: list[Batch] = []
        each = max(1, len(order.batching))
        for epoch in range(ids.start // each, -(-ids.stop // each)):
            first, end = max(ids.start - epoch * each, 0), min(ids.stop - epoch * each, each)
            names += order.named(Pass(run.seed, epoch, first, 0, 1, end - first, each))
        chosen = [nodes[one.ids] for one in names]
        batches = sampler.sample_many([some if kind is None else {kind: some} for some in chosen],
                                    [one.batch_seed for one in names], threads=run.threads or 0)  # fmt: skip
        return tables.of_batches(batches, ids, sampler.types, sampler.relations)

    def schema(self, run: Run, head: Head) -> Any:
        """The schema of the rows."""
        types = None if head.types is None else list(head.types)
        return tables.schema_of_batches(types, head.relations)

    def facts(self) -> dict[str, Any]:
        """All arguments."""
        return {"app": repr(self)}

    def _inputs(self, run: Run, counts: int | Mapping[str, int]) -> tuple[str | None, Array]:
        """The type of the input nodes, None if there is only one, and their numbers."""
        if isinstance(counts, Mapping):
            if not isinstance(run.roots, TypedNodes) or run.roots.type not in counts:
                expected = ", ".join(map(repr, counts))
                raise ValueError(
                    f"roots: the graph has the vertex types {expected}; expected one of them, or a tuple (type, "
                    "vertices)"
                )
            nodes = run.roots.nodes
            return run.roots.type, np.arange(counts[run.roots.type]) if nodes is None else nodes
        if run.roots is None:
            return None, np.arange(counts)
        if (
            isinstance(run.roots, (int, TypedNodes))
            or np.ndim(run.roots) != 1
            or np.asarray(run.roots).dtype.kind not in "iu"
        ):
            raise ValueError("roots: expected the input nodes of mini-batches, (n,) vertex numbers, or None")
        return None, np.asarray(run.roots)

    def _positions(self, count: int) -> Positions:
        return Positions(count, self.batch_size, self.shuffle, self.drop_last)

    def _order(self, count: int, seed: int) -> BatchOrder:
        return BatchOrder(self._positions(count), seed, self.share, Ranks(None, 0, 1, "wrap"))


class _Arguments:
    """The arguments of a sampler, hashable by their text."""

    def __init__(self, fanouts: list[int], device: Any, options: dict[str, Any]) -> None:
        self.fanouts, self.options = fanouts, {"device": "cpu" if device == "auto" else device, **options}

    def __hash__(self) -> int:
        return hash(repr(self))

    def __eq__(self, other: object) -> bool:
        return repr(self) == repr(other)

    def __repr__(self) -> str:
        return f"{self.fanouts} {self.options}"


@functools.lru_cache(maxsize=4)
def _sampler(graph: AnyGraph, given: _Arguments, transport: Transport | None) -> NeighborSampler:
    """The sampler of a run, which a process makes once."""
    if isinstance(graph, (Graph, HeteroGraph)):
        return NeighborSampler(graph, given.fanouts, **given.options)
    return partition.NeighborSampler(graph, given.fanouts, transport=transport, **given.options)
