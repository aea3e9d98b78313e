"""Memory: how far Graph.from_edges raises the peak of the process, over the size of the finished graph.

    python benchmarks/memory.py --edges 50000000

Each run is a separate process (Linux): the peak is reset after the input is made, which does not count.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from gonextdoor.cli import machine
from measure import alone, parser, threads


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--edges", type=int, default=20_000_000)
    options.add_argument("--run", action="store_true", help="run once in this process (used by the benchmark)")
    given = options.parse_args()
    if given.run:
        print(growth(given.edges))
        return
    print(machine.summary())
    for n in threads(given.threads):

        def run(n: int = n) -> float:
            command = [sys.executable, __file__, "--edges", str(given.edges), "--run"]
            environment = {**os.environ, "GOMAXPROCS": str(n)}
            return float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)

        alone(f"from_edges, {given.edges:,} edges", n, run, given.reps, "growth of the peak / size of the graph")


def growth(edges: int) -> float:
    import numpy as np

    import gonextdoor as gnd

    draw = np.random.default_rng(1)
    source, target = (draw.integers(0, edges // 16, edges, dtype=np.int64) for _ in range(2))
    Path("/proc/self/clear_refs").write_text("5")  # the peak becomes the current size
    before = status("VmRSS")
    graph = gnd.Graph.from_edges(source, target)
    peak = status("VmHWM")
    with tempfile.TemporaryDirectory() as folder:  # a saved graph has the size of the one in memory
        graph.save(f"{folder}/graph")
        size = sum(file.stat().st_size for file in Path(folder, "graph").iterdir())
    return (peak - before) / size


def status(name: str) -> int:
    """Bytes of a line of /proc/self/status."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(name)


if __name__ == "__main__":
    main()
