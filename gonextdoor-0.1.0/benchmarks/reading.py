"""Reading: gonextdoor.read against pyarrow.csv and scipy.sparse, from a SNAP edge list to rows (CSR).

    python benchmarks/reading.py cit-HepPh.txt.gz

Each run is a separate process on that many cores, and measures only reading, without imports. The
file is in the page cache. Both sides end with sorted rows; ours also keeps each edge's position in the input.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import time
from collections.abc import Callable

from measure import compare, head, parser, threads


def main() -> None:
    options = parser(__doc__)
    options.add_argument("file")
    options.add_argument(
        "--side", choices=["ours", "theirs"], help="run one side in this process (used by the benchmark)"
    )
    given = options.parse_args()
    if given.side:
        side = ours if given.side == "ours" else theirs
        side(given.file)  # warm-up: starts thread pools, loads pages
        print(side(given.file))
        return
    head()
    size = os.path.getsize(given.file) / 1e6
    for n in threads(given.threads):
        sides = [process(given.file, side, n) for side in ("ours", "theirs")]
        compare(f"{os.path.basename(given.file)}, {size:.3g} MB", n, *sides, given.reps, "s", lower=True)


def process(file: str, side: str, n: int) -> Callable[[], float]:
    """One run in a new process on n cores."""
    cores = sorted(os.sched_getaffinity(0))[:n]
    if len(cores) < n:
        sys.exit(f"--threads {n}: this process may use {len(cores)} cores")
    command = [sys.executable, __file__, file, "--side", side]

    def run() -> float:
        printed = subprocess.run(
            command, check=True, capture_output=True, text=True, preexec_fn=lambda: os.sched_setaffinity(0, cores)
        )
        return float(printed.stdout)

    return run


def ours(file: str) -> float:
    import gonextdoor as gnd

    begin = time.perf_counter()
    graph = gnd.read(file, weight=False, symmetric=False)
    seconds = time.perf_counter() - begin
    assert graph.num_edges
    return seconds


def theirs(file: str) -> float:
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv
    import scipy.sparse

    pa.set_cpu_count(len(os.sched_getaffinity(0)))
    skip, separator = form(file)
    read = pa.csv.ReadOptions(skip_rows=skip, column_names=["source", "target"])
    begin = time.perf_counter()
    table = pa.csv.read_csv(file, read_options=read, parse_options=pa.csv.ParseOptions(delimiter=separator))
    source, target = (table[column].to_numpy() for column in ("source", "target"))
    n = int(max(source.max(), target.max())) + 1
    matrix = scipy.sparse.csr_array((np.ones(len(source), np.int8), (source, target)), shape=(n, n))
    matrix.sort_indices()
    return time.perf_counter() - begin


def form(file: str) -> tuple[int, str]:
    """The number of leading comment lines, and the column separator."""
    skip = 0
    with gzip.open(file, "rt") if file.endswith(".gz") else open(file) as lines:
        for line in lines:
            if not line.startswith(("#", "%")):
                return skip, "\t" if "\t" in line else "," if "," in line else " "
            skip += 1
    sys.exit(f"{file}: no edge in it")


if __name__ == "__main__":
    main()
