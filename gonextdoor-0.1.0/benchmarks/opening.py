"""Opening: Graph.open of a large folder, and the first walk from it, against reading all its bytes.

    gonextdoor generate --scale 23 --seed 1 -o rmat23      # about 1 GB
    python benchmarks/opening.py rmat23

Each run is a separate process, without its imports; the folder is in the page cache.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from measure import alone, compare, head, parser


def main() -> None:
    options = parser(__doc__)
    options.set_defaults(threads="1")
    options.add_argument("folder")
    options.add_argument("--side", choices=SIDES, help="run one side in this process (used by the benchmark)")
    given = options.parse_args()
    if given.side:
        print(SIDES[given.side](given.folder))
        return

    def run(side: str) -> float:
        command = [sys.executable, __file__, given.folder, "--side", side]
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    size = sum(file.stat().st_size for file in Path(given.folder).iterdir())
    head()
    compare(f"open {size / 1e9:.3g} GB", 1, lambda: run("open"), lambda: run("bytes"), given.reps, "s", lower=True)
    alone("open and a first walk", 1, lambda: run("walk"), given.reps, "s")


def opened(folder: str) -> float:
    import gonextdoor as gnd

    begin = time.perf_counter()
    graph = gnd.Graph.open(folder)
    assert graph.num_vertices
    return time.perf_counter() - begin


def first_walk(folder: str) -> float:
    import gonextdoor as gnd

    begin = time.perf_counter()
    gnd.sample(gnd.Graph.open(folder), gnd.apps.DeepWalk(10), 1, seed=1, threads=1)
    return time.perf_counter() - begin


def all_bytes(folder: str) -> float:
    begin = time.perf_counter()
    for file in Path(folder).iterdir():
        file.read_bytes()
    return time.perf_counter() - begin


SIDES = {"open": opened, "walk": first_walk, "bytes": all_bytes}

if __name__ == "__main__":
    main()
