"""Distinct pairs of vertices without an edge, for the negative sampling of PyG and DGL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core.weak import WeakTable
from ..apps import NegativePairs
from ..graph.graph import Graph
from .sample import sample

__all__ = ["distinct_pairs"]

Array = npt.NDArray[Any]

FEW = 1 << 10  # below this number, pairs without an edge are numbered

_excluded: WeakTable[Graph, dict[Any, int]] = WeakTable()


def distinct_pairs(
    graph: Graph,
    size: tuple[int, int],
    wanted: int,
    *,
    loops: bool,
    undirected: bool = False,
    seed: Callable[[], int],
    permuted: Callable[[int], Array],
) -> Array:
    """Draws distinct pairs without an edge, uniformly at random: as many as are wanted, or all there are.

    Args:
        graph: its rows are the out-edges of the sources.
        size: the numbers of sources and destinations.
        wanted: the number of pairs.
        loops: whether a vertex without a self-loop and itself are a pair.
        undirected: whether a pair counts in both directions; the graph is symmetric then, and loops are no pairs.
        seed: returns the 64-bit seed, if independent pairs are drawn.
        permuted: returns the numbers below n in random order, if few pairs are left or most are wanted.

    Returns:
        (2, n) int64.
    """
    known = _excluded.of(graph)
    known = _excluded.put_first(graph, {}) if known is None else known
    if (size, loops) not in known:
        known[size, loops] = _edges(graph, size, loops)
    left = (size[0] * size[1] - known[size, loops]) // (2 if undirected else 1)
    wanted = min(wanted, left)
    if wanted <= 0:
        return np.empty((2, 0), np.int64)
    if wanted > left // 2 or left < FEW:
        codes = _by_rank(graph, size, loops, undirected, permuted(left)[:wanted])
    else:
        codes = _distinct(graph, size, loops, undirected, wanted, seed())
    return np.stack(np.divmod(codes, size[1]))


def _edges(graph: Graph, size: tuple[int, int], loops: bool) -> int:
    """The number of ordered pairs that are no negatives."""
    sources = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    ends = graph.indices
    fresh = np.ones(len(ends), bool)
    fresh[1:] = (sources[1:] != sources[:-1]) | (ends[1:] != ends[:-1])
    return int(fresh.sum()) if loops else int((fresh & (sources != ends)).sum()) + size[0]


def _distinct(graph: Graph, size: tuple[int, int], loops: bool, undirected: bool, wanted: int, seed: int) -> Array:
    """That many different pairs as source * size[1] + destination: the first ones of independent pairs."""
    app, first = NegativePairs(loops=loops, sources=size[0], ends=size[1]), 0

    def draw(count: int) -> Array:
        nonlocal first
        pairs = sample(graph, app, count, seed=seed, first_id=first, device="cpu", dtype=np.int64).numpy()
        first += count
        u, v = pairs.T
        codes: Array = np.minimum(u, v) * size[1] + np.maximum(u, v) if undirected else u * size[1] + v
        return codes

    codes = draw(wanted)
    known = np.sort(codes)
    repeated = np.unique(known[1:][known[1:] == known[:-1]])
    if len(repeated):  # keep the first of equal ones
        hits = np.flatnonzero(_among(codes, repeated))
        codes = np.delete(codes, np.delete(hits, np.unique(codes[hits], return_index=True)[1]))
    more = np.empty(0, np.int64)  # sorted
    while len(codes) < wanted:
        fresh = draw(wanted - len(codes))
        fresh = fresh[~(_among(fresh, known) | _among(fresh, more))]
        fresh = fresh[np.sort(np.unique(fresh, return_index=True)[1])]
        codes, more = np.concatenate([codes, fresh]), np.sort(np.concatenate([more, fresh]))
    return codes


def _among(values: Array, ordered: Array) -> Array:
    """Whether values are among sorted ones."""
    if not len(ordered):
        return np.zeros(len(values), bool)
    at = np.searchsorted(ordered, values)
    at[at == len(ordered)] = 0
    return np.asarray(ordered[at] == values)


def _by_rank(graph: Graph, size: tuple[int, int], loops: bool, undirected: bool, ranks: Array) -> Array:
    """The pairs without an edge of some ranks among all of them."""
    sources, ends = np.repeat(np.arange(graph.num_vertices), graph.degrees()), graph.indices.astype(np.int64)
    if undirected:  # codes number the pairs with u < v alone
        sources, ends = sources[sources < ends], ends[sources < ends]
        begin = np.arange(size[0]) * (2 * size[0] - np.arange(size[0]) - 1) // 2  # of each source
        excluded = begin[sources] + ends - sources - 1
    else:
        excluded = sources * size[1] + ends
        if not loops:
            excluded = np.concatenate([excluded, np.arange(size[0]) * (size[1] + 1)])
    excluded = np.unique(excluded)
    found = ranks + np.searchsorted(excluded - np.arange(len(excluded)), ranks, side="right")
    if undirected:
        u = np.searchsorted(begin, found, side="right") - 1
        u[u == size[0] - 1] -= 1  # the last source has no pair
        found = u * size[1] + found - begin[u] + u + 1
    return np.asarray(found)
