"""Selection without replacement on a GPU, by each form: C-SAW's figures 10 and 12 on our kernels.

    python benchmarks/gpu/csaw.py [--degrees 32,100,1000,10000,100000] [--fanouts 2,4,8,16,32] [--rows FILE]

Each row of a graph has the same number of edges, and k of them are drawn in proportion to their biases. Biases are
uniform in [1, 5), or fall as rank^-1.5 (zipf) as degrees do. The choice of a row is made by a warp, and by a block of
256 threads (rows of 1,000 edges and more). Times are medians of the kernel alone. The table has millions of picks per
second, of the faster of the two (b: the block):

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
EDGES, THREADS, BLOCK_DEGREE = 1 << 26, 256, 1000
COLUMNS = ("weights", "degree", "fanout", "method", "group", "rows", "ms", "million_picks_per_s")


class Rows:
    """Rows of one degree in device memory, with their alias tables and the memory of all groups."""

    def __init__(self, degree: int, weights: str) -> None:
        self.degree, self.rows = degree, min(EDGES // degree, 1 << 20)
        biases = biases_of(degree, weights)
        self.biases = cp.tile(cp.asarray(biases), self.rows)
        self.alias = cp.tile(cp.asarray(alias_table(biases)), (self.rows, 1))
        self.bits = 1 << max(0, (degree - 1).bit_length() - 5)
        self.words = 2 * degree + 16
        # Bitmaps are in the 48 KB of shared memory of a block.
        self.warps = max(1, min(8, (40 << 10) // (4 * self.bits)))
        self.groups = ("warp",) if degree < BLOCK_DEGREE else ("warp", "block")
        self.blocks = {"warp": min(-(-self.rows // self.warps), 64 // self.warps * processors())}
        self.blocks["block"] = min(self.rows, 8 * processors())
        groups = max(self.blocks["warp"] * self.warps, self.blocks["block"])
        self.memory = cp.empty(self.words * groups, cp.uint64)

    def choose(self, module: Any, method: str, group: str, fanout: int, stream: int) -> Any:
        """Launches a kernel and returns its picks, (rows, fanout)."""
        kernel, groups = module.get_function(f"{method}_{group}"), self.warps if group == "warp" else 1
        picks = cp.empty((self.rows, fanout), cp.uint32)
        arrays = [a.data.ptr for a in (self.alias, self.biases, self.memory, picks)]
        fields = [*arrays, self.words, self.rows, self.degree, fanout, stream, self.bits]
        parameter = cp.asarray(np.array(fields, np.uint64))
        self.begin.record()
        threads = 32 * groups if group == "warp" else THREADS
        kernel((self.blocks[group],), (threads,), (parameter,), shared_mem=4 * self.bits * groups)
        self.end.record()
        self.end.synchronize()
        return picks

    begin, end = cp.cuda.Event(), cp.cuda.Event()

    def milliseconds(self, module: Any, method: str, group: str, fanout: int, repetitions: int) -> float:
        """The median time of a launch."""
        times = []
        for i in range(repetitions):
            self.choose(module, method, group, fanout, i + 1)
            times.append(cp.cuda.get_elapsed_time(self.begin, self.end))
        return float(statistics.median(times))


def processors() -> int:
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


def check(rows: Rows, module: Any, fanout: int) -> None:
    """Exits if forms that must make the same picks differ, or if a row has an edge twice."""
    for names in SAME:
        picks = [rows.choose(module, name, group, fanout, 7) for name in names for group in rows.groups]
        if not all(bool((picks[0] == other).all()) for other in picks[1:]):
            sys.exit(f"{', '.join(names)} by {', '.join(rows.groups)} differ: {fanout} of {rows.degree}")
        ordered = cp.sort(picks[0], axis=1)
        if bool((ordered[:, 1:] == ordered[:, :-1]).any()) or int(ordered.max()) >= rows.degree:
            sys.exit(f"{names[0]}: picks repeat, or are no edges: {fanout} of {rows.degree}")


def measure(module: Any, degrees: list[int], fanouts: list[int], repetitions: int) -> list[tuple[Any, ...]]:
    """Prints a line per weights, degree and fan-out, and returns the figures."""
    figures = []
    print(f"{'weights':<8}{'degree':>7}{'k':>4}" + "".join(f"{name[-11:]:>13} " for name in METHODS) + "   M picks/s")
    for degree in degrees:
        for weights in ("uniform", "zipf"):
            rows = Rows(degree, weights)
            for fanout in (k for k in fanouts if k < degree):
                check(rows, module, fanout)
                line = f"{weights:<8}{degree:>7}{fanout:>4}"
                for method in METHODS:
                    rates = []
                    for group in rows.groups:
                        ms = rows.milliseconds(module, method, group, fanout, repetitions)
                        rates.append(rows.rows * fanout / ms / 1e3)
                        figures.append(
                            (weights, degree, fanout, method, group, rows.rows, round(ms, 4), round(rates[-1], 1))
                        )
                    line += f"{max(rates):>13.1f}{'b' if max(rates) != rates[0] else ' '}"
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
