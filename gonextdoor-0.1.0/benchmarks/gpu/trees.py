"""Trees on a GPU, from Python with the result on the GPU: G edges per second, medians of whole calls.

    python benchmarks/gpu/trees.py [--graphs G1,G3] [--only "25,10"] [--reps 11]

Each tree has 25 edges at the root and 10 at each of their ends, from every vertex of the graph. The GPU's random-gather
rate is printed above the table.
"""

from __future__ import annotations

import argparse
import time

import board
import graphs
import walks

import gonextdoor as gnd

FANOUTS = (25, 10)
LINES = [
    ("25,10 with replacement", {"replace": True}),
    ("25,10 without replacement", {}),
    ("25,10 by weight with replacement", {"replace": True, "weighted": True}),
    ("25,10 by weight without replacement", {"weighted": True}),
]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--graphs", default="G1,G3")
    options.add_argument("--only", default="", help="only lines whose names begin so")
    options.add_argument("--reps", type=int, default=11)
    given = options.parse_args()
    print(f"{board.name()}; random gather of 4 bytes over 268 MB {board.gather():.1f} G/s", flush=True)
    for name in given.graphs.split(","):
        begin = time.perf_counter()
        graph = graphs.arrays(name, weights="uniform").graph()
        print(f"{name} weighted: {graph}   made in {time.perf_counter() - begin:.1f} s", flush=True)
        for what, parameters in LINES:
            if what.startswith(given.only):
                walks.line(graph, what, gnd.apps.KHop(FANOUTS, **parameters), given.reps)


if __name__ == "__main__":
    main()
