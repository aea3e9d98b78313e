"""Mini-batches of a partitioned graph: what other parts are asked for, in how many messages and bytes, and the time.

    python benchmarks/partition_batches.py cnr-2000.txt.gz ego-Twitter.txt.gz --symmetric
    python benchmarks/partition_batches.py --rmat 16 --by hash,ldg --hot 0,0.05,0.2
    python benchmarks/partition_batches.py --hetero 16 --by hash --hot 0 --fanouts 5,3,2

The home part draws batches of seed nodes that it owns. For each way to assign vertices and each share of hot rows: the
share of the frontier's vertices that other parts are asked for at hops 2 and 3; the messages, kilobytes and
milliseconds of CPU time of a batch, alone and if 8 batches share their exchanges; and those of a batch on the whole
graph. All parts are in this process, so the times are those of all parts, and no network is in them. Batches of the
three kinds are drawn in turn.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from gonextdoor.cli import machine
from measure import parser

import gonextdoor as gnd

SHARED = 8  # batches that share their exchanges


def main() -> None:
    options = parser(__doc__)
    options.add_argument("files", nargs="*", help="files of graphs")
    options.add_argument("--rmat", type=int, help="the scale of a generated graph")
    options.add_argument("--hetero", type=int, help="the scale of a generated graph of papers and authors")
    options.add_argument("--symmetric", action="store_true", help="add the reverse of each edge")
    options.add_argument("--parts", type=int, default=4)
    options.add_argument("--by", default="hash,ranges,ldg,metis")
    options.add_argument("--hot", default="0,0.05", help="shares of the edges in hot rows (default %(default)s)")
    options.add_argument("--fanouts", default="15,10,5")
    options.add_argument("--seeds", type=int, default=1024, help="seed nodes of a batch (default %(default)s)")
    options.add_argument("--batches", type=int, default=24, help="batches of each kind (default %(default)s)")
    given = options.parse_args()
    print(machine.summary())
    fanouts = list(map(int, given.fanouts.split(",")))
    graphs: dict[str, Any] = {Path(file).name: gnd.read(file, symmetric=given.symmetric) for file in given.files}
    if given.rmat:
        graphs[f"R-MAT {given.rmat}"] = gnd.rmat(given.rmat, seed=1)
    if given.hetero:
        graphs[f"R-MAT {given.hetero}, 3 relations"] = papers(given.hetero)
    for name, graph in graphs.items():
        print(f"\n{name}: {graph}, {given.parts} parts")
        print(
            f"{'by':<8}{'hot':>5}{'remote 2':>10}{'3':>6}{'messages':>10}{'kB':>8}{'ms':>8}"
            f"{'shared: messages':>18}{'ms':>7}{'whole graph: ms':>17}"
        )
        for by in given.by.split(","):
            for hot in map(float, given.hot.split(",")):
                report(graph, given.parts, by, hot, fanouts, given.seeds, given.batches)


def papers(scale: int) -> gnd.HeteroGraph:
    """Papers that cite papers, and authors who write them: a relation to papers and one to authors."""
    names = ("paper", "cites", "paper"), ("author", "writes", "paper"), ("paper", "of", "author")
    relations = {name: gnd.rmat(scale, seed=number + 1) for number, name in enumerate(names)}
    return gnd.HeteroGraph(relations, {"paper": 1 << scale, "author": 1 << scale})


def report(graph: Any, parts: int, by: str, hot: float, fanouts: list[int], seeds: int, batches: int) -> None:
    """Prints the row of an assignment."""
    owners = gnd.partition.owners(graph, parts, by)
    divided = gnd.partition.split(graph, parts, owners, hot=hot)
    typed = isinstance(graph, gnd.HeteroGraph)
    own = np.flatnonzero((owners["paper"] if typed else owners) == 0)
    rng = np.random.default_rng(1)
    some = [rng.choice(own, min(seeds, len(own)), replace=False) for _ in range(batches)]
    chosen: list[Any] = [{"paper": nodes} for nodes in some] if typed else some
    one, many = (gnd.partition.NeighborSampler(divided, fanouts) for _ in range(2))
    whole = gnd.NeighborSampler(graph, fanouts)
    for sampler in (one, many, whole):
        sampler.draw(chosen[0], 0)  # opens the parts
    before = one.traffic.messages, one.traffic.bytes, many.traffic.messages
    took = {"one": 0.0, "many": 0.0, "whole": 0.0}

    def timed(kind: str, call: Callable[[], object]) -> None:
        begin = time.process_time()
        call()
        took[kind] += time.process_time() - begin

    for at in range(0, batches, SHARED):
        now = range(at, min(at + SHARED, batches))
        for i in now:
            timed("one", lambda i=i: one.draw(chosen[i], i))
        timed("many", lambda now=now: many.draw_many([chosen[i] for i in now], list(now), threads=1))
        for i in now:
            timed("whole", lambda i=i: whole.draw(chosen[i], i))
    traffic = one.traffic
    remote = [asked / max(rows, 1) for asked, rows in zip(traffic.asked, traffic.rows, strict=True)]
    shares = "".join(f"{share:>8.3f}" for share in remote[1:3])
    messages, size = (traffic.messages - before[0]) / batches, (traffic.bytes - before[1]) / batches / 1e3
    shared = (many.traffic.messages - before[2]) / batches
    ms = {kind: 1e3 * seconds / batches for kind, seconds in took.items()}
    print(
        f"{by:<8}{hot:>5}{shares}{messages:>10.1f}{size:>8.0f}{ms['one']:>8.1f}{shared:>18.1f}{ms['many']:>7.1f}"
        f"{ms['whole']:>17.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
