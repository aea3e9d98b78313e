"""GraphSAINT's normalisation is unbiased."""

from __future__ import annotations

import itertools

import corpus
import numpy as np
import pytest

import gonextdoor as gnd
from gonextdoor import saint


def square() -> gnd.Graph:
    """Four vertices, with a double edge and a loop."""
    return gnd.Graph.from_edges([0, 0, 1, 1, 2, 3, 3], [1, 2, 2, 2, 0, 0, 3])


def outcomes(graph: gnd.Graph, app: gnd.apps.GraphSAINT) -> list[tuple[float, set[int]]]:
    """Every sequence of draws: its probability, and the vertices of its sample."""
    assert app.budget
    degrees = graph.degrees()
    src, dst = np.repeat(np.arange(4), degrees), graph.indices
    if app.method == "node":
        weights = np.zeros(4)
        for u, v in zip(src, dst, strict=True):
            weights[v] += 1 / degrees[u] ** 2
        drawn = [(weights[v] / weights.sum(), {v}) for v in range(4)]
    else:
        weights = 1 / degrees[src] + 1 / degrees[dst]
        drawn = [(w / weights.sum(), {int(u), int(v)}) for w, u, v in zip(weights, src, dst, strict=True)]
    draws = itertools.product(drawn, repeat=app.budget)
    return [(float(np.prod([p for p, _ in d])), set().union(*(met for _, met in d))) for d in draws]


@pytest.mark.parametrize("method", ["node", "edge"])
def test_exact_coefficients_are_unbiased(method: str) -> None:
    graph, app = square(), gnd.apps.GraphSAINT(method, budget=3)  # type: ignore[arg-type]
    of = saint.exact_coefficients(graph, app)
    src, dst = np.repeat(np.arange(4), graph.degrees()), graph.indices
    losses, messages = np.array([3.0, 1, 4, 1.5]), np.arange(1.0, 8)
    all_outcomes = outcomes(graph, app)
    assert sum(p for p, _ in all_outcomes) == pytest.approx(1)
    loss = sum(p * sum(losses[v] / of.loss[v] for v in met) for p, met in all_outcomes)
    assert loss == pytest.approx(losses.mean())
    for v in range(4):
        there = sum(p for p, met in all_outcomes if v in met)
        estimate = sum(
            p * sum(messages[e] / of.aggregation[e] for e in range(7) if src[e] == v and dst[e] in met)
            for p, met in all_outcomes
            if v in met
        )
        assert estimate / there == pytest.approx(messages[src == v].sum())


@pytest.mark.parametrize("method", ["node", "edge"])
def test_counted_coefficients_approach_the_exact_ones(method: str) -> None:
    graph, app = square(), gnd.apps.GraphSAINT(method, budget=3)  # type: ignore[arg-type]
    want = saint.exact_coefficients(graph, app)
    got = saint.coefficients(gnd.sample(graph, app, 100_000, seed=1))
    assert np.allclose(got.loss, want.loss, rtol=0.02)
    assert np.allclose(got.aggregation, want.aggregation, rtol=0.02)


def test_coefficients_of_a_sample() -> None:
    graph = corpus.graph(symmetric=True)
    app = gnd.apps.GraphSAINT("walk", roots=8, length=4)
    of = saint.coefficients(gnd.sample(graph, app, 300, seed=1))
    part = gnd.sample(graph, app, seed=2).subgraph()
    loss, aggregation = of.of(part)
    assert np.array_equal(loss, of.loss[part.nodes])
    src, dst = part.nodes[part.src], part.nodes[part.dst]
    for k in range(0, len(src), 7):
        row = slice(int(graph.indptr[src[k]]), int(graph.indptr[src[k] + 1]))
        assert aggregation[k] in of.aggregation[row][graph.indices[row] == dst[k]]
    assert (of.loss > 0).all()
    assert (of.aggregation > 0).all()
    assert (of.aggregation <= 1).all()


def test_what_no_sample_has_counts_as_seen_once() -> None:
    graph = gnd.Graph.from_edges([0, 1], [1, 0], num_vertices=3)
    of = saint.coefficients(gnd.sample(graph, gnd.apps.GraphSAINT("node", budget=1), 10, seed=1))
    assert of.loss[2] == pytest.approx(3 / 10)
    exact = saint.exact_coefficients(graph, gnd.apps.GraphSAINT("node", budget=1))
    assert exact.loss.tolist() == [1.5, 1.5, 0]
    assert exact.aggregation.tolist() == [0, 0]  # one draw never has both ends


def test_refusals() -> None:
    graph = corpus.graph()
    with pytest.raises(TypeError, match="expected GraphSAINT, ClusterGCN or RandomNode"):
        saint.coefficients(gnd.sample(graph, gnd.apps.DeepWalk(2), seed=1))
    with pytest.raises(TypeError, match="samples: expected gonextdoor\\.Samples, got int"):
        saint.coefficients(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least one sample to count in"):
        saint.coefficients(gnd.sample(graph, gnd.apps.ClusterGCN(3), 0, seed=1))
    with pytest.raises(ValueError, match="records no edges"):
        saint.coefficients(gnd.sample(graph, gnd.apps.RandomNode(3, induced=False), 2, seed=1))
    with pytest.raises(ValueError, match="closed form"):
        saint.exact_coefficients(graph, gnd.apps.GraphSAINT("walk", roots=2, length=2))
    with pytest.raises(TypeError, match="GraphSAINT"):
        saint.exact_coefficients(graph, gnd.apps.DeepWalk(2))  # type: ignore[arg-type]
