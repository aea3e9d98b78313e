"""Walks: gonextdoor.sample against ensmallen, the Rust core of GRAPE, on an undirected graph.

    pip install ensmallen
    python benchmarks/ensmallen_peer.py ego-Twitter.txt.gz
    python benchmarks/ensmallen_peer.py --rmat 18

Each side makes one walk of ``--length`` steps from each vertex, as an array of numbers: ours is the whole call from
Python, ensmallen's is ``complete_walks``. Walks are uniform, by weight (random weights from 1 to 5), and node2vec's,
whose ``return_weight`` is 1/p and whose ``explore_weight`` is 1/q. ensmallen's node2vec looks at 100 random neighbours
of a vertex by default; ``--exact`` makes it look at all. ensmallen 0.8.100 needs AVX-512 for node2vec. Its number of
threads is set when it is imported, so it runs in a separate process.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from measure import compare, head, parser, threads

import gonextdoor as gnd

KINDS = ("uniform", "weighted", "node2vec", "node2vec weighted")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("file", nargs="?", help="an edge list; each edge is taken in both directions")
    options.add_argument("--rmat", type=int, help="take an R-MAT graph of this scale instead")
    options.add_argument("--length", type=int, default=80)
    options.add_argument("--p", type=float, default=2.0)
    options.add_argument("--q", type=float, default=0.5)
    options.add_argument("--exact", action="store_true", help="ensmallen's node2vec looks at all neighbours")
    options.add_argument("--only", default="", help="measure the kinds of walks whose names begin so")
    given = options.parse_args()
    if given.rmat:
        graph = gnd.rmat(given.rmat, 16, seed=1, symmetric=True)
    elif given.file:
        graph = gnd.read(given.file, symmetric=True, weight=False)
    else:
        options.error("pass a file or --rmat SCALE")
    head()
    with tempfile.TemporaryDirectory() as folder:
        edges = Path(folder, "edges.tsv")
        weighted = write(graph, edges)
        for n in threads(given.threads):
            for kind in (k for k in KINDS if k.startswith(given.only)):
                far = (1.0, 1.0) if "node2vec" not in kind else (given.p, given.q)
                peer = Peer(str(edges), n, "weighted" in kind, far, given.length, given.exact)
                ours = walker(weighted if "weighted" in kind else graph, far, given.length, n)
                compare(kind, n, ours, peer.rate, given.reps, "M steps/s")
                peer.close()


def write(graph: gnd.Graph, edges: Path) -> gnd.Graph:
    """Writes each undirected edge once, with a random weight, and returns the graph with these weights."""
    sources = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    targets = np.asarray(graph.indices).astype(np.int64)
    once = sources < targets  # ensmallen treats loops differently
    pairs = sources[once], targets[once], np.random.default_rng(1).uniform(1, 5, once.sum()).round(3)
    np.savetxt(edges, np.column_stack(pairs), fmt=("%d", "%d", "%.3f"), delimiter="\t")
    return gnd.Graph.from_edges(pairs[0], pairs[1], weights=pairs[2], num_vertices=graph.num_vertices, symmetric=True)


def walker(graph: gnd.Graph, far: tuple[float, float], length: int, n: int) -> Any:
    app = gnd.apps.DeepWalk(length) if far == (1.0, 1.0) else gnd.apps.Node2Vec(*far, length)
    roots = np.flatnonzero(graph.degrees())

    def run() -> float:
        begin = time.perf_counter()
        gnd.sample(graph, app, roots, seed=1, threads=n, names=False, progress=False).numpy()
        return len(roots) * length / (time.perf_counter() - begin) / 1e6

    return run


class Peer:
    """A process that has ensmallen with a number of threads and the graph."""

    def __init__(self, edges: str, n: int, weighted: bool, far: tuple[float, float], length: int, exact: bool) -> None:
        start = multiprocessing.get_context("spawn")
        self._pipe, end = start.Pipe()
        os.environ["RAYON_NUM_THREADS"] = str(n)
        self._process = start.Process(target=serve, args=(end, edges, weighted, far, length, exact))
        self._process.start()
        if self._pipe.recv() is None:
            sys.exit("this benchmark needs ensmallen: pip install ensmallen")

    def rate(self) -> float:
        self._pipe.send(True)
        try:
            return float(self._pipe.recv())
        except EOFError:
            sys.exit("ensmallen was killed: its node2vec needs a CPU with AVX-512")

    def close(self) -> None:
        self._pipe.send(False)
        self._process.join()


def serve(pipe: Connection, edges: str, weighted: bool, far: tuple[float, float], length: int, exact: bool) -> None:
    try:
        from ensmallen import Graph
    except ImportError:
        pipe.send(None)
        return
    graph = Graph.from_csv(
        edge_path=edges, edge_list_separator="\t", edge_list_header=False, sources_column_number=0,
        destinations_column_number=1, edge_list_numeric_node_ids=True, directed=False, verbose=False,
        **({"weights_column_number": 2} if weighted else {}),
    )  # fmt: skip
    pipe.send(True)
    given = {"return_weight": 1 / far[0], "explore_weight": 1 / far[1]} | ({"max_neighbours": None} if exact else {})
    while pipe.recv():
        begin = time.perf_counter()
        walks = graph.complete_walks(walk_length=length + 1, **given)
        pipe.send(walks.shape[0] * length / (time.perf_counter() - begin) / 1e6)


if __name__ == "__main__":
    main()
