"""Statements of docs/apps.md and docs/graph.md about probabilities, means and orders, each held by an experiment.

Expected values are enumerated exactly; frequencies are compared with them at six standard errors.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import gonextdoor as gnd
from gonextdoor import saint

DRAWS = 20_000


def agree(found: npt.ArrayLike, share: float) -> None:
    """Whether a share of draws is the expected one."""
    drawn = np.asarray(found, dtype=float)
    assert abs(drawn.mean() - share) <= 6 * np.sqrt(share * (1 - share) / drawn.size)


def star(leaves: int) -> gnd.Graph:
    return gnd.Graph.from_edges([0] * leaves, range(1, leaves + 1))


def test_weights_are_rounded_half_to_even_and_stay_below_2_to_the_32() -> None:
    whole = gnd.Graph.from_edges([0] * 6, range(1, 7), weights=[2.0**31, 0.4, 0.5, 1.5, 2.5, 0.0])  # the unit is 1
    assert whole.weights is not None
    assert whole.weights.tolist() == [2**31, 1, 1, 2, 2, 0]
    largest = gnd.Graph.from_edges([0, 0], [1, 2], weights=[2.0**32 - 2.0**-20, 1.0])
    assert largest.weights is not None
    assert largest.weights.tolist() == [2**32 - 1, 1]


@pytest.mark.parametrize("weighted", [True, "computed"])
def test_an_edge_of_weight_zero_makes_a_neighbor_in_node2vec(weighted: Any) -> None:
    """From 1, with 0 before it: 2 is a neighbour of 0 by an edge that is never taken, 3 is none."""
    graph = gnd.Graph.from_edges([0, 0, 1, 1], [1, 2, 2, 3], weights=[1.0, 0.0, 1.0, 1.0], num_vertices=4)
    app = gnd.apps.Node2Vec(p=1, q=0.25, length=2, weighted=weighted)
    walks = gnd.sample(graph, app, [0], repeat=DRAWS, seed=1).numpy()
    assert (walks[:, 1] == 1).all()
    agree(walks[:, 2] == 2, 1 / 5)  # 1 against 1/q = 4; it would be 1/2 if only edges with a weight counted


def test_a_walk_of_metropolis_hastings_ends_at_an_isolated_vertex_and_is_uniform_on_the_others() -> None:
    src, dst = [0, 1, 1, 1], [1, 2, 3, 0]  # a loop-free star and a double edge; 4 is isolated
    graph = gnd.Graph.from_edges(src, dst, num_vertices=5, symmetric=True)
    degrees, steps = graph.degrees().tolist(), 3
    move = [[Fraction(0)] * 4 for _ in range(4)]
    for u in range(4):
        for v in graph.neighbors(u).tolist():
            accepted = min(Fraction(1), Fraction(degrees[u], degrees[v]))
            move[u][v] += accepted / degrees[u]
            move[u][u] += (1 - accepted) / degrees[u]
    assert all(sum(row) == 1 for row in move)
    assert all(sum(move[u][v] for u in range(4)) == 1 for v in range(4)), "uniform on the four is stationary"
    walks = gnd.sample(graph, gnd.apps.MetropolisHastings(steps), range(5), repeat=DRAWS, seed=2).numpy()
    assert (walks[4 * DRAWS :, 1:] == -1).all()
    for step, v in itertools.product(range(1, steps + 1), range(4)):
        agree(walks[: 4 * DRAWS, step] == v, 1 / 4)


def burns(p: float, at_most: int) -> list[float]:
    """The probabilities that a vertex burns 0, 1, ..., at_most neighbours."""
    return [p**k * (1 - p) for k in range(at_most)] + [p**at_most]


def test_what_a_vertex_of_a_forest_fire_burns_is_capped() -> None:
    p, degree = 0.9, 3
    fires = gnd.sample(star(degree), gnd.apps.ForestFire(p, depth=1), [0], repeat=DRAWS, seed=3)
    burned = fires.lengths - 1
    for k, share in enumerate(burns(p, degree)):
        agree(burned == k, share)
    mean = sum(k * share for k, share in enumerate(burns(p, degree)))
    assert mean == pytest.approx(p * (1 - p**degree) / (1 - p))  # 2.4; p / (1 - p) is 9
    assert abs(burned.mean() - mean) < 6 * burned.std() / np.sqrt(DRAWS)


def test_a_forest_fire_counts_neighbors_that_have_not_burned() -> None:
    """Of five edges two lead to a root, and two to one vertex: two vertices are left to burn."""
    p = 0.5
    graph = gnd.Graph.from_edges([0] * 5, [1, 1, 2, 2, 3])
    fires = gnd.sample(graph, gnd.apps.ForestFire(p, depth=1), np.tile([0, 1], (DRAWS, 1)), seed=4)
    for k, share in enumerate(burns(p, 2)):
        agree(fires.lengths - 2 == k, share)


def test_a_snowball_with_a_fanout_leaves_vertices_out_and_reaches_others_late() -> None:
    """Vertices 1 and 2 are one step from 0; the one that 0 did not add is added by the other, if anything adds it."""
    graph = gnd.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3])
    every = gnd.sample(graph, gnd.apps.Snowball(2), [0], seed=5)
    assert [step.ravel().tolist() for step in every.steps] == [[1, 2], [3]]
    some = gnd.sample(graph, gnd.apps.Snowball(2, fanout=1), [0], repeat=DRAWS, seed=5).numpy()
    assert {tuple(row) for row in some.tolist()} == {(0, 1, 2), (0, 2, 3)}
    agree(some[:, 1] == 1, 1 / 2)


EVERYTHING: list[tuple[gnd.apps.SamplingApp, Any]] = [
    (gnd.apps.RandomNode(5), 300),
    (gnd.apps.RandomEdge(4), 300),
    (gnd.apps.ClusterGCN([0, 1, 2, 1, 0], per_sample=3), 300),
    (gnd.apps.KHop([4]), [0] * 300),
    (gnd.apps.Layer(4, 4), [0] * 300),
    (gnd.apps.MVS(5, [4]), 300),
    (gnd.apps.Snowball(1, fanout=4), [0] * 300),
    (gnd.apps.ForestFire(1.0, depth=1), [0] * 300),
]


@pytest.mark.parametrize(("app", "roots"), EVERYTHING, ids=lambda x: type(x).__name__)
def test_everything_is_taken_in_order(app: gnd.apps.SamplingApp, roots: Any) -> None:
    samples = gnd.sample(star(4), app, roots, seed=6)
    assert len(samples) == 300
    assert len({tuple(samples.numpy()[i].tolist()) for i in range(300)}) == 1


@pytest.mark.parametrize(
    "app", [gnd.apps.RandomNode(4), gnd.apps.ClusterGCN([0, 1, 2, 1, 0], per_sample=2)], ids=lambda x: type(x).__name__
)
def test_less_than_everything_is_taken_in_any_order(app: gnd.apps.SamplingApp) -> None:
    samples = gnd.sample(star(4), app, 300, seed=6)
    assert len({tuple(row) for row in samples.numpy().tolist()}) > 5


def test_parallel_edges_count_one_by_one_in_graphsaint() -> None:
    """0 has two edges to 1 and one to 2: 2/9 against 1/9; the squared norms of the columns are 4/9 and 1/9."""
    graph = gnd.Graph.from_edges([0, 0, 0], [1, 1, 2])
    drawn = gnd.sample(graph, gnd.apps.GraphSAINT("node", budget=1), DRAWS, seed=7).numpy()[:, 0]
    agree(drawn == 1, 2 / 3)
    assert (drawn > 0).all()


def expected_share(samples: int) -> Fraction:
    """The mean of 1 / (num_vertices * p) over what few samples count, p being 1/2: by all of their outcomes."""
    counted = [sum(outcome) for outcome in itertools.product((0, 1), repeat=samples)]
    return sum((Fraction(samples, 2 * max(c, 1)) for c in counted), Fraction(0)) / len(counted)


def test_counted_coefficients_of_graphsaint_are_biased_but_consistent() -> None:
    """One of two vertices is drawn, so that 1 / loss is 1 exactly. Its mean over counts is not, but tends to it."""
    graph, app = gnd.Graph.from_edges([0, 1], [1, 0]), gnd.apps.RandomNode(1)
    assert expected_share(2) == Fraction(7, 8)
    assert expected_share(6) > Fraction(11, 10)
    for samples in (2, 6):
        inverse = [1 / saint.coefficients(gnd.sample(graph, app, samples, seed=seed)).loss[0] for seed in range(2000)]
        assert abs(np.mean(inverse) - float(expected_share(samples))) < 6 * np.std(inverse) / np.sqrt(2000)
    many = saint.coefficients(gnd.sample(graph, app, 100_000, seed=8))
    assert abs(1 / many.loss[0] - 1) < 0.02


def one_by_one(scores: list[int], batch: int) -> dict[tuple[int, ...], Fraction]:
    """The probability of each ordered batch."""
    chances = {(): Fraction(1)}
    for _ in range(batch):
        chances = {
            (*taken, i): p * Fraction(score, sum(scores) - sum(scores[j] for j in taken))
            for taken, p in chances.items()
            for i, score in enumerate(scores)
            if i not in taken
        }
    return chances


def variance(gradients: list[int], scores: list[int], batch: int) -> Fraction:
    """Of the estimated mean gradient, each gradient divided by the probability that its vertex is in the batch."""
    chances = one_by_one(scores, batch)
    there = [sum(p for taken, p in chances.items() if i in taken) for i in range(len(scores))]
    of = {taken: sum(gradients[i] / there[i] for i in taken) / len(gradients) for taken in chances}
    mean = sum(p * of[taken] for taken, p in chances.items())
    assert mean == Fraction(sum(gradients), len(gradients))
    return sum((p * (of[taken] - mean) ** 2 for taken, p in chances.items()), Fraction(0))


def test_norms_are_the_best_scores_of_mvs_for_batches_of_one_alone() -> None:
    gradients = [8, -4, 2, -1, 1]
    norms, steeper, flatter, uniform = [8, 4, 2, 1, 1], [12, 4, 2, 1, 1], [6, 4, 2, 1, 1], [1] * 5
    for scores in (steeper, flatter, uniform):
        assert variance(gradients, norms, 1) < variance(gradients, scores, 1)
    assert variance(gradients, steeper, 2) < variance(gradients, norms, 2) < variance(gradients, uniform, 2)
    chances = one_by_one(norms, 2)
    weighed = sum(
        p * sum(Fraction(gradients[i] * sum(norms), norms[i]) for i in taken) / 10 for taken, p in chances.items()
    )
    assert weighed < Fraction(9, 10) < Fraction(sum(gradients), 5), "divided by its score's share, it is biased"
    drawn = gnd.sample(star(4), gnd.apps.MVS(2, [1], scores=norms), DRAWS, seed=9).steps[0]
    for taken, p in chances.items():
        agree((drawn == taken).all(axis=1), float(p))
