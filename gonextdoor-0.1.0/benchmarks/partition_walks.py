"""Walks on a partitioned graph: messages per step, and steps per second of one core.

    python benchmarks/partition_walks.py cnr-2000.txt.gz ego-Twitter.txt.gz --rmat 16

All parts run in this process by turns, so boxes cross by memory (loopback); no network is part of the times. Messages
are counted exactly. For each number of parts and each way to assign vertices: the share of edges between parts (cut),
messages and bytes per step of uniform walks, and of node2vec with p = 2 and q = 1/2 on the symmetric graph, where
walkers go to the candidate and check there, and on the graph with one edge that has no reverse, where they ask the
owner of the previous vertex; and of node2vec with p = 1/4 and q = 4 on the symmetric graph. Rates are in millions of
steps per second of CPU time, of walks whose end points are recorded.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from gonextdoor.cli import machine
from gonextdoor.partition.part import ENDS
from gonextdoor.partition.sample import Run
from measure import parser

import gonextdoor as gnd

WALKS = 1 << 18


def main() -> None:
    options = parser(__doc__)
    options.add_argument("files", nargs="*", help="files of graphs")
    options.add_argument("--rmat", type=int, help="the scale of a generated graph")
    options.add_argument("--parts", default="4,16", help="numbers of parts, with commas between (default %(default)s)")
    options.add_argument("--by", default="hash,ranges,ldg,metis", help="assignments (default %(default)s)")
    options.add_argument("--hot", type=float, default=0.0, help="share of the edges that all parts have (default 0)")
    options.add_argument("--repeats", type=int, default=3, help="runs, of which the fastest counts (default 3)")
    options.add_argument("--length", type=int, default=40, help="steps of a walk (default %(default)s)")
    given = options.parse_args()
    print(machine.summary())
    graphs = {Path(file).name: undirected(gnd.read(file)) for file in given.files}
    if given.rmat:
        graphs[f"R-MAT {given.rmat}"] = gnd.rmat(given.rmat, seed=1)
    for name, graph in graphs.items():
        print(f"\n{name}: {graph.num_vertices:,} vertices, {graph.num_edges:,} edges, walks of {given.length} steps")
        print(
            f"{'':<17}{'':>6}  {'uniform':^22}  {'node2vec, check':^22}  {'node2vec, ask':^22}  {'p = 1/4, q = 4':^22}"
        )
        print(f"{'parts':>6}  {'by':<9}{'cut':>6}" + f"  {'messages':>8}{'bytes':>7}{'rate':>7}" * 4)
        for parts in map(int, given.parts.split(",")):
            for by in given.by.split(","):
                report(graph, parts, by, given.hot, given.length, given.repeats)


def undirected(graph: gnd.Graph) -> gnd.Graph:
    """The graph with the reverse of each edge, and without parallel edges."""
    sources = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    return gnd.Graph.from_edges(
        sources, graph.indices, num_vertices=graph.num_vertices, symmetric=True, deduplicate=True
    )


def report(graph: gnd.Graph, parts: int, by: str, hot: float, length: int, repeats: int) -> None:
    """Prints the row of an assignment."""
    owners = gnd.partition.owners(graph, parts, by)
    sources = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    cut = np.mean(owners[sources] != owners[graph.indices])
    # Another vertex, from which an edge leads to vertex 0. No walk visits it, and the edge has no reverse.
    asking = gnd.Graph.from_edges(np.append(sources, graph.num_vertices), np.append(graph.indices, 0))
    both = gnd.partition.split(graph, parts, owners, hot), gnd.partition.split(asking, parts, np.append(owners, 0), hot)
    walk, node2vec = gnd.apps.DeepWalk(length), gnd.apps.Node2Vec(p=2, q=0.5, length=length)
    returning = gnd.apps.Node2Vec(p=0.25, q=4, length=length)
    roots = np.flatnonzero(graph.degrees())
    roots = np.random.default_rng(1).choice(roots, WALKS * 10 // length)
    row = f"{parts:>6}  {by:<9}{cut:>6.3f}"
    for parted, app in [(both[0], walk), (both[0], node2vec), (both[1], node2vec), (both[0], returning)]:
        row += "  {:>8.3f}{:>7.1f}{:>7.2f}".format(*measured(parted, app, roots, length, repeats))
    print(row, flush=True)


def measured(
    graph: gnd.partition.PartitionedGraph, app: gnd.apps.SamplingApp, roots: np.ndarray, length: int, repeats: int
) -> tuple[float, float, float]:
    """Messages per step, bytes per step, and millions of steps per second of CPU time."""
    with gnd.partition.InProcess(graph, threads=1) as transport:
        best = np.inf
        for _ in range(repeats):
            run = Run(graph, app, roots, 1, 1, 0, transport, ENDS, 1 << 20, 1)
            begin = time.process_time()
            for _ in run.cohorts():
                pass
            best = min(best, time.process_time() - begin)
    steps = len(roots) * length  # the graph is symmetric, so no walk ends early
    return run.messages / steps, run.size / steps, steps / best / 1e6


if __name__ == "__main__":
    main()
