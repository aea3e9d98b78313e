"""node2vec: gonextdoor.sample against the numba kernel of fastnode2vec, on an undirected graph from a file.

    pip install fastnode2vec
    python benchmarks/node2vec_peer.py ego-Twitter.txt.gz

fastnode2vec's kernel is called from a compiled loop over the roots, without the interpreter in between and without
keeping the walks; on n threads n such loops run (the kernel releases the GIL). Ours is the whole call
from Python with its array. Both take the same number of steps: a walk of length L has L + 1 vertices here, L there.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from measure import compare, head, parser, threads

import gonextdoor as gnd

try:
    from fastnode2vec.graph import _random_walk
    from numba import njit
except ImportError:
    sys.exit("this benchmark needs fastnode2vec and numba: pip install fastnode2vec")


@njit(nogil=True)  # type: ignore[untyped-decorator]
def _walk_all(indptr: Any, indices: Any, vertices: int, p: float, q: float, roots: Any) -> int:
    total = 0
    for root in roots:
        total += len(_random_walk(indptr, indices, vertices, p, q, root)) - 1
    return total


def main() -> None:
    options = parser(__doc__)
    options.add_argument("file", help="an edge list; each edge is taken in both directions")
    options.add_argument("--walkers", type=int, default=20_000)
    options.add_argument("--length", type=int, default=80)
    options.add_argument("--p", type=float, default=2.0)
    options.add_argument("--q", type=float, default=0.5)
    given = options.parse_args()
    graph = gnd.read(given.file, symmetric=True, weight=False)
    indptr, indices = np.asarray(graph.indptr).astype(np.int64), np.asarray(graph.indices).astype(np.int64)
    connected = np.flatnonzero(np.diff(indptr))
    roots = np.random.default_rng(1).choice(connected, given.walkers)
    app = gnd.apps.Node2Vec(given.p, given.q, given.length, weighted=False)

    def ours(n: int) -> float:
        begin = time.perf_counter()
        samples = gnd.sample(graph, app, roots, seed=1, threads=n, progress=False)
        samples.numpy()
        return given.walkers * given.length / (time.perf_counter() - begin) / 1e6

    def theirs(n: int) -> float:
        parts = np.array_split(roots, n)
        begin = time.perf_counter()
        with ThreadPoolExecutor(n) as pool:
            walk = lambda part: _walk_all(indptr, indices, given.length + 1, given.p, given.q, part)  # noqa: E731
            steps = sum(pool.map(walk, parts))
        return steps / (time.perf_counter() - begin) / 1e6

    head()
    for n in threads(given.threads):
        name = f"node2vec p={given.p:g} q={given.q:g}"
        compare(name, n, lambda n=n: ours(n), lambda n=n: theirs(n), given.reps, "M steps/s")


if __name__ == "__main__":
    main()
