"""Mini-batches: a column per hop, the seed nodes on the right."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core.binding import advised
from ..neighbor.batch import NeighborBatch
from ..neighbor.blocks import Block
from . import nodelink
from .figure import counted
from .layered import draw_columns
from .surroundings import label_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..graph.graph import Graph

__all__ = ["batch"]

Ints = npt.NDArray[np.int64]


@advised
def batch(batch: Any, *, graph: Graph | None = None, ax: Axes | None = None) -> Axes:
    """Draws a mini-batch: a column per hop, the seed nodes on the right, with arrows along which features flow.

    The columns of blocks are the vertices whose features each block reads and writes, so a vertex can be in several.
    In a ``NeighborBatch`` each vertex is in one column, that of the hop that discovered it. An edge between vertices
    that are not in successive columns is not drawn; the number of these edges is in the title.

    Args:
        batch: a NeighborBatch of a graph of one type; a Block; a list of Blocks; or what ``PGSampler.sample`` returns.
        graph: the graph that was sampled, whose names are then shown.
        ax: the axes to draw on; None: those of a new figure.

    Raises:
        ImportError: matplotlib is missing.
        TypeError: batch is none of these, or its arrays are on a GPU.
        ValueError: the batch has several types, or more than 200 vertices or 2,000 edges.

    Examples:
        >>> sampler = gnd.PGSampler([2, 3], seed=1, direction="in")
        >>> axes = gnd.plot.batch(sampler.sample(gnd.rmat(8, seed=1), [3, 7]))
    """
    names = None if graph is None else graph.vertex_names
    if isinstance(batch, NeighborBatch):
        return _neighbor_batch(batch, names, ax)
    if isinstance(batch, tuple) and len(batch) == 3:
        batch = batch[2]
    blocks = [batch] if isinstance(batch, Block) else batch
    if not isinstance(blocks, Sequence) or not blocks or not all(isinstance(block, Block) for block in blocks):
        raise TypeError(f"batch: expected a NeighborBatch, a Block or a list of Blocks, got {type(batch).__name__}")
    return _blocks(list(blocks), names, ax)


def _blocks(blocks: list[Block], names: npt.NDArray[Any] | None, ax: Axes | None) -> Axes:
    columns = [_on_host(blocks[-1].dst_nodes), *(_on_host(block.src_nodes) for block in reversed(blocks))]
    edges = sum(len(block.indices) for block in blocks)
    nodelink.too_large("the batch", max(map(len, columns)), edges, "draw one with fewer seed nodes or smaller fan-outs")
    links = []
    for block in reversed(blocks):
        counts = np.diff(_on_host(block.indptr))
        links.append((np.repeat(np.arange(len(counts)), counts), _on_host(block.indices)))
    sizes = [len(column) for column in columns]
    colours = [
        [nodelink.step_colour(next(hop for hop, size in enumerate(sizes) if i < size)) for i in range(len(column))]
        for column in columns
    ]
    heads = ["seed nodes", *(f"inputs of block {i}" for i in range(len(blocks) - 1, -1, -1))]
    if len(blocks) == 1:
        heads = ["destinations", "sources"]
    texts = [[label_of(names, v) for v in column] for column in columns]
    ax = draw_columns(ax, texts, links, heads, colours, backwards=True)
    if len(blocks) == 1:
        ends = f"{counted(sizes[1], 'source')}, {counted(sizes[0], 'destination')}"
        ax.set_title(f"Block of {ends} and {counted(edges, 'edge')}")
        return ax
    seeds, inputs = counted(sizes[0], "seed node"), counted(sizes[-1], "input node")
    ax.set_title(f"Mini-batch of {seeds}: {inputs}, {counted(edges, 'edge')}")
    return ax


def _neighbor_batch(batch: NeighborBatch, names: npt.NDArray[Any] | None, ax: Axes | None) -> Axes:
    if len(batch.num_nodes) != 1 or len(batch.num_edges) != 1:
        raise ValueError(
            f"batch has {len(batch.num_nodes)} types of vertices and {len(batch.num_edges)} relations, but a drawing "
            "shows one of each: draw a batch of one relation, HeteroGraph.relations[...]"
        )
    parts = batch.split(_on_host(batch.arena))
    nodes, sources, targets = parts.nodes[0], *_edges(batch, parts)
    nodelink.too_large("the batch", len(nodes), len(sources), "draw one with fewer seed nodes or smaller fan-outs")
    sizes = list(batch.num_nodes[0])
    while len(sizes) > 1 and not sizes[-1]:  # hops that discovered nothing
        sizes.pop()
    first = np.concatenate([[0], np.cumsum(sizes)])
    column = np.repeat(np.arange(len(sizes)), sizes)
    links, drawn = [], 0
    for hop in range(1, len(sizes)):
        here = (column[sources] == hop) & (column[targets] == hop - 1)
        links.append((targets[here] - first[hop - 1], sources[here] - first[hop]))
        drawn += int(here.sum())
    texts = [[label_of(names, v) for v in nodes[a:b]] for a, b in pairwise(first)]
    colours = [[nodelink.step_colour(hop)] * size for hop, size in enumerate(sizes)]
    heads = ["seed nodes", *(f"hop {hop}" for hop in range(1, len(sizes)))]
    ax = draw_columns(ax, texts, links, heads, colours, backwards=True)
    hidden = len(sources) - drawn
    left_out = f" ({hidden:,} not drawn)" if hidden else ""
    edges = f"{counted(len(sources), 'edge')}{left_out}"
    ax.set_title(f"Mini-batch of {counted(sizes[0], 'seed node')}: {counted(len(nodes), 'node')}, {edges}")
    return ax


def _edges(batch: NeighborBatch, parts: Any) -> tuple[Ints, Ints]:
    """The local ids of the edges' sources and destinations."""
    if parts.row:
        return parts.row[0], parts.col[0]
    sources, targets = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for ((indptr, indices, _),), ((first, count),) in zip(parts.hops, batch.destinations, strict=True):
        sources.append(indices)
        targets.append(np.repeat(first + np.arange(count), np.diff(indptr)))
    return np.concatenate(sources), np.concatenate(targets)


def _on_host(array: Any) -> Ints:
    if not isinstance(array, np.ndarray):
        raise TypeError("batch: its arrays are on a GPU; draw one that was sampled with device='cpu'")
    return array.astype(np.int64, copy=False)
