"""Visits of samples against the degrees of vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core.binding import advised
from ..graph.graph import Graph
from .figure import POINTS, REFERENCE, axes_for, counted, log_ticks, note, samples_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..samples.samples import Samples

__all__ = ["visits"]


@advised
def visits(samples: Samples | Graph, counts: npt.ArrayLike | None = None, *, ax: Axes | None = None) -> Axes:
    """Draws how often each vertex was visited against its degree, both on logarithmic axes.

    The dashed line has slope 1: all visits, distributed in proportion to the degrees. On an undirected, unweighted,
    connected graph, long walks approach it.

    Args:
        samples: the samples, or the graph of ``counts``.
        counts: (num_vertices,) visits, as ``gonextdoor.visit_counts`` returns them; None: those of the samples.
        ax: the axes to draw on; None: those of a new figure.

    Raises:
        ImportError: matplotlib is missing.
        TypeError: only one of graph and counts is given.
        ValueError: counts has another shape; or the samples were loaded from a file without their graph.

    Examples:
        >>> graph = gnd.rmat(10, seed=1)
        >>> axes = gnd.plot.visits(gnd.sample(graph, gnd.apps.DeepWalk(20), seed=1))
        >>> axes = gnd.plot.visits(graph, gnd.visit_counts(graph, gnd.apps.DeepWalk(20), seed=1))
    """
    degrees, visited, title = _numbers(samples, counts)
    ax = axes_for(ax)
    shown = (degrees > 0) & (visited > 0)  # a logarithmic axis has no place for 0
    x, y = degrees[shown], visited[shown]
    ax.scatter(x, y, s=14 if len(x) < 2000 else 5, alpha=0.4, color=POINTS, linewidths=0, rasterized=len(x) > 5000)
    if len(x):
        ax.set_xscale("log")
        ax.set_yscale("log")
        log_ticks(ax.xaxis, x)
        log_ticks(ax.yaxis, y)
        ends = np.array([x.min(), x.max()], np.float64)
        line = ends * (float(visited.sum()) / float(degrees.sum()))
        ax.plot(ends, line, color=REFERENCE, linestyle="--", linewidth=1.2, label="proportional to degree (slope 1)")
        ax.legend(frameon=False)
    ax.set_xlabel("degree")
    ax.set_ylabel("visits")
    ax.set_title(title)
    note(ax, _hidden(degrees, visited))
    return ax


def _numbers(samples: Any, counts: npt.ArrayLike | None) -> tuple[npt.NDArray[Any], npt.NDArray[Any], str]:
    """The degrees, the visits and the title."""
    if isinstance(samples, Graph) != (counts is not None):
        raise TypeError("visits: expected samples only, or a graph and its visit counts")
    if counts is None:
        return np.asarray(samples.graph.degrees()), np.asarray(samples.visit_counts()), samples_title(samples)
    visited, vertices = np.asarray(counts), samples.num_vertices
    if visited.shape != (vertices,):
        raise ValueError(f"counts has shape {visited.shape}: expected ({vertices},), one count per vertex")
    total = counted(int(visited.sum()), "visit")
    return np.asarray(samples.degrees()), visited, f"{total} to {counted(vertices, 'vertex', 'vertices')}"


def _hidden(degrees: npt.NDArray[Any], visited: npt.NDArray[Any]) -> str:
    """A note about the values that logarithmic axes cannot show."""
    never = int(((visited == 0) & (degrees > 0)).sum())
    alone = int((degrees == 0).sum())
    parts = [counted(never, "vertex", "vertices") + " without visits"] if never else []
    parts += [counted(alone, "vertex", "vertices") + " of degree 0"] if alone else []
    return f"not shown: {' and '.join(parts)}" if parts else ""
