"""Neighbourhoods as tensors, with the repeats of seeds that PyG allows."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ..neighbor.batch import Parts
from ..neighbor.repeats import Repeats, distinct, gathered
from ..neighbor.sampler import NeighborSampler

__all__ = ["Drawn", "sampled"]

Array = npt.NDArray[Any]
SeedNodes = Array | Mapping[str, Array]


# The parts of a batch as tensors of int64 on the device that drew it, and by type, how many vertices the batch has and
# each hop adds; by relation, how many edges each hop has.
Drawn = tuple[Parts, list[list[int]], list[list[int]]]


def sampled(
    core_sampler: NeighborSampler,
    seed_nodes: Sequence[SeedNodes],
    batch_seeds: Sequence[int],
    *,
    times: Sequence[SeedNodes] | None = None,
    time_window: Sequence[SeedNodes] | None = None,
    exclude: Sequence[Any] | None = None,
    threads: int = 1,
) -> list[Drawn]:
    """Samples the neighbourhoods of batches, in one call of the core.

    Args:
        core_sampler: it has the layout "coo".
        seed_nodes: by batch: (n,) vertices, or such arrays by type. A vertex that repeats has a place in the nodes each
            time, and the same edges lead to each of them.
        batch_seeds: the random seed of each batch.
        times: as seed_nodes. They have no effect on a core_sampler whose graph has no edges that follow times.
        time_window: as times: how long before its time an edge of a seed node's tree may be; None (default): any time.
        exclude: by batch: ids of edges to leave out, or such arrays by relation; None (default): none.
        threads: for the CPU.
    """
    repeats: list[dict[int, Repeats]] = [{}] * len(seed_nodes)
    if not core_sampler._handle.parameters["temporal"]:
        times = time_window = None
    try:
        drawn = core_sampler.sample_many(
            seed_nodes, batch_seeds, times=times, time_window=time_window, exclude=exclude, threads=threads
        )
    except ValueError:  # the core refuses seeds that repeat; to look for them beforehand would cost every batch
        pairs = [_once(core_sampler, batch) for batch in seed_nodes]
        repeats = [found for _, found in pairs]
        if not any(repeats):
            raise
        drawn = core_sampler.sample_many([once for once, _ in pairs], batch_seeds, exclude=exclude, threads=threads)
    outs: list[Drawn] = []
    arena: Any = None
    for one, found in zip(drawn, repeats, strict=True):
        if one.arena is not arena:  # batches of a GPU share one
            arena = one.arena
            flat = torch.from_numpy(arena) if isinstance(arena, np.ndarray) else _tensor(arena)
        header = one.header
        out = one.split(flat), [*map(_NEW, header.types)], [*map(_EDGES, header.relations)]
        if found:
            _repeat(core_sampler, out, found)
        outs.append(out)
    return outs


_NEW, _EDGES = operator.attrgetter("new"), operator.attrgetter("edges")


def _tensor(arena: Any) -> torch.Tensor:
    """An arena on a GPU as a tensor, which shares its memory."""
    return torch.from_dlpack(arena)


# ---- seeds that repeat: PyG's own gives each its place, and expands each place


def _once(core_sampler: NeighborSampler, seed_nodes: SeedNodes) -> tuple[SeedNodes, dict[int, Repeats]]:
    """The seed_nodes without repeats, and by type, as a number, what repeats."""
    if core_sampler.disjoint:
        return seed_nodes, {}
    if not isinstance(seed_nodes, Mapping):
        once, repeats = distinct(seed_nodes)
        return once, {} if repeats is None else {0: repeats}
    kept: dict[str, Array] = {}
    found: dict[int, Repeats] = {}
    for name, values in seed_nodes.items():
        kept[name], repeats = distinct(values)
        if repeats is not None:
            found[(core_sampler.types or []).index(name)] = repeats
    return kept, found


def _repeat(core_sampler: NeighborSampler, drawn: Drawn, repeats: dict[int, Repeats]) -> None:
    """Maps each repeated seed to all its positions. It runs on the CPU, so that no thread waits for another."""
    out, num_nodes, num_edges = drawn
    device = out.nodes[0].device
    for kind, one in repeats.items():
        nodes = _array(out.nodes[kind])
        place = one.places(len(nodes))
        out.nodes[kind] = torch.from_numpy(nodes[one.rows(len(nodes))]).to(device)
        counts = num_nodes[kind]
        num_nodes[kind] = [counts[0] + one.more, *counts[1:]]
        for r, (source, destination) in enumerate(_ends(core_sampler)):
            if source == kind:
                out.row[r] = torch.from_numpy(place[_array(out.row[r])]).to(device)
            if destination == kind:
                _repeat_edges(out, num_edges, r, one, place)


def _repeat_edges(out: Parts, num_edges: list[list[int]], r: int, repeats: Repeats, place: Array) -> None:
    """Leads the edges of the first hop, which come seed by seed, to each of the seed's places."""
    row, col, edges, device = _array(out.row[r]), _array(out.col[r]), _array(out.edges[r]), out.row[r].device
    hop, *others = num_edges[r]
    degrees = np.bincount(col[:hop], minlength=len(repeats.first))
    at, ends = gathered(np.cumsum(degrees) - degrees, degrees, repeats.which)
    places = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    parts = (
        np.concatenate([row[at], row[hop:]]),
        np.concatenate([places, place[col[hop:]]]),
        np.concatenate([edges[at], edges[hop:]]),
    )
    out.row[r], out.col[r], out.edges[r] = (torch.from_numpy(part).to(device) for part in parts)
    num_edges[r] = [len(places), *others]


def _array(part: torch.Tensor) -> Array:
    return np.asarray(part.cpu().numpy())


def _ends(core_sampler: NeighborSampler) -> list[tuple[int, int]]:
    """The types, as numbers, between which each relation's edges lead."""
    types, relations = core_sampler.types, core_sampler.relations
    if types is None or relations is None:
        return [(0, 0)]
    return [(types.index(source), types.index(destination)) for source, _, destination in relations]
