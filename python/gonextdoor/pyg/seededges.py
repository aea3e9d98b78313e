"""Seed edges: the edges between the ends of a batch's links, which the batch leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from torch_geometric.sampler.base import SubgraphType

from ..graph.graph import Graph
from ..neighbor.repeats import gathered
from .graphs import EdgeType, Source
from .inputs import Links

__all__ = ["ExcludeSeedEdges", "SeedEdges", "checked_exclusion", "excluded_of"]

Array = npt.NDArray[Any]
ExcludeSeedEdges = Literal[False, "self", "reverse"]


def checked_exclusion(value: Any) -> ExcludeSeedEdges:
    """Returns the argument ``exclude_seed_edges``.

    Raises:
        TypeError, ValueError: it is none of False, "self" and "reverse".
    """
    if isinstance(value, (bool, np.bool_)) and not value:
        return False
    if not isinstance(value, str):
        raise TypeError(f"exclude_seed_edges = {value!r}: expected False, 'self' or 'reverse'")
    if value not in ("self", "reverse"):
        raise ValueError(f"exclude_seed_edges = {value!r}: expected False, 'self' or 'reverse'")
    return value  # type: ignore[return-value]


class SeedEdges:
    """Finds all edges between the ends of links, parallel ones too.

    Args:
        source: the graph.
        edge_type: the type of the links; None: the graph has only one. The graph may lack edges of that type.
        exclude: "self": edges of that type; "reverse": also edges that lead back, of the reverse type.

    Raises:
        ValueError: the reverse type is missing or ambiguous.
    """

    def __init__(self, source: Source, edge_type: EdgeType | None, exclude: ExcludeSeedEdges) -> None:
        self._source = source
        self._looked_up: list[tuple[EdgeType | None, bool]] = []  # types, and whether the ends are swapped
        if edge_type in source.edge_types:
            self._looked_up.append((edge_type, False))
        if exclude == "reverse":
            self._looked_up.append((edge_type and reverse_of(edge_type, source.edge_types), True))

    def between(self, src: Array, dst: Array) -> Any:
        """Ids of the edges from ``src[i]`` to ``dst[i]``, (n,) vertices each, and of those that lead back: as
        ``NeighborSampler.sample`` of the core takes them."""
        found: dict[Any, list[Array]] = {}
        for edge_type, swapped in self._looked_up:
            rows, ends = (dst, src) if (self._source.direction == "in") != swapped else (src, dst)
            found.setdefault(edge_type, []).append(edges_between(self._source.graphs[edge_type], rows, ends))
        ids = {edge_type: np.unique(np.concatenate(parts)) for edge_type, parts in found.items()}
        if not self._source.is_hetero:
            return ids[None]
        return {self._source.relation(edge_type): each for edge_type, each in ids.items()}


def excluded_of(
    source: Source, form: SubgraphType, inputs: Sequence[Any], asked: Sequence[Any], given: Any
) -> list[Any]:
    """The ids of the edges that each batch of links leaves out, as ``SeedEdges.between`` returns them.

    Args:
        source: the graph.
        form: the type of subgraphs of the sampler.
        inputs: the batches.
        asked: their seeds.
        given: the argument ``exclude_seed_edges``.

    Raises:
        TypeError, ValueError: the argument is not valid or contradicts the form, or a batch has nodes.
    """
    exclude = checked_exclusion(given)
    if exclude is False:
        return [None] * len(inputs)
    if form == SubgraphType.bidirectional and exclude == "self":
        raise ValueError(
            "exclude_seed_edges = 'self' with subgraph_type = 'bidirectional', which adds the reverse of each edge: "
            "pass 'reverse'"
        )
    excluded = []
    for index, one in zip(inputs, asked, strict=True):
        if not isinstance(one, Links):
            raise ValueError(f"exclude_seed_edges = {exclude!r}: expected links; the batch has nodes")
        excluded.append(SeedEdges(source, index.input_type, exclude).between(*one.ends))
    return excluded


def reverse_of(edge_type: EdgeType, known: list[Any]) -> EdgeType:
    """The type of the edges that lead back, by the rules of PyG's ``to_bidirectional``: the one whose name has "rev_"
    more or less; else the type itself, if its ends are of one type; else the only type between the ends.

    Raises:
        ValueError: there is none, or more than one.
    """
    source, name, destination = edge_type
    named = (destination, name[4:] if name.startswith("rev_") else f"rev_{name}", source)
    if named in known:
        return named
    if source == destination:
        return edge_type
    back = [one for one in known if (one[0], one[2]) == (destination, source)]
    if len(back) == 1:
        return back[0]  # type: ignore[no-any-return]
    shown = f"{len(back)} types lead back, {', '.join(map(repr, back))}" if back else "no type of edges leads back"
    raise ValueError(
        f"exclude_seed_edges = 'reverse' for links of type {edge_type!r}: {shown}; "
        f"name the reverse type {named!r}, or pass 'self'"
    )


def edges_between(graph: Graph, rows: Array, ends: Array) -> Array:
    """The ids of all edges from ``rows[i]`` to ``ends[i]``. Rows are sorted by the other end."""
    indptr, indices = graph.indptr, graph.indices
    if not len(indices):
        return np.empty(0, np.int64)
    first = _search(indices, indptr[rows], indptr[rows + 1], ends, after=False)
    hit = first < indptr[rows + 1]
    hit &= indices[np.minimum(first, len(indices) - 1)] == ends
    rows, ends, first = rows[hit], ends[hit], first[hit]
    beyond = _search(indices, first, indptr[rows + 1], ends, after=True)
    at, _ = gathered(first, beyond - first, np.arange(len(first)))
    return graph._edge_ids_at(at)


def _search(indices: Array, low: Array, high: Array, ends: Array, *, after: bool) -> Array:
    """Binary searches, one per row ``indices[low:high]``: the first place whose end is not below ``ends[i]``, or, with
    ``after``, above it."""
    while (low < high).any():
        middle = (low + high) // 2  # a row that is finished keeps low = high
        value = indices[np.minimum(middle, len(indices) - 1)]
        below = (value <= ends if after else value < ends) & (low < high)
        low, high = np.where(below, middle + 1, low), np.where(below, high, middle)
    return low
