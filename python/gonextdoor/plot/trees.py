"""Trees of neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING, SupportsIndex

import numpy as np

from .._core.binding import advised
from ..samples.layers import place
from . import layout, nodelink
from .figure import axes_for, counted, expect_samples, sample_title
from .surroundings import label_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..samples.samples import Samples

__all__ = ["tree"]


@advised
def tree(samples: Samples, sample: SupportsIndex = 0, *, ax: Axes | None = None) -> Axes:
    """Draws one sample as a tree: each vertex below the one whose edge led to it, the roots at the top.

    A vertex that was reached along several edges is drawn once per edge. Places that the app left empty are not drawn.

    Args:
        samples: samples of KHop, Neighbor, Snowball, ForestFire, MVS or another app whose steps expand single vertices.
        sample: the row of the sample.
        ax: the axes to draw on; None: those of a new figure, wider for wider trees.

    Raises:
        ImportError: matplotlib is missing.
        IndexError: there is no such sample.
        ValueError: the samples are not trees, or the sample has more than 200 vertices.

    Examples:
        >>> graph = gnd.rmat(10, seed=1)
        >>> axes = gnd.plot.tree(gnd.sample(graph, gnd.apps.KHop([3, 2]), [7], seed=1))
    """
    expect_samples(samples)
    row = place("sample", sample, len(samples))
    nodelink.too_large("the sample", int(samples.lengths[row]), 0, "draw one with smaller fan-outs or fewer steps")
    vertices, parents, levels = _layered(samples, row) if samples.layered else _placed(samples, row)
    places = layout.forest(parents, levels)
    leaves = float(np.max(places[:, 0], initial=0)) + 1
    ax = axes_for(ax, (min(max(6.4, 0.22 * leaves), 14), 1.6 + 1.0 * (max(levels, default=0) + 1)))
    size = nodelink.radius(int(3.2 * leaves) if leaves > 20 else len(vertices))
    linked = [(parent, child) for child, parent in enumerate(parents) if parent >= 0]
    above, below = np.array(linked, np.int64).reshape(-1, 2).T
    nodelink.lines(ax, places[above], places[below])
    texts = [label_of(samples.vertex_names, v) for v in vertices]
    nodelink.discs(ax, places, [nodelink.step_colour(level) for level in levels], size, texts)
    nodelink.frame(ax, places, equal=False, margin=0.5)
    names = ["root" if len(samples.roots[row]) < 2 else "roots"]
    names += [f"step {level}" for level in range(1, max(levels, default=0) + 1)]
    if samples.roots.shape[1] == 0:
        names = [f"step {level + 1}" for level in range(max(levels, default=0) + 1)]
    texts = [f"{name}\n{counted(levels.count(level), 'vertex', 'vertices')}" for level, name in enumerate(names)]
    left = -0.5 - 0.02 * leaves
    nodelink.captions(ax, [(left, -float(level)) for level in range(len(names))], texts, ha="right", va="center")
    ax.set_xlim(left - 0.16 * leaves - 0.3, leaves - 0.5)
    ax.set_title(sample_title(samples, row))
    return ax


def _placed(samples: Samples, row: int) -> tuple[list[int], list[int], list[int]]:
    """The vertices of a sample whose steps have fixed shapes, their parents' positions, and their levels."""
    roots = samples.roots.shape[1]
    before: tuple[int, ...] = () if roots == 1 else (roots,)
    shapes = [] if samples.ragged else samples.app.slots(roots)
    whole = samples.numpy()[row].tolist()
    parents, levels, first, count = [-1] * roots, [0] * roots, 0, roots
    for level, shape in enumerate(shapes, 1):
        if shape[:-1] != before or len(shape) != len(before) + 1:
            shapes = []
            break
        parents += [first + slot // shape[-1] for slot in range(count * shape[-1])]
        levels += [level] * (count * shape[-1])
        first, count, before = first + count, count * shape[-1], shape
    if not shapes:
        raise ValueError(f"{samples.app!r}: its samples are not trees; draw them with walk, layers or subgraph")
    present = [slot for slot, vertex in enumerate(whole) if vertex >= 0]
    at = {slot: i for i, slot in enumerate(present)} | {-1: -1}
    return [whole[slot] for slot in present], [at[parents[slot]] for slot in present], [levels[s] for s in present]


def _layered(samples: Samples, row: int) -> tuple[list[int], list[int], list[int]]:
    """The same for a sample that knows its parents."""
    part = slice(int(samples.offsets[row]), int(samples.offsets[row + 1]))
    assert samples._layers is not None
    levels = samples._layers.steps_of(row, row + 1).tolist()
    parents = samples.parents[part].tolist()
    first = min(levels, default=0)
    if any(parent < 0 and level > first for parent, level in zip(parents, levels, strict=True)):
        raise ValueError(f"{samples.app!r}: its samples are not trees; draw them with layers or subgraph")
    return samples.values[part].tolist(), parents, [level - first for level in levels]
