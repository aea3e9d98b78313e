"""What was drawn around a batch: one arena of int64 and where things lie in it; a framework makes one tensor of it."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Drawn", "Parts"]


class Parts(NamedTuple):
    """What a batch's arena holds, by the numbers of types and relations; slices of whatever the arena was made.

    nodes[t] has the vertices of type t: the batch's, then those that the hops met, in order of first appearance; local
    numbers are places in it. trees[t] has the tree of each, where trees are disjoint. Where the layout is "coo", edge i
    of relation r leads from row[r][i] to col[r][i] and has the id edges[r][i], hop behind hop. Where it is "csc",
    hops[h][r] is (indptr, indices, edge_ids): destination i of the hop has the sources
    ``indices[indptr[i]:indptr[i + 1]]``.
    """

    nodes: list[Any]
    trees: list[Any]
    row: list[Any]
    col: list[Any]
    edges: list[Any]
    hops: list[list[tuple[Any, Any, Any]]]


class Drawn:
    """A batch's neighbourhood.

    Attributes:
        arena: (n,) int64: everything, in one piece.
    """

    __slots__ = ("_facts", "_shape", "_told", "arena")

    def __init__(self, arena: Any, facts: list[int], types: int, relations: int, hops: int, pairs: bool) -> None:
        self.arena = arena
        self._facts, self._shape = facts, (types, relations, hops, pairs)
        self._told: _Told | None = None

    @property
    def num_nodes(self) -> list[list[int]]:
        """By type: how many of its nodes are the batch's, then how many each hop met first."""
        return self._tell().num_nodes

    @property
    def num_edges(self) -> list[list[int]]:
        """By relation: how many edges each hop took."""
        return self._tell().num_edges

    @property
    def destinations(self) -> list[list[tuple[int, int]]]:
        """By hop and relation, where the layout is "csc": (first, count) of the destinations among the nodes of their
        type."""
        return self._tell().destinations

    def _tell(self) -> _Told:
        """What the core wrote of the batch, read when it is first asked for: of many batches not all at once."""
        if self._told is None:
            self._told = _told(self._facts, *self._shape)
        return self._told

    def split(self, arena: Any) -> Parts:
        """The parts of the arena, or of a tensor made of it."""
        told, (_, relations, _, pairs) = self._tell(), self._shape
        parts = Parts([], [], [], [], [], [])
        for first, trees, count in told.nodes:
            parts.nodes.append(arena[first : first + count])
            if trees >= 0:
                parts.trees.append(arena[trees : trees + count])
        if pairs:
            for row, col, ids, count in told.links:
                parts.row.append(arena[row : row + count])
                parts.col.append(arena[col : col + count])
                parts.edges.append(arena[ids : ids + count])
            return parts
        hops = [
            (arena[indptr : indptr + d + 1], arena[indices : indices + count], arena[ids : ids + count])
            for d, indptr, indices, ids, count in told.links
        ]
        parts.hops.extend(hops[i : i + relations] for i in range(0, len(hops), relations))
        return parts

    def __repr__(self) -> str:
        edges = sum(sum(counts) for counts in self.num_edges)
        return f"Drawn({sum(sum(counts) for counts in self.num_nodes)} nodes, {edges} edges)"


class _Told(NamedTuple):
    """Numbers of a batch, and where in the arena its parts begin, with their lengths."""

    num_nodes: list[list[int]]
    num_edges: list[list[int]]
    destinations: list[list[tuple[int, int]]]
    nodes: list[tuple[int, int, int]]  # and trees
    links: list[Any]


def _told(facts: list[int], types: int, relations: int, hops: int, pairs: bool) -> _Told:
    """Reads what ``DrawBatches`` of the core writes."""
    told, at = _Told([], [], [], [], []), 2
    for _ in range(types):
        counts = facts[at + 2 : at + 3 + hops]
        told.nodes.append((facts[at], facts[at + 1], sum(counts)))
        told.num_nodes.append(counts)
        at += 3 + hops
    if pairs:
        for _ in range(relations):
            counts = facts[at + 3 : at + 3 + hops]
            told.links.append((facts[at], facts[at + 1], facts[at + 2], sum(counts)))
            told.num_edges.append(counts)
            at += 3 + hops
        return told
    told.num_edges.extend([] for _ in range(relations))
    for _ in range(hops):
        hop = []
        for r in range(relations):
            first, count, *spans = facts[at : at + 6]
            hop.append((first, count))
            told.links.append((count, *spans))
            told.num_edges[r].append(spans[3])
            at += 6
        told.destinations.append(hop)
    return told
