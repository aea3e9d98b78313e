"""Fixed cost: what a call costs when there is nearly nothing to sample: one root, one step.

    python benchmarks/fixed_cost.py

The other side is the minimal Python code for the same result: find the row in numpy arrays and draw a neighbour.
"""

from __future__ import annotations

import timeit
from collections.abc import Callable

import numpy as np
from measure import compare, head, parser

import gonextdoor as gnd

CALLS = 2000  # in one run


def main() -> None:
    options = parser(__doc__, repetitions=9)
    options.set_defaults(threads="1")
    options.add_argument("--scale", type=int, default=14, help="of the R-MAT graph (default %(default)s)")
    given = options.parse_args()
    graph = gnd.rmat(given.scale, seed=1)
    root = np.array([int(np.argmax(graph.degrees()))])
    walk, tree = gnd.apps.DeepWalk(1), gnd.PGSampler([1], seed=1)
    indptr, indices, draw = np.asarray(graph.indptr), np.asarray(graph.indices), np.random.default_rng(1)

    def by_hand() -> object:
        first, end = indptr[root[0]], indptr[root[0] + 1]
        return np.array([[root[0], indices[first + draw.integers(end - first)]]])

    def microseconds(call: Callable[[], object]) -> Callable[[], float]:
        return lambda: timeit.timeit(call, number=CALLS) / CALLS * 1e6

    head()
    sample = microseconds(lambda: gnd.sample(graph, walk, root, seed=1, threads=1).numpy())
    batch = microseconds(lambda: tree.sample(graph, root))
    compare("sample, 1 root, 1 step", 1, sample, microseconds(by_hand), given.reps, "µs a call", lower=True)
    compare("PGSampler, 1 root, fan-out 1", 1, batch, microseconds(by_hand), given.reps, "µs a call", lower=True)


if __name__ == "__main__":
    main()
