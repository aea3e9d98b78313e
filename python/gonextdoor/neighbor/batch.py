"""NeighborBatch: the sampled neighbourhood of a batch, in one arena of int64 that a framework makes one tensor of."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["NeighborBatch", "Parts"]


class Parts(NamedTuple):
    """The parts of a batch's arena, by type and by relation, as slices of the arena or of a tensor made of it.

    Attributes:
        nodes: by type: the vertices, the seed nodes first, then those that the hops discovered, in order of first
            appearance. A local number is a place in this array.
        trees: by type: the tree of each vertex, if trees are disjoint; otherwise empty.
        row, col, edges: by relation, in the layout "coo": edge i leads from local number row[i] to col[i] and has the
            id edges[i]; edges are in the order of the hops.
        hops: by hop and relation, in the layout "csc": (indptr, indices, edge_ids). Destination i of the hop has the
            sources ``indices[indptr[i]:indptr[i + 1]]``.
    """

    nodes: list[Any]
    trees: list[Any]
    row: list[Any]
    col: list[Any]
    edges: list[Any]
    hops: list[list[tuple[Any, Any, Any]]]


class NeighborBatch:
    """The sampled neighbourhood of a batch.

    Attributes:
        arena: (n,) int64: everything, in one piece.
    """

    __slots__ = ("_numbers", "_parsed", "_shape", "arena")

    def __init__(self, arena: Any, numbers: list[int], types: int, relations: int, hops: int, pairs: bool) -> None:
        self.arena = arena
        self._numbers, self._shape = numbers, (types, relations, hops, pairs)
        self._parsed: _Header | None = None

    @property
    def num_nodes(self) -> list[list[int]]:
        """By type: the number of seed nodes, then of nodes that each hop discovered."""
        return self._header().num_nodes

    @property
    def num_edges(self) -> list[list[int]]:
        """By relation: the number of edges that each hop took."""
        return self._header().num_edges

    @property
    def destinations(self) -> list[list[tuple[int, int]]]:
        """By hop and relation, in the layout "csc": (first, count) of the destinations among the nodes of their
        type."""
        return self._header().destinations

    def _header(self) -> _Header:
        """The header, parsed at its first use: of many batches not all at once."""
        if self._parsed is None:
            self._parsed = _parse(self._numbers, *self._shape)
        return self._parsed

    def split(self, arena: Any) -> Parts:
        """The parts of the arena, or of a tensor made of it."""
        header, (_, relations, _, pairs) = self._header(), self._shape
        parts = Parts([], [], [], [], [], [])
        for first, trees, count in header.nodes:
            parts.nodes.append(arena[first : first + count])
            if trees >= 0:
                parts.trees.append(arena[trees : trees + count])
        if pairs:
            for row, col, ids, count in header.links:
                parts.row.append(arena[row : row + count])
                parts.col.append(arena[col : col + count])
                parts.edges.append(arena[ids : ids + count])
            return parts
        hops = [
            (arena[indptr : indptr + d + 1], arena[indices : indices + count], arena[ids : ids + count])
            for d, indptr, indices, ids, count in header.links
        ]
        parts.hops.extend(hops[i : i + relations] for i in range(0, len(hops), relations))
        return parts

    def __repr__(self) -> str:
        edges = sum(sum(counts) for counts in self.num_edges)
        return f"NeighborBatch({sum(sum(counts) for counts in self.num_nodes)} nodes, {edges} edges)"


class _Header(NamedTuple):
    """The sizes of a batch, and the offsets and lengths of its parts in the arena."""

    num_nodes: list[list[int]]
    num_edges: list[list[int]]
    destinations: list[list[tuple[int, int]]]
    nodes: list[tuple[int, int, int]]  # by type: offset of the vertices, offset of the trees or -1, length
    links: list[Any]


def _parse(numbers: list[int], types: int, relations: int, hops: int, pairs: bool) -> _Header:
    """Parses a header as ``DrawBatches`` of the core writes it, after the arena's address and length."""
    header, at = _Header([], [], [], [], []), 2
    for _ in range(types):
        counts = numbers[at + 2 : at + 3 + hops]
        header.nodes.append((numbers[at], numbers[at + 1], sum(counts)))
        header.num_nodes.append(counts)
        at += 3 + hops
    if pairs:
        for _ in range(relations):
            counts = numbers[at + 3 : at + 3 + hops]
            header.links.append((numbers[at], numbers[at + 1], numbers[at + 2], sum(counts)))
            header.num_edges.append(counts)
            at += 3 + hops
        return header
    header.num_edges.extend([] for _ in range(relations))
    for _ in range(hops):
        hop = []
        for r in range(relations):
            first, count, *spans = numbers[at : at + 6]
            hop.append((first, count))
            header.links.append((count, *spans))
            header.num_edges[r].append(spans[3])
            at += 6
        header.destinations.append(hop)
    return header
