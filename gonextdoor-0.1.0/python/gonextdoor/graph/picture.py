"""HTML representation of graphs for notebooks: a drawing of a small graph, or else the degree distribution."""

from __future__ import annotations

import numpy as np

from .._core import svg
from .rows import Rows

__all__ = ["graph_picture"]

MOST_VERTICES = 24  # that are drawn one by one
MOST_EDGES = 200
MOST_DEGREES = 1_000_000  # that are counted


def graph_picture(graph: Rows) -> tuple[str, str]:
    """A picture of the graph as inline SVG, and its caption; empty texts if the graph has no vertices, or is mapped
    from files, whose pages a picture should not load."""
    vertices = graph.num_vertices
    if not vertices or graph._held.mapped():
        return "", ""
    if vertices <= MOST_VERTICES and graph.num_edges <= MOST_EDGES:
        names = graph.vertex_names
        labels = [str(v if names is None else names[v]) for v in range(vertices)]
        sources = np.repeat(np.arange(vertices), graph.degrees()).tolist()
        edges = {(min(u, v), max(u, v)) for u, v in zip(sources, graph.indices.tolist(), strict=True)}
        return svg.ring(labels, sorted(edges), "vertices and edges"), "all vertices and edges"
    stride = -(-vertices // MOST_DEGREES)
    first = np.arange(0, vertices, stride)
    degrees = graph.indptr[first + 1] - graph.indptr[first]
    # Bar 0 counts degree 0, bar k > 0 the degrees from 2^(k - 1) to 2^k - 1.
    counts = np.bincount(np.where(degrees > 0, np.floor(np.log2(np.maximum(degrees, 1))) + 1, 0).astype(np.int64))
    last = len(counts) - 1
    right = "0" if last == 0 else "1" if last == 1 else f"{2 ** (last - 1):,} to {2**last - 1:,}"
    of = f" ({len(first):,} of them)" if stride > 1 else ""
    return svg.bars(counts.tolist(), "0", right, f"degree, doubling per bar{of}"), "vertices by degree"
