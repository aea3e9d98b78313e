"""The subgraph that a sample induces."""

from __future__ import annotations

from typing import TYPE_CHECKING, SupportsIndex

import numpy as np

from .._core.binding import advised
from ..samples.layers import place
from . import layout, nodelink
from .figure import axes_for, counted, expect_samples, note, sample_title
from .surroundings import label_of, small, surroundings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..samples.samples import Samples

__all__ = ["subgraph"]


@advised
def subgraph(samples: Samples, sample: SupportsIndex = 0, *, ax: Axes | None = None) -> Axes:
    """Draws the vertices of a sample and the edges that the app recorded between them.

    The rest of the graph is drawn in grey if it has at most 200 vertices and 2,000 edges.

    Args:
        samples: samples of an app that records edges, such as GraphSAINT, ClusterGCN, RandomNode or RandomEdge.
        sample: the row of the sample.
        ax: the axes to draw on; None: those of a new figure.

    Raises:
        ImportError: matplotlib is missing.
        IndexError: there is no such sample.
        ValueError: the app records no edges, or the sample has more than 200 vertices or 2,000 edges.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> axes = gnd.plot.subgraph(gnd.sample(graph, gnd.apps.GraphSAINT("node", budget=12), seed=1))
    """
    expect_samples(samples)
    row = place("sample", sample, len(samples))
    found = samples.subgraph(row)
    count, edges = len(found.nodes), len(found.src)
    nodelink.too_large("the subgraph", count, edges, "draw one with a smaller budget")
    ax = axes_for(ax, (7.0, 5.8))
    size = nodelink.radius(count)
    vertices = found.nodes.astype(np.int64)
    texts = [label_of(samples.vertex_names, v) for v in vertices]
    within = samples._graph is not None and small(samples._graph)
    if within:
        drawn = surroundings(samples.graph, vertices)
        size = nodelink.radius(len(drawn.vertices))
        drawn.draw_edges(ax, size, nodelink.BACKGROUND)
        nodelink.discs(ax, drawn.places, [nodelink.BACKGROUND] * len(drawn.vertices), 0.6 * size)
        places, everywhere = drawn.places[drawn.at(vertices)], drawn.places
    else:
        places = everywhere = layout.positions(count, found.src.astype(np.int64), found.dst.astype(np.int64))
    pairs = {tuple(sorted(pair)) for pair in zip(found.src.tolist(), found.dst.tolist(), strict=True)}
    ends = np.array(sorted(pairs), np.int64).reshape(-1, 2)
    nodelink.lines(ax, places[ends[:, 0]], places[ends[:, 1]], nodelink.step_colour(1), 1.5)
    nodelink.discs(ax, places, [nodelink.step_colour(1)] * count, size, texts)
    nodelink.frame(ax, everywhere)
    ax.set_title(sample_title(samples, row))
    rest = f" of {counted(samples.graph.num_vertices, 'vertex', 'vertices')}" if within else ""
    note(ax, f"{count:,}{rest or ' vertices'}, {counted(edges, 'recorded edge')}")
    return ax
