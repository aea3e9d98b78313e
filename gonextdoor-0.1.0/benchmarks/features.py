"""Random rows of features in host memory: ours against numpy.take and torch.index_select, alternately.

Rows are copied to a new array, and to one that exists (out=), which needs no fresh pages of memory.

    python benchmarks/features.py --vertices 2000000 --rows 120000
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import measure
import numpy as np

import gonextdoor as gnd

WIDTHS = (100, 256)
BYTES = 1 << 30  # of the features, at most

Read = Callable[[Any], object]


def peers(source: np.ndarray, out: np.ndarray, threads: int) -> dict[str, tuple[Read, Read]]:
    """Our read and a peer's, by the name of the peer."""
    x = gnd.features.open(source, threads=threads)
    pairs: dict[str, tuple[Read, Read]] = {
        "numpy.take": (x.read, lambda ids: np.take(source, ids, axis=0)),
        "numpy.take, out=": (
            lambda ids: x.read(ids, out),
            lambda ids: np.take(source, ids, axis=0, out=out, mode="clip"),  # NumPy buffers out in other modes
        ),
    }
    try:
        import torch
    except ImportError:
        return pairs
    torch.set_num_threads(threads)
    tensor, into = torch.from_numpy(source), torch.from_numpy(out)
    pairs["torch.index_select"] = x.read, lambda ids: torch.index_select(tensor, 0, torch.from_numpy(ids))
    pairs["torch.index_select, out="] = (
        lambda ids: x.read(ids, out),
        lambda ids: torch.index_select(tensor, 0, torch.from_numpy(ids), out=into),
    )
    return pairs


def rate(read: Read, rng: np.random.Generator, shape: tuple[int, int], vertices: int) -> float:
    """GB/s of a read of random rows."""
    ids = rng.integers(0, vertices, shape[0])
    start = time.perf_counter()
    read(ids)
    return shape[0] * shape[1] * 4 / (time.perf_counter() - start) / 1e9


def main() -> None:
    """Prints a line per width, number of threads and peer."""
    options = measure.parser(__doc__, 15)
    options.add_argument("--vertices", type=int, default=4_000_000, help="rows of the features (default %(default)s)")
    options.add_argument("--rows", type=int, default=120_000, help="rows of a batch (default %(default)s)")
    given = options.parse_args()
    rng = np.random.default_rng(1)
    measure.head()
    for width in WIDTHS:
        vertices = min(given.vertices, BYTES // (4 * width))
        source = np.empty((vertices, width), np.float32)
        source[:] = np.arange(vertices, dtype=np.float32)[:, None]
        out = np.zeros((given.rows, width), np.float32)
        for threads in measure.threads(given.threads):
            for name, pair in peers(source, out, threads).items():
                ours, theirs = (
                    lambda read=read: rate(read, rng, out.shape, vertices)  # noqa: B023
                    for read in pair
                )
                measure.compare(f"{width} floats, {name}", threads, ours, theirs, given.reps, "GB/s")


if __name__ == "__main__":
    main()
