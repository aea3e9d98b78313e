"""NeighborBatch: the sampled neighbourhood of a batch, in one arena of int64, which can become one tensor."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._core import advice
from .._core.htmltable import panel
from ._record import Header, read_header
from .device import PendingBatches
from .picture import batch_facts, batch_picture

__all__ = ["NeighborBatch", "Parts", "PendingBatch"]


class Parts(NamedTuple):
    """The parts of a batch's arena, by type and by relation, as slices of the arena or of a tensor made from it.

    Attributes:
        nodes: by type: the vertices, the seed nodes first, then those that the hops discovered, in order of first
            appearance. A local id is an index of this array.
        trees: by type: the tree of each vertex, if trees are disjoint; otherwise empty.
        row: by relation, in the layout "coo": the local id of the neighbour at the end of each edge. Edges are in the
            order of the hops.
        col: by relation, in the layout "coo": the local id of the vertex that took each edge.
        edges: by relation, in the layout "coo": the id of each edge; None if the graph was saved with
            ``edge_ids=False``.
        hops: by hop and relation, in the layout "csc": (indptr, indices, edge_ids). Destination i of the hop has the
            sources ``indices[indptr[i]:indptr[i + 1]]``. edge_ids is None as for edges.
    """

    nodes: list[Any]
    trees: list[Any]
    row: list[Any]
    col: list[Any]
    edges: list[Any]
    hops: list[list[tuple[Any, Any, Any]]]


class NeighborBatch:
    """The sampled neighbourhood of a batch; returned by ``NeighborSampler.sample``.

    All its arrays are parts of one array, the arena, which ``split`` divides without a copy. Those of a ``HeteroGraph``
    are dicts, of ``nodes`` and ``features`` by type, of ``row``, ``col`` and ``edges`` by relation.

    Attributes:
        arena: (n,) int64: all arrays of the batch.
        features: the rows of the nodes, if ``gonextdoor.loader`` has features, in the order of ``nodes``; otherwise
            None.

    Examples:
        >>> sampler = gnd.NeighborSampler(gnd.rmat(8, seed=1), [2, 2])
        >>> batch = sampler.sample([3, 7], batch_seed=1)
        >>> batch
        NeighborBatch(13 nodes, 12 edges)
        >>> batch.num_nodes, batch.num_edges
        ([[2, 4, 7]], [[4, 8]])
        >>> batch.drawn_on
        'cpu'
        >>> batch.nodes
        array([  3,   7, 123, 235, 215, 217, 223, 173,   0,  48, 114,  95, 248])
        >>> batch.nodes[batch.row[:4]], batch.nodes[batch.col[:4]]  # the edges of the first hop
        (array([123, 235, 215, 217]), array([3, 3, 7, 7]))
    """

    __slots__ = ("_header", "_names", "_numbers", "_shape", "arena", "features")

    def __init__(
        self, arena: Any, numbers: list[int], types: int, relations: int, hops: int, pairs: bool, names: Any = None
    ) -> None:
        self.arena = arena
        self.features: Any = None
        self._numbers, self._shape = numbers, (types, relations, hops, pairs)
        self._header: Header | None = None
        self._names = names  # of types and of relations, of a HeteroGraph

    @property
    def header(self) -> Header:
        """The header of the arena, which is parsed at its first use."""
        if self._header is None:
            self._header = read_header(self._numbers, *self._shape)
        return self._header

    @property
    def nodes(self) -> Any:
        """The vertices, (n,) int64: the seed nodes first, then those that the hops discovered, in order of first
        appearance. A local id is an index of this array, which is a part of the arena."""
        return self._named(0, self.split(self.arena).nodes)

    @property
    def row(self) -> Any:
        """The local id of the neighbour at the end of each edge, (edges,) int64, in the layout "coo": messages pass
        from row to col. Edges are in the order of the hops. The layout "csc" has ``split(arena).hops`` instead."""
        return self._pairs("row")

    @property
    def col(self) -> Any:
        """The local id of the vertex that took each edge, (edges,) int64, in the layout "coo"."""
        return self._pairs("col")

    @property
    def edges(self) -> Any:
        """The id of each edge in the graph, (edges,) int64, in the layout "coo".

        Raises:
            ValueError: the graph was saved with ``edge_ids=False``.
        """
        ids = self._pairs("edges")
        if ids is None or (isinstance(ids, dict) and any(of is None for of in ids.values())):
            raise advice.no_edge_ids("batch.edges")
        return ids

    def _pairs(self, name: str) -> Any:
        if not self._shape[3]:
            raise AttributeError(
                f'batch.{name}: a batch of the layout "csc" has its edges by hop, in batch.split(batch.arena).hops; '
                f'for {name} pass layout="coo"'
            )
        return self._named(1, getattr(self.split(self.arena), name))

    def _named(self, kind: int, arrays: list[Any]) -> Any:
        """The only array, or a dict by the names of types (kind 0) or relations (kind 1)."""
        return arrays[0] if self._names is None else dict(zip(self._names[kind], arrays, strict=True))

    @property
    def drawn_on(self) -> str:
        """The device that chose the edges: "cpu" also for a batch on a GPU whose memory is too small for choices."""
        if self.header.batch.host:
            return "cpu"
        return str(self.arena.device)

    @property
    def num_nodes(self) -> list[list[int]]:
        """By type: the number of seed nodes, then the number of nodes that each hop discovered."""
        return [kind.new for kind in self.header.types]

    @property
    def num_edges(self) -> list[list[int]]:
        """By relation: the number of edges that each hop took."""
        header, (_, relations, _, pairs) = self.header, self._shape
        if pairs:
            return [relation.edges for relation in header.relations]
        return [[hop.edges for hop in header.hops[r::relations]] for r in range(relations)]

    @property
    def destinations(self) -> list[list[tuple[int, int]]]:
        """By hop and relation, in the layout "csc": (first, count) of the destinations among their type's nodes."""
        all, relations = [(hop.first, hop.destinations) for hop in self.header.hops], self._shape[1]
        return [all[i : i + relations] for i in range(0, len(all), relations)]

    def split(self, arena: Any) -> Parts:
        """Returns the parts of the arena, or of a tensor made from it, as slices.

        Args:
            arena: ``batch.arena``, or a tensor of the same length, for example ``torch.from_numpy(batch.arena)``.

        Returns:
            A named tuple of nodes, trees, row, col, edges and hops.

        Examples:
            >>> sampler = gnd.NeighborSampler(gnd.rmat(8, seed=1), [2])
            >>> batch = sampler.sample([3, 7], batch_seed=1)
            >>> parts = batch.split(batch.arena)
            >>> parts.nodes[0], parts.row[0], parts.col[0]
            (array([  3,   7, 123, 235, 215, 217]), array([2, 3, 4, 5]), array([0, 0, 1, 1]))
        """
        header, relations = self._header or self.header, self._shape[1]
        parts = tuple.__new__(Parts, ([], [], [], [], [], []))  # not by the NamedTuple's function of Python
        for nodes, trees, new in header.types:
            count = sum(new)
            parts.nodes.append(arena[nodes : nodes + count])
            if trees >= 0:
                parts.trees.append(arena[trees : trees + count])
        for sources, destinations, ids, edges in header.relations:
            count = sum(edges)
            parts.row.append(arena[sources : sources + count])
            parts.col.append(arena[destinations : destinations + count])
            parts.edges.append(arena[ids : ids + count] if ids >= 0 else None)
        for i, (_, count, indptr, indices, ids, length) in enumerate(header.hops):
            if i % relations == 0:
                parts.hops.append([])
            taken = arena[ids : ids + length] if ids >= 0 else None
            parts.hops[-1].append((arena[indptr : indptr + count + 1], arena[indices : indices + length], taken))
        return parts

    def _repr_html_(self) -> str:
        facts = batch_facts(self.num_nodes, self.num_edges)
        return panel("NeighborBatch", facts, batch_picture(self.num_nodes), "nodes per hop, seed nodes on the right")

    def __repr__(self) -> str:
        edges = sum(sum(counts) for counts in self.num_edges)
        return f"NeighborBatch({sum(sum(counts) for counts in self.num_nodes)} nodes, {edges} edges)"


class PendingBatch(NeighborBatch):
    """A batch of a call that GPUs have not ended yet. The first use waits for the call.

    Args:
        call: the call.
        place: the number of the batch in the call.
        shape: the numbers of types, relations and hops, and whether the layout is "coo".
        names: as of ``NeighborBatch``.
    """

    __slots__ = ("_call", "_drawn", "_place")

    def __init__(self, call: PendingBatches, place: int, shape: tuple[int, int, int, bool], names: Any) -> None:
        self.features, self._header = None, None
        self._shape, self._names = shape, names
        self._call: PendingBatches | None = call
        self._place = place

    def _read(self) -> tuple[Any, list[int]]:
        call = self._call
        if call is not None:
            (numbers, arenas), i = call.result(), self._place
            size = len(numbers) // len(arenas)
            self._drawn = arenas[i], numbers[i * size : (i + 1) * size]
            self._call = None  # set last: another thread may read the batch too
        return self._drawn

    @property
    def arena(self) -> Any:
        return self._read()[0]

    @property
    def _numbers(self) -> list[int]:  # type: ignore[override]
        return self._read()[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return NeighborBatch, (*self._read(), *self._shape, self._names), (None, {"features": self.features})
