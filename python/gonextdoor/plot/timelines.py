"""The times of the edges that samples took."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core.binding import advised
from ..neighbor.batch import NeighborBatch
from ..samples.export import walks
from . import nodelink
from .figure import REFERENCE, axes_for, counted, expect_samples, samples_title
from .surroundings import label_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..graph.graph import Graph
    from ..samples.samples import Samples

__all__ = ["timeline"]

Ints = npt.NDArray[np.int64]


@advised
def timeline(
    samples: Samples | NeighborBatch,
    first: int = 12,
    *,
    graph: Graph | None = None,
    times: npt.ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draws the times of the edges that were taken, a row per walk or per seed node of a batch.

    A disc is an edge, at its time on the horizontal axis. Its number is the step of the walk, or the hop of the batch.
    The durations of the stages of a call are not drawn: samples know their total time only (``Samples.stats``).

    Args:
        samples: walks on a graph with times, sampled with ``edges=True``; or a ``NeighborBatch`` of separate trees
            (``temporal=`` or ``disjoint=True``).
        first: the number of rows to draw, from the first one on.
        graph: the graph of a batch; samples have theirs.
        times: (seed nodes,) the times of a batch's seed nodes, as given to ``NeighborSampler.draw``. They are drawn as
            lines, which no edge of a temporal batch is after.
        ax: the axes to draw on; None: those of a new figure.

    Raises:
        ImportError: matplotlib is missing.
        TypeError: a batch without its graph, or on a GPU.
        ValueError: the samples are neither walks nor a batch of trees, their graph has no times, their edges were not
            recorded, or there are more than 200 edges to draw.

    Examples:
        >>> graph = gnd.Graph.from_edges([0, 1, 2], [1, 2, 3], times=[3, 5, 8])
        >>> axes = gnd.plot.timeline(gnd.sample(graph, gnd.apps.DeepWalk(3), [0, 1], seed=1, edges=True))
    """
    if isinstance(samples, NeighborBatch):
        if graph is None:
            raise TypeError("timeline: a batch does not store its graph; pass graph=")
        by_id = _times(graph)
        rows, roots = _trees(samples), samples.split(samples.arena).nodes[0]
        title = f"Edge times of a mini-batch of {counted(len(rows), 'seed node')}"
        names, axis = graph.vertex_names, "seed node"
    else:
        expect_samples(samples)
        by_id = _times(samples.graph)
        rows, roots = _walks(samples), samples.roots[:, 0]
        title = samples_title(samples)
        names, axis = samples.vertex_names, "root of the walk"
    shown = rows[: max(first, 0)]
    nodelink.too_large("the timeline", 0, sum(len(ids) for ids, _ in shown), "draw fewer rows with first=")
    ax = axes_for(ax, (6.4, min(1.8 + 0.38 * len(shown), 9.0)))
    for row, (ids, numbers) in enumerate(shown):
        _draw_row(ax, row, by_id[ids], numbers, 6.5 if len(shown) <= 16 else 5.0)
    if times is not None:
        for row, time in enumerate(np.asarray(times).tolist()[: len(shown)]):
            label = "time of the seed node" if row == 0 else None
            ax.plot([time, time], [row - 0.4, row + 0.4], color=REFERENCE, linewidth=2, label=label)
        ax.legend(loc="upper left", bbox_to_anchor=(0, -0.12), frameon=False, fontsize=8.5)
    ax.set_yticks(range(len(shown)), [label_of(names, v) for v in roots[: len(shown)]])
    ax.set_ylim(max(len(shown), 1) - 0.4, -0.6)
    ax.set_xlabel("time of the edge")
    ax.set_ylabel(axis)
    ax.set_title(title + (f" (first {len(shown):,})" if len(shown) < len(rows) else ""))
    return ax


def _times(graph: Graph) -> Ints:
    """The times of a graph's edges by their ids."""
    times = graph.times
    if times is None:
        raise ValueError(
            "the graph has no times: make it with Graph.from_edges(..., times=) or gonextdoor.read(..., time=)"
        )
    ids = graph.edge_ids
    by_id = np.zeros(int(ids.max(initial=-1)) + 1, np.int64)
    by_id[ids] = times
    return by_id


def _walks(samples: Samples) -> list[tuple[Ints, list[int]]]:
    """The ids of each walk's edges, and their steps from 1."""
    if not walks(samples):
        raise ValueError(f"{samples.app!r}: its samples are not walks; a timeline shows walks or a NeighborBatch")
    if not samples.has_edges:
        raise ValueError("the samples have no edge ids: call gonextdoor.sample(..., edges=True)")
    return [(row[row >= 0], (np.flatnonzero(row >= 0) + 1).tolist()) for row in samples.edges]


def _trees(batch: NeighborBatch) -> list[tuple[Ints, list[int]]]:
    """The ids of the edges of each seed node's tree, and their hops from 1."""
    if not isinstance(batch.arena, np.ndarray):
        raise TypeError("batch: its arrays are on a GPU; draw one that was sampled with device='cpu'")
    parts: Any = batch.split(batch.arena)
    if len(batch.num_nodes) != 1 or not parts.trees or not parts.row:
        raise ValueError(
            "batch: a timeline shows separate trees of a Graph; sample with NeighborSampler(graph, fanouts, "
            "disjoint=True, layout='coo')"
        )
    hop = np.repeat(np.arange(len(batch.num_edges[0])) + 1, batch.num_edges[0])
    tree = parts.trees[0][parts.col[0]]
    return [(parts.edges[0][tree == t], hop[tree == t].tolist()) for t in range(batch.num_nodes[0][0])]


def _draw_row(ax: Axes, row: int, times: Ints, numbers: list[int], size: float) -> None:
    places = np.column_stack([times, np.full(len(times), row)]).astype(np.float64)
    if len(times):
        ax.plot([np.min(times), np.max(times)], [row, row], color=nodelink.BACKGROUND, linewidth=1.4, zorder=1)
    nodelink.discs(ax, places, [nodelink.step_colour(min(n, 5)) for n in numbers], size, [str(n) for n in numbers])
