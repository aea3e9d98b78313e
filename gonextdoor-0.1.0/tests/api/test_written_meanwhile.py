"""Arrays that another thread writes to while a graph is built from them: a right graph of some state, or a refusal."""

from __future__ import annotations

import random
import threading
import time

import numpy as np
import pytest

import gonextdoor as gnd

V, E = 2000, 200_000


@pytest.mark.parametrize("form", ["edges", "edges symmetric", "edges sorted", "csr"])
def test_arrays_that_change(form):
    rng = np.random.default_rng(1)
    src, dst = rng.integers(0, V, E), rng.integers(0, V, E)
    if form == "edges sorted":
        order = np.lexsort((dst, src))
        src, dst = src[order], dst[order]
    weights = rng.random(E)
    if form == "csr":
        src = np.linspace(0, E, V + 1).astype(np.int64)
    arrays = [(src, [-1, V + 5, 1 << 40]), (dst, [-1, V, 1 << 24]), (weights, [-1.0, np.nan, np.inf])]
    kept = [(array, array.copy(), bad) for array, bad in arrays]
    ended = threading.Event()

    def write() -> None:
        r = random.Random(1)
        while not ended.is_set():
            array, good, bad = r.choice(kept)
            at = r.randrange(len(array))
            array[at : at + r.choice([1, 100, len(array)])] = r.choice(bad)
            time.sleep(r.random() * 0.002)
            array[:] = good
            time.sleep(r.random() * 0.004)

    thread = threading.Thread(target=write)
    thread.start()
    made = refused = 0
    try:
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            try:
                if form == "csr":
                    graph = gnd.Graph.from_csr(src, dst, weights=weights)
                else:
                    graph = gnd.Graph.from_edges(
                        src, dst, weights=weights, num_vertices=V, symmetric=form.endswith("symmetric")
                    )
            except ValueError:
                refused += 1
                continue
            made += 1
            assert (np.diff(graph.indptr) >= 0).all() and int(graph.indptr[-1]) == graph.num_edges
            assert 0 <= int(graph.indices.min()) <= int(graph.indices.max()) < V
            assert graph.weights is not None and np.isfinite(graph.weights).all()
            gnd.sample(graph, gnd.apps.DeepWalk(3), np.arange(100), seed=1)
    finally:
        ended.set()
        thread.join()
    assert made + refused > 0
