"""Hooks that read the walk's past: the distributions of their walks, with a bound and without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

import gonextdoor as gnd

pytest.importorskip("llvmlite", reason="no llvmlite for this Python: hooks cannot be compiled")
stats = pytest.importorskip("scipy.stats")

SRC = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 0, 4, 4]
DST = [1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 4, 4, 0, 3]
LABELS = [0, 1, 2, 0, 1, 1, 2, 0, 1, 1, 2, 0, 0, 1, 2]
GRAPH = gnd.Graph.from_edges(SRC, DST, labels=LABELS)
EDGES = list(zip(SRC, DST, strict=True))
STEPS = 4


def avoid(ctx, edge, dst):
    for i in range(1, 3):
        if i <= ctx.step and ctx.count(i) > 0 and ctx.previous(i, 0) == dst:
            return 0.0
    return 1.0


def other_label(ctx, edge, dst):
    return ctx.step == 0 or ctx.label(edge) != ctx.label(ctx.prev_edge)


def change_label(ctx, edge, dst):
    return 1.0 if ctx.step == 0 or ctx.label(edge) != ctx.label(ctx.prev_edge) else 0.25


def near_root(ctx, edge, dst):
    return 2.0 if ctx.has_edge(ctx.root(0), dst) else 1.0


def reinforced(ctx, edge, dst):
    n = 1
    for i in range(1, 4):
        if i <= ctx.step and ctx.previous(i, 0) == dst:
            n += 1
    return n


# The same of the vertices and the edges of a walk so far, and a candidate. Vertex i <= ctx.step before is not the root.
def avoided(vertices: list[int], edges: list[int], edge: int) -> float:
    return float(DST[edge] not in vertices[1:][-2:])


def another(vertices: list[int], edges: list[int], edge: int) -> float:
    return float(not edges or LABELS[edge] != LABELS[edges[-1]])


def changed(vertices: list[int], edges: list[int], edge: int) -> float:
    return max(0.25, another(vertices, edges, edge))


def near(vertices: list[int], edges: list[int], edge: int) -> float:
    return 2.0 if (vertices[0], DST[edge]) in EDGES else 1.0


def visited(vertices: list[int], edges: list[int], edge: int) -> float:
    return 1.0 + vertices[1:][-3:].count(DST[edge])


def exact(bias: Callable[[list[int], list[int], int], float]) -> dict[tuple[int, ...], float]:
    """The probabilities of the walks from vertex 0."""
    done: Counter[tuple[int, ...]] = Counter()

    def go(vertices: list[int], edges: list[int], p: float) -> None:
        biases = {i: bias(vertices, edges, i) for i, s in enumerate(SRC) if s == vertices[-1]}
        total = sum(biases.values())
        if len(edges) == STEPS or total == 0:
            done[tuple(vertices)] += p
            return
        for edge, x in biases.items():
            if x > 0:
                go([*vertices, DST[edge]], [*edges, edge], p * x / total)

    go([0], [], 1.0)
    return dict(done)


@pytest.mark.parametrize(
    ("hook", "bias"),
    [(avoid, avoided), (other_label, another), (change_label, changed), (near_root, near), (reinforced, visited)],
    ids=lambda x: x.__name__,
)
def test_the_distribution_is_that_of_the_past(hook, bias) -> None:
    """A sound app fails once in 10^9."""
    want = exact(bias)
    assert abs(sum(want.values()) - 1) < 1e-12 and len(want) > 10
    for rest in ({}, {"bound": None}):
        app = gnd.App(edge_bias=hook, steps=STEPS, **rest)
        samples = gnd.sample(GRAPH, app, [0], repeat=50_000, seed=3)
        assert bool(gnd.explain(GRAPH, app).bound) == (not rest)
        found = Counter(tuple(v for v in walk if v >= 0) for walk in samples.numpy().tolist())
        assert found.keys() <= want.keys()
        observed = np.array([found[walk] for walk in want])
        assert stats.chisquare(observed, np.array(list(want.values())) * 50_000).pvalue > 1e-9, rest
