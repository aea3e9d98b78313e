"""PyG's loaders and pyg-lib's operators, over pyg-lib and over the stand-in for it: speeds and inclusion probabilities.

    python benchmarks/pyg_lib_peer.py [--threads 1,16] [--only loaders]

It needs PyG and pyg-lib. PyPI has no pyg-lib, so build it from source, and set PYTHONPATH if it is not installed. The
stand-in partitions by pymetis if that is installed.

Two processes run the same calls in turn: in one, ``pyg_lib`` is pyg-lib, in the other the stand-in. Operators have N
threads of torch, of which pyg-lib's samplers of one type use one. Loaders have no worker for N = 1, else N workers that
are kept. Rows with "threads" compare our own loader, which draws on N threads without workers, with PyG's over pyg-lib.
An epoch has whole batches with features; the first is not measured. Rates are millions of sampled edges, or steps, per
second.

``--only inclusion`` counts in how many samples of a small graph each edge is (for walks: each node at each step), and
compares both frequencies by a z-test. The bound is exceeded by chance in one of 1,000 runs of a line.
"""

from __future__ import annotations

import gc
import itertools
import multiprocessing
import pathlib
import statistics
import sys
import time
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import torch
from measure import compare, head, parser, threads
from pyglibcases import Inputs, Run, inclusions, loaders, operators, partitions, small
from torch.utils.data import _utils as utils

import gonextdoor as gnd

PARTS = ("operators", "partition", "loaders", "inclusion")


class Side:
    """A process in which ``pyg_lib`` is pyg-lib, or the stand-in."""

    def __init__(self, stands_in: bool, scale: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, end = context.Pipe()
        context.Process(target=serve, args=(end, stands_in, scale)).start()

    def ask(self, *request: Any) -> Any:
        self.pipe.send(request)
        answer = self.pipe.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def rate(self, part: str, name: str, n: int, amount: int) -> Any:
        """A run of ``compare``: millions per second."""
        return lambda: self.ask(part, name, n, amount)


def serve(pipe: Connection, stands_in: bool, scale: int) -> None:
    """Answers requests until the pipe is closed."""
    multiprocessing.set_start_method("fork", force=True)  # the default for workers, but not in a spawned process
    if stands_in:  # found before pyg-lib
        sys.path.insert(0, str(pathlib.Path(gnd.__file__).parent / "standin"))
    import gonextdoor.pyg

    if stands_in:
        gonextdoor.pyg.install()
    import pyg_lib

    if stands_in != getattr(pyg_lib, "STANDS_IN", False):
        pipe.send(ImportError("there is no pyg-lib; build it from source"))
        return
    inputs, known = Inputs(scale), None
    run: Run = int
    while True:
        try:
            request = pipe.recv()
        except EOFError:
            return
        try:
            if request[0] == "inclusion":
                torch.set_num_threads(1)  # threads of pyg-lib's sampler of several types share one random generator
                pipe.send(inclusions(small(), request[1], request[2]))
                continue
            if request != known:
                run = int
                utils.MP_STATUS_CHECK_INTERVAL = 0.05  # torch waits 5 s for each worker that does not end
                gc.collect()
                utils.MP_STATUS_CHECK_INTERVAL = 5.0
                known, run = request, prepared(inputs, *request)
            begin = time.perf_counter()
            amount = run()
            pipe.send(amount / (time.perf_counter() - begin) / 1e6)
        except Exception as why:
            pipe.send(RuntimeError(f"{request}, stand-in {stands_in}: {type(why).__name__}: {why}"))


def prepared(inputs: Inputs, part: str, name: str, n: int, amount: int) -> Run:
    torch.set_num_threads(n)
    if part == "operators":
        return operators(inputs, amount)[name]
    if part == "partition":
        return partitions(inputs)[name]
    own = part == "own loaders"
    options = {"threads": n, "prefetch": 4 * n if n > 1 else 0} if own else {"num_workers": n if n > 1 else 0}
    return loaders(inputs, amount, own, options)[name]()


def main() -> None:
    options = parser(__doc__, repetitions=5)
    options.add_argument("--scale", type=int, default=18, help="of the R-MAT graph (default %(default)s)")
    options.add_argument("--batches", type=int, default=8, help="of an epoch, per worker (default %(default)s)")
    options.add_argument("--samples", type=int, default=20000, help="of the small graph (default %(default)s)")
    options.add_argument("--only", choices=PARTS, action="append", help="a part; several are allowed (default all)")
    given = options.parse_args()
    parts = given.only or PARTS
    ours, theirs = Side(True, given.scale), Side(False, given.scale)
    bare = Inputs(given.scale)
    if "inclusion" in parts:
        probabilities(ours, theirs, given.samples)
    if parts == ["inclusion"]:
        return
    head()
    counts = threads(given.threads)
    for n, part in itertools.product(counts, ("operators", "partition")):
        if part not in parts or (part == "partition" and n != counts[0]):
            continue
        for name in operators(bare, 0) if part == "operators" else partitions(bare):
            mine, other = (side.rate(part, name, n, given.batches) for side in (ours, theirs))
            compare(name, n, mine, other, given.reps, "M/s")
    for n in counts if "loaders" in parts else []:
        batches = given.batches * n
        for name in loaders(bare, 0, False, {}):
            mine, other = (side.rate("loaders", name, n, batches) for side in (ours, theirs))
            compare(f"{name}, {'workers' if n > 1 else 'no workers'}", n, mine, other, given.reps, "M/s")
            if name in loaders(bare, 0, True, {}):
                own = ours.rate("own loaders", name, n, batches)
                compare(f"{name}, threads", n, own, other, given.reps, "M/s")


def probabilities(ours: Side, theirs: Side, samples: int) -> None:
    """Prints the largest difference of two frequencies, in standard errors."""
    print(f"{'inclusion, ' + str(samples) + ' samples':<34}{'places':>8}  {'max |z|':>9}  {'bound':>9}  ")
    for name in small().cases:
        mine, other = (side.ask("inclusion", name, samples) for side in (ours, theirs))
        mean = (mine + other) / 2
        random = (mean > 0) & (mean < 1)
        z = np.abs(mine - other)[random] / np.sqrt(2 * mean[random] * (1 - mean[random]) / samples)
        bound = statistics.NormalDist().inv_cdf(1 - 0.0005 / max(1, len(z)))
        same = bool((mine == other)[~random].all()) and z.max(initial=0) <= bound
        print(
            f"{name:<34}{len(mine):>8}  {z.max(initial=0):>9.3g}  {bound:>9.3g}   {'agree' if same else 'DIFFER'}",
            flush=True,
        )


if __name__ == "__main__":
    main()
