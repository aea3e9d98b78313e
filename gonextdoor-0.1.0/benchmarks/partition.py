"""Partition: what share of the edges, and of the steps of walks, leads from part to part.

    python benchmarks/partition.py cnr-2000.txt.gz ego-Twitter.txt.gz --symmetric
    python benchmarks/partition.py --rmat 16

For each number of parts and each way to assign vertices: the share of edges between parts (cut), the share of the steps
of uniform walks that change the part (moved), the size of the largest part over the mean (vertices and edges), and the
seconds of the assignment.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from gonextdoor.cli import machine
from measure import parser

import gonextdoor as gnd

LENGTH = 20  # steps of a walk


def main() -> None:
    options = parser(__doc__)
    options.add_argument("files", nargs="*", help="files of graphs")
    options.add_argument("--rmat", type=int, help="the scale of a generated graph")
    options.add_argument("--symmetric", action="store_true", help="add the reverse of each edge")
    options.add_argument("--parts", default="4,16", help="numbers of parts, with commas between (default %(default)s)")
    options.add_argument("--by", default="hash,ranges,ldg,metis")
    given = options.parse_args()
    print(machine.summary())
    graphs = {Path(file).name: gnd.read(file, symmetric=given.symmetric) for file in given.files}
    if given.rmat:
        graphs[f"R-MAT {given.rmat}"] = gnd.rmat(given.rmat, seed=1)
    for name, graph in graphs.items():
        print(f"\n{name}: {graph.num_vertices:,} vertices, {graph.num_edges:,} edges")
        print(f"{'parts':>6}  {'by':<8}{'cut':>7}{'moved':>8}{'largest':>9}{'seconds':>9}")
        roots = np.arange(0, graph.num_vertices, max(1, graph.num_vertices // 100_000))
        walks = gnd.sample(graph, gnd.apps.DeepWalk(length=LENGTH), roots=roots, seed=1).numpy()
        for parts in map(int, given.parts.split(",")):
            for by in given.by.split(","):
                report(graph, walks, parts, by)


def report(graph: gnd.Graph, walks: np.ndarray, parts: int, by: str) -> None:
    """Prints the row of an assignment."""
    begin = time.perf_counter()
    owners = gnd.partition.owners(graph, parts, by)
    seconds = time.perf_counter() - begin
    degrees = graph.degrees()
    cut = np.mean(np.repeat(owners, degrees) != owners[graph.indices])
    before, after = walks[:, :-1], walks[:, 1:]
    made = after >= 0  # walks end at vertices without edges
    moved = np.mean(owners[before[made]] != owners[after[made]])
    sizes = np.bincount(owners, weights=degrees + 1.0, minlength=parts)
    print(f"{parts:>6}  {by:<8}{cut:>7.3f}{moved:>8.3f}{sizes.max() / sizes.mean():>9.2f}{seconds:>9.2f}", flush=True)


if __name__ == "__main__":
    main()
