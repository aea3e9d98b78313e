"""The part of a graph that is drawn with a sample: all of a small graph, else the edges among its vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import layout, nodelink

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..graph.graph import Graph

__all__ = ["Surroundings", "label_of", "surroundings"]

Ints = npt.NDArray[np.int64]


class Surroundings(NamedTuple):
    """Vertices of a graph, the edges among them, and their positions.

    Attributes:
        vertices: (n,) vertices of the graph, ascending.
        sources, targets: (m,) the ends of the edges, as positions in vertices; each pair of vertices once if the edges
            are present in both directions.
        places: (n, 2) positions.
        directed: whether some edge has no opposite.
    """

    vertices: Ints
    sources: Ints
    targets: Ints
    places: npt.NDArray[np.float64]
    directed: bool

    def at(self, vertices: Any) -> Ints:
        """The positions of vertices in ``vertices``."""
        found: Ints = np.searchsorted(self.vertices, vertices)
        return found

    def draw_edges(self, ax: Axes, size: float, colour: str) -> None:
        """Draws the edges between discs of this radius: arrows if the graph is directed, else lines."""
        starts, ends = self.places[self.sources], self.places[self.targets]
        if self.directed:
            nodelink.arrows(ax, starts, ends, size, colour)
        else:
            nodelink.lines(ax, starts, ends, colour)


def small(graph: Graph) -> bool:
    """Whether all of the graph can be drawn."""
    return graph.num_vertices <= nodelink.MAX_VERTICES and graph.num_edges <= nodelink.MAX_EDGES


def surroundings(graph: Graph, vertices: npt.NDArray[Any]) -> Surroundings:
    """All of a small graph; of a larger one, these vertices and the edges among them.

    Raises:
        ValueError: there are too many edges among the vertices.
    """
    chosen = np.arange(graph.num_vertices) if small(graph) else np.unique(vertices).astype(np.int64)
    rows = [np.asarray(graph.neighbors(int(v))).astype(np.int64) for v in chosen]
    rows = [row[np.isin(row, chosen)] for row in rows]
    sources = np.repeat(np.arange(len(chosen)), [len(row) for row in rows])
    targets = np.searchsorted(chosen, np.concatenate([*rows, np.empty(0, np.int64)]))
    codes = np.unique(sources * len(chosen) + targets)
    opposite = codes % max(len(chosen), 1) * len(chosen) + codes // max(len(chosen), 1)
    directed = not np.array_equal(np.unique(opposite), codes)
    if not directed:
        codes = codes[codes <= opposite]
    nodelink.too_large("the drawing", len(chosen), len(codes), "draw a sample of fewer vertices")
    sources, targets = codes // max(len(chosen), 1), codes % max(len(chosen), 1)
    return Surroundings(chosen, sources, targets, layout.positions(len(chosen), sources, targets), directed)


def label_of(names: npt.NDArray[Any] | None, vertex: Any) -> str:
    """The name of a vertex, truncated if it is long."""
    text = str(vertex if names is None else names[vertex])
    return text if len(text) <= 12 else text[:11] + "…"
