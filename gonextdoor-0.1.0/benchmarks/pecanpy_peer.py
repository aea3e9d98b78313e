"""node2vec: gonextdoor.sample against PecanPy's SparseOTF, from a graph in memory to walks as lists of names.

    pip install pecanpy
    python benchmarks/pecanpy_peer.py wiki-Vote.txt.gz

Both sides return what gensim's Word2Vec takes: one list of strings per walk, ``--walks`` walks from each vertex. Ours
is ``gnd.sample(...).sentences()``, PecanPy's is ``simulate_walks``. The graph is undirected and unweighted. PecanPy
calls the number of steps the walk length; so do we.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from measure import compare, head, parser, threads

import gonextdoor as gnd

try:
    from pecanpy.pecanpy import SparseOTF
except ImportError:
    sys.exit("this benchmark needs PecanPy: pip install pecanpy")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("file", help="an edge list; each edge is taken in both directions")
    options.add_argument("--walks", type=int, default=1, help="walks per vertex (default %(default)s)")
    options.add_argument("--length", type=int, default=80)
    options.add_argument("--p", type=float, default=2.0)
    options.add_argument("--q", type=float, default=0.5)
    given = options.parse_args()
    graph = gnd.read(given.file, symmetric=True, weight=False)
    app = gnd.apps.Node2Vec(given.p, given.q, given.length, weighted=False)
    roots = np.flatnonzero(graph.degrees())

    def ours(n: int) -> float:
        begin = time.perf_counter()
        walks = gnd.sample(graph, app, roots, repeat=given.walks, seed=1, threads=n, progress=False).sentences()
        return len(list(walks)) / (time.perf_counter() - begin)

    def theirs(peer: Any) -> float:
        begin = time.perf_counter()
        walks = peer.simulate_walks(given.walks, given.length)
        return len(walks) / (time.perf_counter() - begin)

    head()
    with tempfile.TemporaryDirectory() as folder:
        edges = Path(folder, "edges.tsv")
        sources = np.repeat(np.arange(graph.num_vertices), graph.degrees())
        np.savetxt(edges, np.column_stack([sources, graph.indices]), fmt="%d", delimiter="\t")
        for n in threads(given.threads):
            peer = SparseOTF(p=given.p, q=given.q, workers=n, verbose=False)
            peer.read_edg(str(edges), weighted=False, directed=True)  # both directions are in the file
            name = f"node2vec p={given.p:g} q={given.q:g}"
            compare(name, n, lambda n=n: ours(n), lambda peer=peer: theirs(peer), given.reps, "walks/s")


if __name__ == "__main__":
    main()
