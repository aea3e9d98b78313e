"""Each part is in a separate process, whose memory is bounded by its rows, not by the graph."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from partitionprocesses import seeds_of

import gonextdoor as gnd

TESTS = Path(__file__).resolve().parents[1]
PARTS, BATCHES = 4, 3
WORK = 24 << 20  # bytes: ids of nodes, batches and buffers of a part that draws


def test_the_memory_of_a_part_is_bounded_by_its_rows(tmp_path):
    graph = gnd.rmat(19, edge_factor=24, seed=1)
    folder = tmp_path / "parts"
    gnd.partition.write(graph, folder, parts=PARTS, by="hash", hot=0.01)
    size = sum(file.stat().st_size for file in folder.glob("part-*/*.npy"))
    hot = sum(file.stat().st_size for file in folder.glob("hot/*.npy"))
    whole = gnd.NeighborSampler(graph, [15, 10])
    done = subprocess.run(
        [sys.executable, "-m", "partitionprocesses", str(folder), "1", str(BATCHES)],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=True,
    )
    *sums, memory = [list(map(int, line.split())) for line in done.stdout.splitlines()]
    for batch, got in enumerate(sums):
        drawn = whole.draw(seeds_of(batch), batch)
        arrays = drawn.split(drawn.arena)
        assert got == [int(part[0].sum()) for part in (arrays.nodes, arrays.edges, arrays.row)]
    assert len(sums) == BATCHES
    share = size / PARTS
    assert size > 2 * (1.2 * share + hot + WORK)  # the graph is more than twice what a part may take
    assert np.max(memory) <= 1.2 * share + hot + WORK, f"a part took {memory} bytes, its share is {share}"
