"""Layer-wise sampling: gonextdoor.sample against the authors' method in numpy and scipy, on a graph from a file.

    pip install scipy
    python benchmarks/layers_peer.py cnr-2000.txt.gz

Theirs is written as their papers and published code do it. FastGCN and LADIES: the normalised adjacency as a scipy
matrix, probabilities over all vertices, numpy.random.choice, rows and columns of the matrix by slicing; the matrix, and
FastGCN's probabilities, are made before the measurement. Layer: the neighbours of the previous layer as a set, of which
numpy.random.choice takes some (LGCN). Ours is the whole call with its result and all entries; its tables, too,
are made before. Each side samples batch after batch; on n threads ours samples n batches at a time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from measure import compare, head, parser, threads

import gonextdoor as gnd

try:
    import scipy.sparse as sp
except ImportError:
    sys.exit("this benchmark needs scipy: pip install scipy")

Array = Any


def normalised(graph: gnd.Graph) -> Any:
    """D^-1/2 (A + I) D^-1/2."""
    n = graph.num_vertices
    indptr, indices = np.asarray(graph.indptr), np.asarray(graph.indices)
    matrix = sp.csr_matrix((np.ones(len(indices)), indices, indptr), shape=(n, n)) + sp.eye(n, format="csr")
    roots = sp.diags(np.power(np.asarray(matrix.sum(1)).ravel(), -0.5))
    return (roots @ matrix @ roots).tocsr()


def row_normalised(matrix: Any) -> Any:
    with np.errstate(divide="ignore"):
        inverse = np.power(np.asarray(matrix.sum(1)).ravel(), -1.0)
    inverse[np.isinf(inverse)] = 0
    return sp.diags(inverse) @ matrix


def fastgcn(matrix: Any, sizes: list[int]) -> Callable[[Array], Any]:
    squares = np.asarray(matrix.multiply(matrix).sum(0)).ravel()
    q = squares / squares.sum()

    def layers(batch: Array) -> list[Any]:
        between = []
        for size in sizes:
            chosen = np.random.choice(len(q), size, p=q)
            between.append(matrix[batch, :][:, chosen].multiply(1 / (size * q[chosen])))
            batch = chosen
        return between

    return layers


def ladies(matrix: Any, sizes: list[int]) -> Callable[[Array], Any]:
    def layers(batch: Array) -> list[Any]:
        between = []
        for size in sizes:
            rows = matrix[batch, :]
            squares = np.asarray(rows.multiply(rows).sum(0)).ravel()
            p = squares / squares.sum()
            count = min((p > 0).sum(), size)
            chosen = np.random.choice(len(p), count, p=p, replace=False)
            between.append(row_normalised(rows[:, chosen].multiply(1 / p[chosen])))
            batch = chosen
        return between

    return layers


def layer(matrix: Any, step_size: int, max_size: int) -> Callable[[Array], Any]:
    def layers(batch: Array) -> list[int]:
        taken, fresh = set(batch.tolist()), set(batch.tolist())
        most = len(taken) + max_size
        while len(taken) < most and fresh:
            neighbours = set(matrix[sorted(fresh)].sum(axis=0).nonzero()[1].tolist()) - taken
            room = min(step_size, most - len(taken))
            if len(neighbours) > room:
                neighbours = set(np.random.choice(list(neighbours), room, False).tolist())
            taken, fresh = taken | neighbours, neighbours
        return sorted(taken)

    return layers


def main() -> None:
    options = parser(__doc__)
    options.add_argument("file", help="an edge list; each edge is taken in both directions")
    options.add_argument("--batches", type=int, default=200, help="of ours a run (default %(default)s)")
    options.add_argument("--theirs", type=int, default=10, help="of theirs a run (default %(default)s)")
    options.add_argument("--sizes", default="512,512", help="of layers (default %(default)s)")
    given = options.parse_args()
    graph = gnd.read(given.file, symmetric=True, weight=False)
    matrix = normalised(graph)
    sizes = [int(part) for part in given.sizes.split(",")]
    cases: list[tuple[Any, Callable[[Array], Any]]] = [
        (gnd.apps.FastGCN(sizes), fastgcn(matrix, sizes)),
        (gnd.apps.LADIES(sizes), ladies(matrix, sizes)),
    ]
    if hasattr(gnd.apps, "Layer"):
        cases.append((gnd.apps.Layer(1000, 2000), layer(matrix, 1000, 2000)))
    head()
    for app, way in cases:
        for size in (64, 512):
            roots = np.random.default_rng(1).integers(0, graph.num_vertices, (given.batches, size))
            for n in threads(given.threads):
                ours, theirs = sides(graph, app, roots, n, way, roots[: given.theirs])
                compare(f"{type(app).__name__}, batch {size}", n, ours, theirs, given.reps, "batches/s")


def sides(
    graph: gnd.Graph, app: Any, roots: Array, n: int, way: Callable[[Array], Any], few: Array
) -> tuple[Callable[[], float], Callable[[], float]]:
    """One run of each side; returns batches per second."""

    def ours() -> float:
        begin = time.perf_counter()
        gnd.sample(graph, app, roots, seed=1, threads=n, progress=False)
        return len(roots) / (time.perf_counter() - begin)

    def theirs() -> float:
        begin = time.perf_counter()
        for batch in few:
            way(batch)
        return len(few) / (time.perf_counter() - begin)

    return ours, theirs


if __name__ == "__main__":
    main()
