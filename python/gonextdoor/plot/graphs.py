"""A small graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._core.binding import advised
from . import nodelink
from .figure import POINTS, axes_for, counted, expect_graph
from .surroundings import label_of, surroundings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..graph.graph import Graph

__all__ = ["graph"]


@advised
def graph(graph: Graph, *, ax: Axes | None = None) -> Axes:
    """Draws a graph of at most 200 vertices and 2,000 edges.

    Edges that are present in both directions are drawn as lines, others as arrows. The positions depend on the graph
    alone.

    Args:
        graph: the graph.
        ax: the axes to draw on; None: those of a new figure.

    Raises:
        ImportError: matplotlib is missing.
        ValueError: the graph is too large to draw.

    Examples:
        >>> axes = gnd.plot.graph(gnd.Graph.from_edges([("ada", "bo"), ("bo", "cy"), ("cy", "ada")]))
    """
    expect_graph(graph)
    vertices, edges = graph.num_vertices, graph.num_edges
    advice = "draw a sample of it (walk, tree, layers, subgraph or batch) or its degrees"
    nodelink.too_large("the graph", vertices, edges, advice)
    ax = axes_for(ax, (7.0, 5.8))
    drawn = surroundings(graph, np.arange(vertices))
    size = nodelink.radius(vertices)
    drawn.draw_edges(ax, size, nodelink.EDGE)
    texts = [label_of(graph.vertex_names, v) for v in range(vertices)]
    nodelink.discs(ax, drawn.places, [POINTS] * vertices, size, texts)
    nodelink.frame(ax, drawn.places)
    ax.set_title(f"Graph of {counted(vertices, 'vertex', 'vertices')} and {counted(edges, 'edge')}")
    return ax
