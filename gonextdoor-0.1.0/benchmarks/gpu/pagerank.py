"""Personalised PageRank on a GPU: equality with the CPU on several graphs, then the time of 1,000 queries.

    python benchmarks/gpu/pagerank.py [--edges 10000000] [--queries 1000] [--walks 1000] [--reps 11]

A query is a set of five seeds with weights. Times are of whole calls of gonextdoor.personalized_pagerank, whose result
is on the host: medians, with the range, of calls with new random seeds each time.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

import gonextdoor as gnd

COUNTS = ("indptr", "indices", "visits", "visitors", "total_visits", "values")


def sets(graph: gnd.Graph, queries: int, members: int, seed: int) -> Any:
    """Random seed sets with weights, as a matrix (queries, num_vertices)."""
    draws = np.random.default_rng(seed)
    rows = np.repeat(np.arange(queries), members)
    columns = draws.choice(np.flatnonzero(graph.degrees()), queries * members)
    weights = draws.integers(1, 10, queries * members).astype(float)
    return scipy.sparse.coo_array((weights, (rows, columns)), shape=(queries, graph.num_vertices)).tocsr()


def check() -> None:
    """Compares the counts with those of the CPU. Raises AssertionError if any differs."""
    graphs = {
        "undirected": gnd.rmat(14, 8, seed=1),
        "sinks": gnd.rmat(14, 3, symmetric=False, seed=2),
        "weighted": gnd.rmat(14, 8, weights=(1, 9), symmetric=False, seed=3),
        "dense": gnd.rmat(7, 100, seed=4),
    }
    calls = 0
    for name, graph in graphs.items():
        for seeds in (np.flatnonzero(graph.degrees())[:300], sets(graph, 100, 4, 5), [0]):
            for options in ({}, {"stop": 0.03}, {"sinks": "stop"}, {"top_k": 20}, {"top_k": 7, "sinks": "stop"}):
                given: dict[str, Any] = {"walks": 1500, "seed": calls, **options}
                there = gnd.personalized_pagerank(graph, seeds, device="cuda", **given)
                here = gnd.personalized_pagerank(graph, seeds, device="cpu", **given)
                for column in COUNTS:
                    same = np.array_equal(getattr(there, column), getattr(here, column))
                    assert same, f"{name}, {options}: {column} differs"
                calls += 1
    print(f"{calls} calls: the GPU's counts are those of the CPU")


def timed(name: str, call: Callable[[int], gnd.Scores], repetitions: int) -> None:
    """Prints a line of the table."""
    call(0), call(1)
    times = []
    for k in range(repetitions):
        begin = time.perf_counter()
        scores = call(k + 2)
        times.append(1e3 * (time.perf_counter() - begin))
    rows = f"{len(scores.indices) / len(scores):8,.0f} entries a row"
    print(f"{name:44} {statistics.median(times):8.2f} ms ({min(times):.2f} to {max(times):.2f}) {rows}")


def main() -> None:
    """Checks, then times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--walks", type=int, default=1000)
    parser.add_argument("--reps", type=int, default=11)
    a = parser.parse_args()
    check()
    scale = max(4, round(np.log2(a.edges / 16)))
    graph = gnd.rmat(scale, round(a.edges / 2**scale), symmetric=False, seed=1)
    print(f"{graph!r}; {a.queries} queries, {a.walks} walks each, stop 0.15")
    several, single = sets(graph, a.queries, 5, 1), np.flatnonzero(graph.degrees())[: a.queries]

    def on(device: str, seeds: Any, **options: Any) -> Callable[[int], gnd.Scores]:
        def call(seed: int) -> gnd.Scores:
            return gnd.personalized_pagerank(graph, seeds, walks=a.walks, seed=seed, device=device, **options)

        return call

    timed("GPU, sets of five, all entries", on("cuda", several), a.reps)
    timed("GPU, sets of five, top_k=100", on("cuda", several, top_k=100), a.reps)
    timed("GPU, single seeds, all entries", on("cuda", single), a.reps)
    timed("GPU, single seeds, top_k=100", on("cuda", single, top_k=100), a.reps)
    timed("CPU, all threads, sets of five, all entries", on("cpu", several), 3)


if __name__ == "__main__":
    main()
