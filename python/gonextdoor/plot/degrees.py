"""The distribution of degrees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._core.binding import advised
from .figure import POINTS, REFERENCE, axes_for, counted, expect_graph, log_ticks, note

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..graph.graph import Graph

__all__ = ["degrees"]


@advised
def degrees(graph: Graph, *, ax: Axes | None = None) -> Axes:
    """Draws how many vertices have each degree, both on logarithmic axes, with the mean degree as a dashed line.

    The degree of a vertex is the number of its out-edges. Vertices without any have no place on a logarithmic axis;
    their number is written below it.

    Args:
        graph: the graph, of any size.
        ax: the axes to draw on; None: those of a new figure.

    Raises:
        ImportError: matplotlib is missing.

    Examples:
        >>> axes = gnd.plot.degrees(gnd.rmat(12, seed=1))
        >>> axes.figure.savefig("degrees.svg")
    """
    expect_graph(graph)
    ax = axes_for(ax)
    counts = np.bincount(graph.degrees())
    present = np.flatnonzero(counts[1:]) + 1
    ax.scatter(present, counts[present], s=14, color=POINTS, linewidths=0, rasterized=len(present) > 5000)
    if len(present):
        ax.set_xscale("log")
        ax.set_yscale("log")
        log_ticks(ax.xaxis, present)
        log_ticks(ax.yaxis, counts[present])
        mean = graph.num_edges / graph.num_vertices
        ax.axvline(mean, color=REFERENCE, linestyle="--", linewidth=1.2, label=f"mean degree {mean:,.3g}")
        ax.legend(frameon=False)
    ax.set_xlabel("degree")
    ax.set_ylabel("vertices")
    ax.set_title(
        f"Degrees of {counted(graph.num_vertices, 'vertex', 'vertices')} and {counted(graph.num_edges, 'edge')}"
    )
    hidden = int(counts[0]) if len(counts) else 0
    note(ax, f"not shown: {counted(hidden, 'vertex', 'vertices')} of degree 0" if hidden else "")
    return ax
