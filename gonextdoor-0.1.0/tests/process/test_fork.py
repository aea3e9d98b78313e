"""Forked, spawned and served worker processes."""

from __future__ import annotations

import multiprocessing
import os

import corpus
import daily
import numpy as np
import pytest

import gonextdoor as gnd

GRAPH = corpus.graph(weighted=True)


def walks(graph: gnd.Graph, seed: int) -> list[list[int]]:
    rows: list[list[int]] = gnd.sample(graph, gnd.apps.DeepWalk(6), seed=seed).numpy().tolist()
    return rows


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers(method: str) -> None:
    want = [walks(GRAPH, seed) for seed in range(4)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.starmap_async(walks, [(GRAPH, seed) for seed in range(4)]).get(timeout=60) == want


# Runs work() in a forked child, which must end by itself.
CHILD = """
import gc, os, sys, threading, time, pickle, signal, corpus, numpy as np, gonextdoor as gnd
from gonextdoor._core import native
def child(work):
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            sys.stdout.flush()
            code = 0
        except BaseException:
            import traceback
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(code)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        got, status = os.waitpid(pid, os.WNOHANG)
        if got:
            assert status == 0, status
            return
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    raise AssertionError("the child hangs")
graph = corpus.graph(weighted=True)
walk = gnd.apps.DeepWalk(6)
def rows(seed=1, app=walk): return gnd.sample(graph, app, seed=seed).numpy().tolist()
"""

PROGRAMS = {
    "every app in a child": """
        want = [rows(1, app) for app in corpus.APPS]
        def work(): assert [rows(1, app) for app in corpus.APPS] == want
        for _ in range(3): child(work)
    """,
    "a child takes the tables over": """
        wide = gnd.rmat(16, weights=(1, 5), seed=1)
        gnd.sample(wide, gnd.apps.DeepWalk(1)), gnd.sample(wide, gnd.apps.Node2Vec(2, 0.5, 80), seed=1)
        want = gnd.sample(wide, gnd.apps.Node2Vec(2, 0.5, 8), seed=1).numpy()
        def work():
            held = native.call("Living", 3)
            assert (gnd.sample(wide, gnd.apps.Node2Vec(2, 0.5, 8), seed=1).numpy() == want).all()
            assert native.call("Living", 3) == held, "made again"
        child(work)
    """,
    "a child of a parent that never sampled": "child(rows); rows()",
    "a grandchild": """
        want = rows()
        def grandchild(): assert rows() == want
        def work(): assert rows() == want; child(grandchild)
        child(work)
        child(lambda: child(lambda: child(grandchild)))
    """,
    "while another thread samples": """
        want, stop = rows(), threading.Event()
        def busy():
            while not stop.is_set(): gnd.sample(graph, gnd.apps.DeepWalk(2000), repeat=20)
        threads = [threading.Thread(target=busy) for _ in range(3)]
        for thread in threads: thread.start()
        def work(): assert rows() == want
        for _ in range(10): child(work)
        stop.set()
        for thread in threads: thread.join()
    """,
    "while a table is made": """
        big = corpus.graph(100_000, 2_000_000, weighted=True)
        thread = threading.Thread(target=lambda: gnd.sample(big, walk, [1], seed=1))
        thread.start()
        def work(): assert gnd.sample(big, walk, [1], seed=1).numpy().shape == (1, 7)
        for _ in range(3): child(work)
        thread.join()
    """,
    "what the parent made goes in the child": """
        global kept
        kept = [graph, gnd.PGSampler([3], seed=1), walk, gnd.sample(graph, gnd.apps.DeepWalk(20000)), graph.indices]
        def work():
            kept.clear(); gc.collect(); rows()
            globals().pop("graph"); gc.collect()
        child(work)
        assert rows()
    """,
    "what the child makes goes in the child": """
        def work():
            mine = corpus.graph(60, 300)
            for i in range(200): gnd.sample(mine, gnd.apps.DeepWalk(5), seed=i); mine.reverse()
            gc.collect()
            assert native.call("Living", 0) == 1, native.call("Living", 0)
        rows(); child(work)
    """,
    "results of the parent are read in the child": """
        samples = gnd.sample(graph, gnd.apps.DeepWalk(20000), seed=1)
        total = int(samples.numpy().sum())
        def work():
            assert int(samples.numpy().sum()) == total
            assert samples.visit_counts().sum() == samples.lengths.sum()
            assert samples.selector == "Alias"
        child(work)
    """,
    "layered results of the parent are read in the child": """
        samples = gnd.sample(graph, gnd.apps.LADIES([20, 20]), [range(10)], repeat=2000, seed=1)
        def seen(): return [samples.adjacency(1).values.sum(), samples.subgraph(7).src.tolist(), samples.steps[1].sum()]
        want = seen()
        def work():
            assert seen() == want
            again = gnd.sample(graph, gnd.apps.LADIES([20, 20]), [range(10)], repeat=2000, seed=1)
            assert (again.values == samples.values).all()
            kept.clear()
        kept = [samples]
        child(work)
        assert seen() == want
    """,
    "a folder's graph": """
        import tempfile
        with tempfile.TemporaryDirectory() as place:
            graph.save(place + "/g")
            opened = gnd.Graph.open(place + "/g")
            def work(): assert gnd.sample(opened, walk, seed=1).numpy().tolist() == rows()
            child(work)
            assert gnd.sample(opened, walk, seed=1).numpy().tolist() == rows()
            child(work)
    """,
    "names": """
        import tempfile
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("source,target\\na,b\\n")
            file.flush()
            named = gnd.read(file.name)
        def work():
            gnd.sample(named, walk)
            assert named.vertex_names.tolist() == ["a", "b"]
            assert pickle.loads(pickle.dumps(named)).vertex_names.tolist() == ["a", "b"]
        child(work)
    """,
    "samplers of children draw their own": """
        import multiprocessing
        sampler = gnd.PGSampler([2, 2])
        fixed = gnd.PGSampler([2, 2], seed=7)
        want = fixed.sample(graph, [1, 2])[2][0].edge_ids.tolist()
        fixed = gnd.PGSampler([2, 2], seed=7)
        queue = multiprocessing.SimpleQueue()
        def work():
            sampler.sample(graph, [1])
            queue.put(sampler.seed)
            assert fixed.sample(graph, [1, 2])[2][0].edge_ids.tolist() == want
        child(work); child(work)
        assert len({sampler.seed, queue.get(), queue.get()}) == 3
    """,
    "neighbourhoods on graphs of several types": """
        import corpus
        hetero = corpus.hetero(weighted=True)
        timed = gnd.HeteroGraph(hetero.relations, hetero.num_vertices, {"paper": np.arange(50)})
        options = {"weighted": "auto", "disjoint": True, "temporal": "uniform"}
        around = [gnd.NeighborSampler(hetero, [3, 2], weighted="auto"), gnd.NeighborSampler(timed, [3, 2], **options)]
        def drawn(): return [n.draw({"paper": [40, 7]}, 3).num_edges for n in around]
        want = drawn()
        def work():
            assert drawn() == want
            del around[0]
            gc.collect()
            assert [n.draw({"author": [2]}, 3, times={"author": [30]}).num_edges for n in around]
        child(work); child(work)
        assert drawn() == want
    """,
    "an interrupt in a child": """
        def work():
            threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            began = time.monotonic()
            try: gnd.sample(graph, gnd.apps.Node2Vec(0.01, 100, 1000), repeat=600, threads=1)
            except KeyboardInterrupt: assert time.monotonic() - began < 2
            else: raise AssertionError("not interrupted")
            rows()
        rows(); child(work)
    """,
    "a child that ends as interpreters do": """
        pid = os.fork()
        if pid == 0:
            samples = gnd.sample(graph, gnd.apps.DeepWalk(20000))
            sys.exit(0)
        assert os.waitpid(pid, 0)[1] == 0
    """,
    "many graphs": """
        graphs = [corpus.graph(10 + i, 50) for i in range(300)]
        def work():
            for g in graphs: gnd.sample(g, walk, seed=1)
        began = time.monotonic(); child(lambda: None)
        assert time.monotonic() - began < 2
        child(work)
    """,
}


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="a forked child needs Linux's memfd")
@pytest.mark.parametrize("name", daily.share(PROGRAMS, 4))
def test_fork(name: str) -> None:
    import textwrap

    corpus.program(CHILD + textwrap.dedent(PROGRAMS[name]), timeout=90)


def test_a_pickle_is_not_tied_to_the_process() -> None:
    """Spawned workers build the graph of its arrays anew, and its samples are the same."""
    import pickle

    text = pickle.dumps((GRAPH, gnd.apps.KHop([2]), gnd.PGSampler([3], seed=1)))
    graph, app, sampler = pickle.loads(text)
    assert np.array_equal(gnd.sample(graph, app, seed=1), gnd.sample(GRAPH, gnd.apps.KHop([2]), seed=1))
    assert sampler.sample(graph, [1])[0].size > 1
