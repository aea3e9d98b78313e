"""Walks that stop with a probability given for each step, and the vertices that they visit most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import rng
from .._core.seeds import call_seed
from .._core.words import mix
from ..apps import PPR, DeepWalk
from .sample import sample

if TYPE_CHECKING:
    from ..device.devices import Device
    from ..graph.graph import Graph
    from ..samples.samples import Samples

__all__ = ["most_visited", "stop_units", "walks_along", "walks_of"]

Array = npt.NDArray[Any]

STOP = 192  # the try that decides whether a walk stops before a step: no app takes a choice by that word of step 0


def stop_units(chance: float) -> int:
    """A probability of stopping in units of 2^-32, at least one unit unless it is 0."""
    return max(round(chance * 2**32), int(chance > 0))


def walks_of(
    graph: Graph,
    starts: Array,
    length: int,
    stops: Sequence[int],
    *,
    weighted: bool = False,
    edges: bool = False,
    seed: int,
    device: Device,
    threads: int | None = None,
) -> tuple[Array, Array]:
    """Walks in a graph with one type of edges.

    Args:
        graph: its rows are the edges that walks follow.
        starts: (n,) vertices, one for each walk.
        length: steps.
        stops: the probability of stopping before each step, in units of 2^-32; empty: walks never stop early.
        weighted: whether edges are taken in proportion to their weights.
        edges: whether to return the edges taken.
        seed: 64 bits.
        device, threads: as for ``gonextdoor.sample``.

    Returns:
        (traces, taken): vertices, (n, length + 1), and edges, (n, length), -1 after the end of a walk.
    """
    app: DeepWalk | PPR = DeepWalk(length, weighted=weighted)
    one = len(set(stops)) == 1 and stops[0] > 0
    if one:  # the engine ends walks after a step; only an end before the first one is left to do
        app = PPR(stops[0] / 2**32, max_length=length, weighted=weighted)
    given: Any = {"seed": seed, "device": device, "threads": threads, "dtype": np.int64, "progress": False}
    walks = sample(graph, app, starts, edges=edges, **given)
    traces = _wide(walks.numpy(), length + 1)
    taken = _wide(walks.edges, length) if edges else traces[:, 1:]
    for step, stop in enumerate(stops[:1] if one else stops):
        if stop:
            ended = _ends(seed, len(starts), step, stop)
            traces[ended, step + 1 :] = -1
            taken[ended, step:] = -1
    return traces, taken


def walks_along(
    steps: Sequence[Graph],
    starts: Array,
    stops: Sequence[int],
    *,
    edges: bool = False,
    seed: int,
    device: Device,
    threads: int | None = None,
) -> tuple[Array, Array]:
    """Walks whose step s is taken in the graph of its edge type, by weight if that has weights. Arguments and results
    are those of ``walks_of``."""
    traces = np.full((len(steps) + 1, len(starts)), -1, np.int64)
    taken = np.full((len(steps), len(starts) if edges else 0), -1, np.int64)
    traces[0] = starts
    given: Any = {"device": device, "threads": threads, "dtype": np.int64, "progress": False}
    for step, graph in enumerate(steps):
        here = traces[step]
        on = here >= 0
        if stops and stops[step]:
            on &= ~_ends(seed, len(starts), step, stops[step])
        if not on.any():
            break
        # A walk that has ended stays on vertex 0 and is ignored, so that each walk keeps its id.
        app, roots = DeepWalk(1, weighted="auto"), np.where(on, here, 0)
        walks: Samples = sample(graph, app, roots, seed=call_seed(seed, step), edges=edges, **given)
        traces[step + 1] = np.where(on, walks.numpy()[:, 1], -1)
        if edges:
            taken[step] = np.where(on, walks.edges[:, 0], -1)
    return traces.T, taken.T


def most_visited(ends: Array, most: int) -> tuple[Array, Array, Array]:
    """The vertices that occur most in each row, by decreasing occurrences and equal ones by vertex; -1 is not counted.

    Returns:
        (vertices, rows, occurrences).
    """
    count = int(ends.max(initial=0)) + 1
    kind = np.int32 if len(ends) * count < 1 << 31 else np.int64  # the sort takes most of the time
    first = np.arange(len(ends), dtype=kind)[:, None] * kind(count)
    keys = np.where(ends >= 0, ends.astype(kind) + first, kind(-1)).ravel()
    keys.sort()
    keys = keys[np.searchsorted(keys, 0) :]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    visits = np.diff(starts, append=len(keys))
    rows, vertices = np.divmod(keys[starts].astype(np.int64), count)
    order = np.lexsort((vertices, -visits, rows))
    kept = order[np.arange(len(order)) - np.searchsorted(rows, rows) < most]
    return vertices[kept], rows[kept], visits[kept]


def _ends(seed: int, rows: int, step: int, stop: int) -> Array:
    """Which of the walks 0 ... rows-1 end before a step: those the top half of whose word is below stop."""
    gamma, slot = np.uint64(rng.GAMMA), np.uint64((rng.slot(step, STOP) + 1) * rng.GAMMA & rng.MASK)
    keys = mix(np.uint64(rng.stream(seed)) ^ np.arange(rows, dtype=np.uint64) * gamma)
    ended: Array = (mix(keys ^ slot) >> np.uint64(32)) < np.uint64(stop)
    return ended


def _wide(array: Array, width: int) -> Array:
    """Returns the array with that number of columns, -1 in those that it lacks. It is writable."""
    if array.shape[1] == width and array.flags.writeable:
        return array
    wide = np.full((len(array), width), -1, np.int64)
    wide[:, : array.shape[1]] = array
    return wide
