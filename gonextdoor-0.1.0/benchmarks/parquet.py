"""Parquet: memory and time of reading edges, by the two passes of read and convert, and from a table in memory.

    python benchmarks/parquet.py --edges 12000000

Each run is a separate process (Linux). The figure is how far the peak of its memory rises after a small file was read.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from gonextdoor.cli import machine
from measure import parser
from memory import status

import gonextdoor as gnd

WAYS = ("read", "read, folder", "8 parts", "table")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--edges", type=int, default=12_000_000, help="edges of the file, each in both directions")
    options.add_argument("--run", nargs=2, help="a way and a folder: run once (used by the benchmark)")
    given = options.parse_args()
    if given.run:
        print(*measured(given.run[0], Path(given.run[1])))
        return
    print(machine.summary())
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder, "small.parquet"), 1000)
        write(Path(folder, "edges.parquet"), given.edges)
        for way in WAYS:
            command = [sys.executable, __file__, "--run", way, folder]
            peak, seconds = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            print(f"{way:<16}{float(peak) / 2**20:>8.0f} MiB{float(seconds):>8.1f} s", flush=True)


def write(path: Path, edges: int) -> None:
    """Writes random edges with weights, in row groups of 500,000."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    draw, most = np.random.default_rng(1), 500_000
    schema = pa.schema([("source", pa.int32()), ("target", pa.int32()), ("weight", pa.float32())])
    with pq.ParquetWriter(path, schema) as writer:
        for first in range(0, edges, most):
            n = min(most, edges - first)
            source, target = draw.integers(0, max(edges // 30, 2), (2, n), dtype=np.int32)
            writer.write_table(pa.table([source, target, draw.random(n, np.float32)], schema=schema))


def measured(way: str, folder: Path) -> tuple[int, float]:
    """The rise of the peak in bytes, and the seconds."""
    import pyarrow.parquet as pq

    gnd.read(folder / "small.parquet")
    Path("/proc/self/clear_refs").write_text("5")  # the peak becomes the current size
    before, begin = status("VmRSS"), time.perf_counter()
    edges = folder / "edges.parquet"
    if way == "read":
        gnd.read(edges, symmetric=True)
    elif way == "read, folder":
        gnd.read(edges, symmetric=True, folder=folder / "graph")
    elif way == "8 parts":
        gnd.partition.convert(edges, folder / "parts", parts=8, symmetric=True)
    else:
        gnd.Graph.from_arrow(pq.read_table(edges), symmetric=True)
    return status("VmHWM") - before, time.perf_counter() - begin


if __name__ == "__main__":
    main()
