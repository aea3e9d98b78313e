"""Layered samples: a column per step, with the edges between successive steps."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

import numpy as np
import numpy.typing as npt

from .._core.binding import advised
from ..samples.layers import place
from . import layout, nodelink
from .figure import axes_for, counted, expect_samples, sample_title
from .surroundings import label_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..samples.samples import Samples

__all__ = ["draw_columns", "layers"]

Ints = npt.NDArray[np.int64]


@advised
def layers(samples: Samples, sample: SupportsIndex = 0, *, ax: Axes | None = None) -> Axes:
    """Draws one layered sample: a column per step, the roots on the left.

    Lines are the recorded edges between successive steps (LADIES, FastGCN). For apps that record none, they lead from
    each vertex to the one that it was reached from.

    Args:
        samples: layered samples, such as those of LADIES, FastGCN, Layer, Snowball or MVS.
        sample: the row of the sample.
        ax: the axes to draw on; None: those of a new figure.

    Raises:
        ImportError: matplotlib is missing.
        IndexError: there is no such sample.
        ValueError: the samples are not layered, or the sample has more than 200 vertices.

    Examples:
        >>> graph = gnd.rmat(10, seed=1)
        >>> axes = gnd.plot.layers(gnd.sample(graph, gnd.apps.LADIES([8, 8]), [[1, 2, 3]], seed=1))
    """
    expect_samples(samples)
    row = place("sample", sample, len(samples))
    layers = samples._layers
    if layers is None:
        raise ValueError(f"{samples.app!r}: its samples are not layered; draw them with walk or tree")
    nodelink.too_large("the sample", int(samples.lengths[row]), 0, "draw one with smaller layers or fewer steps")
    part = slice(int(samples.offsets[row]), int(samples.offsets[row + 1]))
    vertices, levels = samples.values[part], layers.steps_of(row, row + 1)
    first = np.searchsorted(levels, np.arange(int(levels.max(initial=0)) + 2))
    above, below = _links(samples, row)
    links = []
    for level in range(1, len(first) - 1):
        here = (
            (below >= first[level]) & (below < first[level + 1]) & (above >= first[level - 1]) & (above < first[level])
        )
        links.append((above[here] - first[level - 1], below[here] - first[level]))
    texts = [[label_of(samples.vertex_names, v) for v in vertices[a:b]] for a, b in pairwise(first)]
    roots = samples.roots.shape[1]
    heads = [("root" if roots == 1 else "roots") if level == 0 else f"step {level}" for level in range(len(texts))]
    if not roots:  # the first column is empty
        texts, links, heads = texts[1:], links[1:], heads[1:]
    colours = [[nodelink.step_colour(level)] * len(column) for level, column in enumerate(texts)]
    ax = draw_columns(ax, texts, links, heads, colours)
    ax.set_title(sample_title(samples, row))
    return ax


def _links(samples: Samples, row: int) -> tuple[Ints, Ints]:
    """The edges of a sample, from a position of an earlier step to one of a later step."""
    if samples.records:
        found = samples.subgraph(row)
        return found.src.astype(np.int64), found.dst.astype(np.int64)
    parents = samples.parents[int(samples.offsets[row]) : int(samples.offsets[row + 1])].astype(np.int64)
    below = np.flatnonzero(parents >= 0)
    return parents[below], below


def draw_columns(
    ax: Axes | None, texts: list[list[str]], links: list[tuple[Ints, Ints]], heads: list[str], colours: list[list[str]],
    *, backwards: bool = False,
) -> Axes:  # fmt: skip
    """Draws vertices in columns, with lines between successive columns.

    Args:
        ax: the axes, or None.
        texts: the names of the vertices of each column.
        links: for each column but the first, pairs of a place in the column before and a place in this one.
        heads: the title of each column.
        colours: of each vertex.
        backwards: whether the first column is on the right, and arrows lead from each column to the one before it.
    """
    edges = sum(len(before) for before, _ in links)
    nodelink.too_large("the drawing", 0, edges, "draw a smaller sample")
    most = max([len(column) for column in texts], default=0)
    ax = axes_for(ax, (max(4.8, 2.0 + 1.7 * len(texts)), min(max(3.6, 1.4 + 0.42 * most), 9.0)))
    placed = layout.columns([len(column) for column in texts], links)
    spacing = max(most - 1, 1) / 4.5  # of columns, in units of the height of a vertex
    for places in placed:
        places[:, 0] *= -spacing if backwards else spacing
    high = 1.2 * float(ax.get_window_extent().height / ax.figure.dpi)  # in inches, without the usual margins
    size = min(max(0.32 * 72 * (high - 1.0) / max(most, 1), 3.5), 10.0)
    for (before, here), left, right in zip(links, placed, placed[1:], strict=False):
        if backwards:
            nodelink.arrows(ax, right[here], left[before], size)
        else:
            nodelink.lines(ax, left[before], right[here])
    sides: list[Literal["below", "left", "right"]] = ["below"] * len(placed)
    sides[-1], sides[0] = ("left", "right") if backwards else ("right", "left")
    for places, names, fills, side in zip(placed, texts, colours, sides, strict=True):
        nodelink.discs(ax, places, fills, size, names, side)
    everywhere: npt.NDArray[Any] = np.concatenate([*placed, np.zeros((1, 2))])
    nodelink.frame(ax, everywhere, equal=False, margin=0.45 * spacing)
    top, heights = float(everywhere[:, 1].max()), max(float(np.ptp(everywhere[:, 1])), 1.0)
    room = heights / max(high - 1.2, 1.0)  # of an inch
    ax.set_ylim(float(everywhere[:, 1].min()) - 0.3 * room, top + 0.7 * room)
    where = [(column * (-spacing if backwards else spacing), top + 0.3 * room) for column in range(len(texts))]
    counts = [counted(len(column), "vertex", "vertices") for column in texts]
    nodelink.captions(ax, where, [f"{h}\n{c}" for h, c in zip(heads, counts, strict=True)], ha="center", va="bottom")
    return ax
