"""A walk on its graph."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np
import numpy.typing as npt

from .._core.binding import advised
from ..samples.export import walks
from ..samples.layers import place
from . import nodelink
from .figure import axes_for, counted, expect_samples, note, sample_title
from .surroundings import label_of, surroundings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..graph.graph import Graph
    from ..samples.samples import Samples
    from .surroundings import Surroundings

__all__ = ["walk"]

BEND = 0.16  # of arrows, so that those of opposite directions are apart
MOST_NUMBERS = 24  # steps of a walk whose arrows have numbers


@advised
def walk(samples: Samples, sample: SupportsIndex = 0, *, ax: Axes | None = None) -> Axes:
    """Draws a walk as numbered arrows on its graph.

    The graph is drawn in full if it has at most 200 vertices and 2,000 edges; of a larger graph, only the vertices of
    the walk and the edges among them. A dashed arrow is a step that follows no edge, such as a restart. Arrows of walks
    with more than 24 steps have no numbers; their colour changes from dark to light.

    Args:
        samples: samples of an app that walks.
        sample: the row of the walk.
        ax: the axes to draw on; None: those of a new figure.

    Raises:
        ImportError: matplotlib is missing.
        IndexError: there is no such sample.
        ValueError: the samples are not walks, the walk visits more than 200 vertices, or the samples were loaded
            from a file without their graph.

    Examples:
        >>> graph = gnd.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], symmetric=True)
        >>> axes = gnd.plot.walk(gnd.sample(graph, gnd.apps.DeepWalk(6), [0], seed=1))
    """
    expect_samples(samples)
    if not walks(samples):
        raise ValueError(f"{samples.app!r}: its samples are not walks; draw them with tree, layers or subgraph")
    row = place("sample", sample, len(samples))
    steps = samples[row].astype(np.int64)
    nodelink.too_large("the walk", len(np.unique(steps)), 0, "draw a shorter walk")
    ax = axes_for(ax, (7.0, 5.8))
    drawn = surroundings(samples.graph, steps)
    size = nodelink.radius(len(drawn.vertices))
    drawn.draw_edges(ax, size, nodelink.BACKGROUND)
    visited = np.isin(drawn.vertices, steps)
    colours = [nodelink.step_colour(1) if there else nodelink.BACKGROUND for there in visited]
    if len(steps):
        colours[int(drawn.at(steps[0]))] = nodelink.step_colour(0)
    texts = [label_of(samples.vertex_names, v) for v in drawn.vertices]
    nodelink.discs(ax, drawn.places, colours, size, texts)
    _draw_steps(ax, samples.graph, drawn, steps, size)
    nodelink.frame(ax, drawn.places)
    ax.set_title(sample_title(samples, row))
    taken, most = len(steps) - 1, getattr(samples.app, "length", None)
    notes = [f"ended after {counted(taken, 'step')}"] if isinstance(most, int) and taken < most else []
    notes += [f"steps 1 (dark) to {taken:,} (light)"] if taken > MOST_NUMBERS else []
    note(ax, ", ".join(notes))
    return ax


def _draw_steps(ax: Axes, graph: Graph, drawn: Surroundings, steps: npt.NDArray[np.int64], size: float) -> None:
    """Draws an arrow for each pair of vertices, with the numbers of the steps that took it."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    taken: dict[tuple[int, int], list[int]] = {}
    for number, (u, v) in enumerate(pairwise(steps.tolist()), 1):
        taken.setdefault((u, v), []).append(number)
    count, colours = max(len(steps) - 1, 1), colormaps["viridis"]
    for (u, v), numbers in taken.items():
        start, end = drawn.places[drawn.at([u, v])]
        colour = to_hex(colours(0.02 + 0.68 * (numbers[0] - 1) / count))
        if u != v:
            dashed = not graph.has_edge(u, v)
            nodelink.arrow(ax, start, end, size, colour, bend=BEND, width=1.6, dashed=dashed)
        if count <= MOST_NUMBERS:
            dx, dy = end - start
            middle = (start + end) / 2 + BEND / 2 * np.array([dy, -dx])
            offset = (0.0, size + 6) if u == v else (0.0, 0.0)
            box = {"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
            text = ", ".join(map(str, numbers))
            ax.annotate(
                text, middle, offset, textcoords="offset points", ha="center", va="center", fontsize=8.5, color=colour,
                fontweight="bold", bbox=box, zorder=5, annotation_clip=False,
            )  # fmt: skip
