"""Selection without replacement on a GPU, by each form: C-SAW's figures 10 and 12 on our kernels.

    python benchmarks/gpu/csaw.py [--degrees 32,100,1000,10000,100000] [--fanouts 2,4,8,16,32] [--rows FILE]

Each row of a graph has the same number of edges, and k of them are drawn in proportion to their biases. Biases are
uniform in [1, 5), or fall as rank^-1.5 (zipf) as degrees do. A warp makes the choice of a row of up to 1,024 edges, a
block of 256 threads that of a longer one. Times are medians of the kernel alone, in millions of picks per second:

    region               bipartite region search, corrected; the time includes the prefix sums, as for all forms
    tree                 a tree of sums that are lowered after each pick
    updated              prefix sums of the remaining biases, computed again after each pick
    repeated_strided     draws from all prefix sums, again if a bitmap has the draw; strided and contiguous bitmap
    repeated_contiguous
    alias_strided        draws by an alias table that exists, again if a bitmap has the draw
    alias_contiguous
    alias_list           the same with a comparison with all picks: KHop's selector
    race                 the first arrivals of a keyed race

region, tree and updated must make the same picks, as must the forms of repeated, and those of alias. ``--rows FILE``
writes the figures as CSV.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import board
import cupy as cp
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
METHODS = (
    "region", "tree", "updated", "repeated_strided", "repeated_contiguous", "alias_strided", "alias_contiguous",
    "alias_list", "race",
)  # fmt: skip
SAME = (
    ("region", "tree", "updated"),
    ("repeated_strided", "repeated_contiguous"),
    ("alias_strided", "alias_contiguous"),
)
EDGES, THREADS, WARP_DEGREE = 1 << 26, 256, 1024
COLUMNS = ("weights", "degree", "fanout", "method", "group", "rows", "ms", "million_picks_per_s")


class Rows:
    """Rows of one degree in device memory, with their alias tables and the memory of all groups."""

    def __init__(self, degree: int, weights: str) -> None:
        self.degree, self.rows = degree, min(EDGES // degree, 1 << 20)
        biases = biases_of(degree, weights)
        self.biases = cp.tile(cp.asarray(biases), self.rows)
        self.alias = cp.tile(cp.asarray(alias_table(biases)), (self.rows, 1))
        self.lanes = 32 if degree <= WARP_DEGREE else THREADS
        self.blocks = min(-(-self.rows * self.lanes // THREADS), 8 * board_processors())
        self.words = 2 * degree + 16
        self.memory = cp.empty(self.words * self.blocks * (THREADS // self.lanes), cp.uint64)
        self.bits = 1 << max(0, (degree - 1).bit_length() - 5)

    def choose(self, kernel: Any, fanout: int, stream: int) -> Any:
        """Launches a kernel and returns its picks, (rows, fanout)."""
        picks = cp.empty((self.rows, fanout), cp.uint32)
        arrays = [a.data.ptr for a in (self.alias, self.biases, self.memory, picks)]
        fields = [*arrays, self.words, self.rows, self.degree, fanout, stream, self.bits]
        parameter = cp.asarray(np.array(fields, np.uint64))
        self.begin.record()
        kernel((self.blocks,), (THREADS,), (parameter,), shared_mem=4 * self.bits * (THREADS // self.lanes))
        self.end.record()
        self.end.synchronize()
        return picks

    begin, end = cp.cuda.Event(), cp.cuda.Event()

    def milliseconds(self, kernel: Any, fanout: int, repetitions: int) -> float:
        """The median time of a launch."""
        times = []
        for i in range(repetitions):
            self.choose(kernel, fanout, i + 1)
            times.append(cp.cuda.get_elapsed_time(self.begin, self.end))
        return float(statistics.median(times))


def board_processors() -> int:
    """The number of SMs."""
    return int(cp.cuda.runtime.getDeviceProperties(0)["multiProcessorCount"])


def biases_of(degree: int, weights: str) -> Any:
    """The 32-bit biases of a row."""
    draws = np.random.default_rng(degree)
    if weights == "uniform":
        return (draws.uniform(1, 5, degree) * 2**24).astype(np.uint32)
    return draws.permutation(np.maximum(2.0**31 * np.arange(1, degree + 1) ** -1.5, 1)).astype(np.uint32)


def alias_table(biases: Any) -> Any:
    """The alias table of a row as slots of the kernels: end point, other end point, threshold, place of the alias."""
    n, full = len(biases), int(biases.sum(dtype=np.uint64))
    shares = [n * int(b) for b in biases]
    slots = np.zeros((n, 4), np.uint32)
    slots[:, 0] = slots[:, 1] = slots[:, 3] = np.arange(n)
    slots[:, 2] = 2**32 - 1
    receivers, givers = [i for i in range(n) if shares[i] < full], [i for i in range(n) if shares[i] >= full]
    while receivers and givers:
        i, giver = receivers.pop(), givers[-1]
        slots[i, 1:] = giver, (shares[i] << 32) // full, giver
        shares[giver] -= full - shares[i]
        if shares[giver] < full:
            receivers.append(givers.pop())
    return slots


def compile_kernels() -> Any:
    """The kernels of csaw.cu, compiled by NVRTC with the headers of the repository."""
    text = (Path(__file__).with_suffix(".cu")).read_text()
    options = ("-std=c++17", "-fmad=false", f"-I{ROOT / 'kernels'}")
    return cp.RawModule(code=text, options=options)


def check(rows: Rows, module: Any, fanout: int, suffix: str) -> None:
    """Exits if forms that must make the same picks differ, or if a row has an edge twice."""
    for names in SAME:
        picks = [rows.choose(module.get_function(name + suffix), fanout, 7) for name in names]
        for name, other in zip(names[1:], picks[1:], strict=True):
            if not bool((picks[0] == other).all()):
                sys.exit(f"{name} differs from {names[0]}: {fanout} of {rows.degree}")
        ordered = cp.sort(picks[0], axis=1)
        if bool((ordered[:, 1:] == ordered[:, :-1]).any()) or int(ordered.max()) >= rows.degree:
            sys.exit(f"{names[0]}: picks repeat, or are no edges: {fanout} of {rows.degree}")


def measure(module: Any, degrees: list[int], fanouts: list[int], repetitions: int) -> list[tuple[Any, ...]]:
    """Prints a line per weights, degree and fan-out, and returns the figures."""
    figures = []
    print(f"{'weights':<8}{'degree':>7}{'k':>4}" + "".join(f"{name[-11:]:>13}" for name in METHODS) + "   M picks/s")
    for degree in degrees:
        for weights in ("uniform", "zipf"):
            rows = Rows(degree, weights)
            group = "warp" if rows.lanes == 32 else "block"
            for fanout in (k for k in fanouts if k < degree):
                check(rows, module, fanout, f"_{group}")
                line = f"{weights:<8}{degree:>7}{fanout:>4}"
                for method in METHODS:
                    ms = rows.milliseconds(module.get_function(f"{method}_{group}"), fanout, repetitions)
                    rate = rows.rows * fanout / ms / 1e3
                    figures.append((weights, degree, fanout, method, group, rows.rows, round(ms, 4), round(rate, 1)))
                    line += f"{rate:>13.1f}"
                print(line, flush=True)
            del rows
            cp.get_default_memory_pool().free_all_blocks()
    return figures


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--degrees", default="32,100,1000,10000,100000")
    options.add_argument("--fanouts", default="2,4,8,16,32")
    options.add_argument("--reps", type=int, default=5)
    options.add_argument("--rows", type=Path, help="CSV file for the figures")
    given = options.parse_args()
    print(f"{board.name()}; random gather of 4 bytes over 268 MB {board.gather():.1f} G/s", flush=True)
    begin = time.perf_counter()
    module = compile_kernels()
    module.get_function("region_warp")
    print(f"kernels compiled in {time.perf_counter() - begin:.1f} s", flush=True)
    degrees, fanouts = ([int(x) for x in text.split(",")] for text in (given.degrees, given.fanouts))
    figures = measure(module, degrees, fanouts, given.reps)
    if given.rows:
        with given.rows.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *figures])


if __name__ == "__main__":
    main()
