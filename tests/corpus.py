"""Small graphs, real data, and programs in separate processes, for the tests here."""

from __future__ import annotations

import math
import pathlib
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pytest

import gonextdoor as gnd

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"


def graph(vertices: int = 200, edges: int = 2000, *, weighted: bool = False, symmetric: bool = True) -> gnd.Graph:
    """A random multigraph with labels 0, 1 and 2, and times; the last tenth of the vertices have no edges."""
    random = np.random.default_rng(7)
    src, dst = random.integers(0, vertices * 9 // 10, (2, edges))
    weights = random.random(edges) if weighted else None
    labels, times = random.integers(0, 3, edges), random.integers(-50, 50, edges)
    return gnd.Graph.from_edges(
        src, dst, weights=weights, labels=labels, times=times, num_vertices=vertices, symmetric=symmetric
    )


def hetero(weighted: bool = False) -> gnd.HeteroGraph:
    """Papers that authors write and that cite papers."""
    draws = np.random.default_rng(3)

    def edges(destinations: int, sources: int, count: int) -> gnd.Graph:
        return gnd.Graph.from_edges(
            draws.integers(0, destinations, count),
            draws.integers(0, sources, count),
            weights=draws.integers(0, 9, count).astype(float) if weighted else None,
            num_vertices=max(destinations, sources),
        )

    return gnd.HeteroGraph(
        {
            ("paper", "cites", "paper"): edges(50, 50, 300),
            ("author", "writes", "paper"): edges(50, 30, 200),
            ("paper", "of", "author"): edges(30, 50, 200),
        },
        {"paper": 50, "author": 30},
    )


def directed() -> gnd.Graph:
    """0 -> 1, 0 -> 2, 1 -> 2, 2 -> 0, 2 -> 3; 3 and 4 are sinks."""
    return gnd.Graph.from_edges([0, 0, 1, 2, 2], [1, 2, 2, 0, 3], num_vertices=5)


# One or two of each app: the tests of what apps have in common run with all of them.
APPS: list[gnd.apps.SamplingApp] = [
    gnd.apps.DeepWalk(6),
    gnd.apps.PPR(0.3),
    gnd.apps.Node2Vec(2.0, 0.5, 6),
    gnd.apps.NonBacktracking(6),
    gnd.apps.KHop([3, 2]),
    gnd.apps.KHop([3, 2], replace=True),
    gnd.apps.Layer(5, 12),
    gnd.apps.Layer(30, 40, unique=False, bias="degree"),
    gnd.apps.MVS(8, [3, -1]),
    gnd.apps.MVS(8, [2], np.arange(200) % 5),
    gnd.apps.FastGCN([5, 3]),
    gnd.apps.LADIES([5, 3]),
    gnd.apps.Walk("degree", 6),
    gnd.apps.Walk("degree", 4, computed=True),
    gnd.apps.MetropolisHastings(6),
    gnd.apps.Jump(6, 0.2),
    gnd.apps.Restart(6, 0.3),
    gnd.apps.MultiIndependent(4),
    gnd.apps.MultiDimensionalWalk(9, dimension=3),
    gnd.apps.MetaPath([0, 1, 2], 6),
    gnd.apps.TemporalWalk(6),
    gnd.apps.TemporalWalk(7, "backward", "exponential", strict=False, scale=9),
    gnd.apps.TemporalWalk(5, bias="linear", start=-20, start_window=30, end=40),
    gnd.apps.Negatives(),
    gnd.apps.Negatives(candidates=[3, 9, 3]),
    gnd.apps.Negatives(hops=2),
    gnd.apps.NegativePairs(),
    gnd.apps.Neighbor([3, 2], bias="degree"),
    gnd.apps.Neighbor(3, depth=3, frontier_size=2),
    gnd.apps.Snowball(2),
    gnd.apps.Snowball(None, fanout=3),
    gnd.apps.ForestFire(0.4),
    gnd.apps.RandomNode(12),
    gnd.apps.RandomNode(12, replace=True, induced=False),
    gnd.apps.RandomEdge(9),
    gnd.apps.ClusterGCN(7, 2),
    gnd.apps.ClusterGCN(np.arange(200) % 23, 3),
    gnd.apps.GraphSAINT("node", budget=20),
    gnd.apps.GraphSAINT("edge", budget=10),
    gnd.apps.GraphSAINT("walk", roots=5, length=3),
    gnd.apps.GraphSAINT("multidimensional", roots=4, budget=20),
]

# What the core says of each of them: width with one root and with three, layered, pool, vertices expected of one root.
FACTS: list[tuple[int | None, int | None, bool, int | None, float]] = [
    (7, 9, False, None, 6.0),  # DeepWalk(length=6, weighted='auto')
    (None, None, False, None, 3.3333333333333335),  # PPR(stop=0.3, max_length=None, weighted='auto')
    (7, 9, False, None, 6.0),  # Node2Vec(p=2.0, q=0.5, length=6, weighted='auto')
    (7, 9, False, None, 6.0),  # NonBacktracking(length=6, weighted='auto')
    (10, 30, False, None, 9.0),  # KHop(fanouts=(3, 2), replace=False, weighted=False)
    (10, 30, False, None, 9.0),  # KHop(fanouts=(3, 2), replace=True, weighted=False)
    (None, None, True, None, 12.0),  # Layer(step_size=5, max_size=12, unique=True, bias='uniform')
    (None, None, True, None, 40.0),  # Layer(step_size=30, max_size=40, unique=False, bias='degree')
    (None, None, True, 0, math.inf),  # MVS(batch=8, fanouts=(3, -1))
    (None, None, True, 0, 24.0),  # MVS(batch=8, fanouts=(2,), scores=array of 200)
    (None, None, True, None, 8.0),  # FastGCN(sizes=(5, 3), replace=True, normalization='symmetric')
    (None, None, True, None, 8.0),  # LADIES(sizes=(5, 3), replace=False, normalize=True, normalization='symmetric')
    (7, 9, False, None, 6.0),  # Walk(bias='degree', length=6, computed=False)
    (5, 7, False, None, 4.0),  # Walk(bias='degree', length=4, computed=True)
    (7, 9, False, None, 6.0),  # MetropolisHastings(length=6)
    (7, 9, False, None, 6.0),  # Jump(length=6, probability=0.2, weighted='auto')
    (7, 9, False, None, 6.0),  # Restart(length=6, probability=0.3, weighted='auto')
    (5, 15, False, None, 4.0),  # MultiIndependent(length=4, weighted='auto')
    (10, 12, False, 3, 9.0),  # MultiDimensionalWalk(length=9, dimension=3)
    (7, 9, False, None, 6.0),  # MetaPath(labels=(0, 1, 2), length=6, weighted='auto', stop=0.0)
    (7, 9, False, None, 6.0),  # TemporalWalk(length=6, direction='forward', ...)
    (8, 10, False, None, 7.0),  # TemporalWalk(length=7, direction='backward', ...)
    (6, 8, False, None, 5.0),  # TemporalWalk(length=5, ..., start=-20, start_window=30, end=40)
    (2, 2, False, None, 1.0),  # Negatives()
    (2, 2, False, None, 1.0),  # Negatives(candidates=array of 3)
    (2, 2, False, None, 1.0),  # Negatives(hops=2)
    (2, 2, False, 0, 2.0),  # NegativePairs()
    (10, 30, False, None, 9.0),  # Neighbor(...)
    (None, None, True, None, 15.0),  # Neighbor(...)
    (None, None, True, None, math.inf),  # Snowball(depth=2, fanout=None)
    (None, None, True, None, math.inf),  # Snowball(depth=None, fanout=3)
    (None, None, True, None, math.inf),  # ForestFire(probability=0.4, depth=None)
    (None, None, True, 0, 12.0),  # RandomNode(n=12, replace=False, induced=True)
    (None, None, True, 0, 12.0),  # RandomNode(n=12, replace=True, induced=False)
    (None, None, True, 0, 18.0),  # RandomEdge(n=9, replace=False)
    (None, None, True, 0, math.inf),  # ClusterGCN(clusters=7, per_sample=2, seed=0)
    (None, None, True, 0, 26.08695652173913),  # ClusterGCN(clusters=array of 200 ids, per_sample=3)
    (None, None, True, 0, 20.0),  # GraphSAINT(method='node', budget=20, roots=None, length=None)
    (None, None, True, 0, 10.0),  # GraphSAINT(method='edge', budget=10, roots=None, length=None)
    (None, None, True, 0, 20.0),  # GraphSAINT(method='walk', budget=None, roots=5, length=3)
    (None, None, True, 0, 20.0),  # GraphSAINT(method='multidimensional', budget=20, roots=4, length=None)
]  # fmt: skip

# Apps whose samples have vertices that no edge led to.
WITHOUT_EDGES = {
    "ClusterGCN", "FastGCN", "GraphSAINT", "Jump", "LADIES", "MVS", "MetropolisHastings", "NegativePairs", "Negatives",
    "RandomEdge", "RandomNode", "Restart",
}  # fmt: skip


def roots(app: gnd.apps.SamplingApp, first: int, end: int) -> Any:
    """Roots of samples first to end, of the kind that the app takes: a part of one long list."""
    pool = app.pool()
    if pool == 0:
        return end - first
    width = 1 if pool is None else pool
    vertices = (np.arange(first * width, end * width) * 7) % 37
    return vertices if pool is None else vertices.reshape(-1, width)


def many(app: gnd.apps.SamplingApp) -> Any:
    """Roots for some dozens of samples: every vertex, or the number of samples if the app draws its own."""
    return None if app.pool() is None else 50


def names(app: gnd.apps.SamplingApp) -> str:
    """An app as a test's name."""
    return repr(app)


def data(name: str) -> pathlib.Path:
    """A file of real data, or a skip that says where it was looked for."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{name} is not in ../shared/data")
    return path


def program(text: str, *, timeout: float = 90, quiet: bool = False) -> str:
    """Runs a program in a separate Python and returns its output; fails with its errors, if quiet with any
    message."""
    command = [sys.executable, "-c", textwrap.dedent(text)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd=ROOT / "tests")
    assert done.returncode == 0, f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert not quiet or done.stderr == ""
    return done.stdout
