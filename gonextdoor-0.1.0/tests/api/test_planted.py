"""planted_partition: the probabilities of edges, labels and features, the best accuracy, and refused arguments."""

from __future__ import annotations

import collections
import math
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import gonextdoor as gnd
from gonextdoor.graph import bayes, blockmodel

Array = npt.NDArray[Any]

BUYS, KNOWS = ("user", "buys", "item"), ("user", "knows", "user")


def arcs(graph: gnd.Graph) -> Array:
    """The (E, 2) edges: rows and end points."""
    return np.column_stack([np.repeat(np.arange(graph.num_vertices), graph.degrees()), graph.indices])


def shop(seed: int = 0, **options: Any) -> Any:
    chances: dict[str, Any] = {"p_in": {BUYS: 0.04, KNOWS: 0.02}, "p_out": {BUYS: 0.01, KNOWS: 0.015}}
    return gnd.planted_partition(
        {"user": 900, "item": 600}, 3, **{**chances, "separation": {"user": 0.5, "item": 0}, "seed": seed, **options}
    )


def check_probabilities(edges: Array, first: Array, second: Array, same: bool, p_in: float, p_out: float) -> None:
    """Compares the number of edges between each two classes with its binomial distribution, at 5 deviations."""
    classes = 1 + max(first.max(), second.max())
    counted = np.zeros((classes, classes), int)
    np.add.at(counted, (first[edges[:, 0]], second[edges[:, 1]]), 1)
    sizes = [np.bincount(of, minlength=classes) for of in (first, second)]
    for a in range(classes):
        for b in range(a + 1 if same else classes):
            pairs, found, p = int(sizes[0][a] * sizes[1][b]), counted[a, b], p_in if a == b else p_out
            if same and a == b:
                pairs, found = sizes[0][a] * (sizes[0][a] - 1) // 2, found // 2
            assert abs(found - pairs * p) <= 5 * math.sqrt(pairs * p * (1 - p)), (a, b)


@pytest.mark.parametrize(("p_in", "p_out"), [(0.05, 0.01), (0.01, 0.05), (0.7, 0.2), (0.0, 0.3), (1.0, 0.0)])
def test_edges_of_a_graph(p_in: float, p_out: float) -> None:
    planted = gnd.planted_partition(400, 3, p_in=p_in, p_out=p_out, shares=[5, 2, 1], seed=3)
    edges = arcs(planted.graph)
    assert len(np.unique(edges, axis=0)) == len(edges)
    assert (edges[:, 0] != edges[:, 1]).all()
    assert {tuple(edge) for edge in edges} == {tuple(edge) for edge in edges[:, ::-1]}
    check_probabilities(edges, planted.labels, planted.labels, True, p_in, p_out)


def test_edges_of_several_types() -> None:
    planted = shop()
    graph, labels = planted.graph, planted.labels
    assert graph.num_vertices == {"user": 900, "item": 600}
    assert list(graph.relations) == [BUYS, ("item", "rev_buys", "user"), KNOWS]
    bought = arcs(graph.relations[BUYS])  # row: item, end point: user
    check_probabilities(bought, labels["item"], labels["user"], False, 0.04, 0.01)
    assert len(np.unique(bought, axis=0)) == len(bought)
    reverse = arcs(graph.relations["item", "rev_buys", "user"])
    assert {tuple(edge) for edge in bought} == {tuple(edge) for edge in reverse[:, ::-1]}
    check_probabilities(arcs(graph.relations[KNOWS]), labels["user"], labels["user"], True, 0.02, 0.015)


def test_every_small_graph_is_as_likely_as_its_edges() -> None:
    runs, found = 800, collections.Counter[bytes]()
    for seed in range(runs):
        edges = arcs(gnd.planted_partition(3, 1, p_in=0.3, p_out=0, seed=seed).graph)
        found[edges[edges[:, 0] < edges[:, 1]].tobytes()] += 1
    assert len(found) == 8
    expected = {graph: runs * 0.3 ** (len(graph) // 16) * 0.7 ** (3 - len(graph) // 16) for graph in found}
    assert sum((found[graph] - expected[graph]) ** 2 / expected[graph] for graph in found) < 29.9  # 1e-4, 7 degrees


def test_numbers_of_pairs() -> None:
    """At the first and the last pair of a vertex the square root may round to a neighbouring vertex."""
    large = np.unique(np.logspace(0, 31, 2000, base=2).astype(np.int64)) + 1
    last = large * (large - 1) // 2
    for number in (np.arange(1000), last - 1, last, last + 1):
        i, j = blockmodel._triangle(number)
        assert (i * (i - 1) // 2 + j == number).all()
        assert ((j >= 0) & (j < i)).all()


def test_labels_and_features() -> None:
    planted = gnd.planted_partition(
        50_000, 4, p_in=0, p_out=0, shares=[4, 3, 2, 1], num_features=6, separation=1.5, seed=5
    )
    labels, features = planted.labels, planted.features
    assert (labels.dtype, features.dtype, features.shape) == (np.int64, np.float32, (50_000, 6))
    for c, share in enumerate([0.4, 0.3, 0.2, 0.1]):
        assert abs((labels == c).mean() - share) < 5 * math.sqrt(share * (1 - share) / 50_000)
        inside = features[labels == c].astype(float)
        assert np.abs(inside.mean(0) - 1.5 * (np.arange(6) == c)).max() < 5 / math.sqrt(len(inside))
        assert np.abs(np.cov(inside.T) - np.eye(6)).max() < 7.5 / math.sqrt(len(inside))


def test_the_same_arguments_give_the_same_data() -> None:
    def digest(planted: Any) -> list[int]:
        return [zlib.crc32(np.ascontiguousarray(part)) for part in (planted.labels, arcs(planted.graph))]

    given: dict[str, Any] = {"p_in": 0.05, "p_out": 0.005}
    planted = gnd.planted_partition(1000, 4, **given, seed=1)
    assert digest(planted) == [3330730923, 1339115256]
    assert float(planted.features.sum()) == pytest.approx(1029.231, abs=0.01)
    again = gnd.planted_partition(1000, 4, **given, seed=1, separation=3, num_features=9)
    assert digest(again) == digest(planted)
    assert digest(gnd.planted_partition(1000, 4, **given, seed=2)) != digest(planted)
    assert (shop(4).features["user"] == shop(4).features["user"]).all()
    assert (shop(4).features["user"] != shop(5).features["user"]).any()


def right(shares: Array, labels: Array, features: Array, separation: float, evidence: list[tuple[Any, ...]]) -> float:
    """The share of vertices that Bayes' rule puts in their class, by the definition of the posterior.

    evidence: for each relation, the (n, others) 0/1 matrix of its edges, the labels of the others, p_in and p_out.
    """
    classes = len(shares)
    found = 0
    for i, true in enumerate(labels):
        logs = np.log(shares) + [
            -((features[i] - separation * np.eye(features.shape[1])[c]) ** 2).sum() / 2 for c in range(classes)
        ]
        for matrix, others, same, p_in, p_out in evidence:
            keep = np.arange(len(others)) != i if same else slice(None)
            for c in range(classes):
                p = np.where(others[keep] == c, p_in, p_out)
                logs[c] += np.log(np.where(matrix[i][keep], p, 1 - p)).sum()
        found += int(np.argmax(logs)) == true
    return found / len(labels)


def matrix(edges: Array, rows: int, columns: int) -> Array:
    dense = np.zeros((rows, columns), bool)
    dense[edges[:, 0], edges[:, 1]] = True
    return dense


@pytest.mark.parametrize(
    ("p_in", "p_out", "shares", "separation"),
    [
        (0.03, 0.01, [1, 1, 1], 0.5),
        (0.01, 0.03, [1, 1, 1], 1.0),
        (0.02, 0.01, [6, 3, 1], 0.7),
        (0.03, 0.01, [1, 1], 0.0),
        (0.6, 0.55, [2, 1, 1], 0.3),
        (0.02, 0.02, [1, 1, 1, 1], 1.2),
    ],
)
def test_best_accuracy_is_that_of_bayes_rule(p_in: float, p_out: float, shares: Any, separation: float) -> None:
    total = expected = 0.0
    for seed in range(3):
        planted = gnd.planted_partition(
            600, len(shares), p_in=p_in, p_out=p_out, shares=shares, separation=separation, seed=seed
        )
        dense = matrix(arcs(planted.graph), 600, 600)
        prior = np.array(shares) / sum(shares)
        evidence = [(dense, planted.labels, True, p_in, p_out)]
        total += right(prior, planted.labels, planted.features, separation, evidence)
        expected += planted.best_accuracy
        alone = right(prior, planted.labels, planted.features, separation, [])
        assert abs(alone - planted.feature_accuracy) < 5 * math.sqrt(0.25 / 600)
    # Vertices share edges, so they are dependent: twice the deviation of independent ones.
    assert abs(total - expected) / 3 < 5 * math.sqrt(expected / 3 * (1 - expected / 3) / 1800) + 0.01


def test_best_accuracy_of_several_types() -> None:
    total = collections.Counter[str]()
    for seed in range(2):
        planted = shop(seed)
        labels, prior = planted.labels, np.full(3, 1 / 3)
        bought = matrix(arcs(planted.graph.relations[BUYS]), 900, 900)[:600]
        known = matrix(arcs(planted.graph.relations[KNOWS]), 900, 900)
        users = [(bought.T[:900], labels["item"], False, 0.04, 0.01), (known, labels["user"], True, 0.02, 0.015)]
        items = [(bought, labels["user"], False, 0.04, 0.01)]
        for kind, separation, evidence in (("user", 0.5, users), ("item", 0.0, items)):
            total[kind] += right(prior, labels[kind], planted.features[kind], separation, evidence)
            total[kind] -= planted.best_accuracy[kind]
    for kind, difference in total.items():
        assert abs(difference) / 2 < 5 * math.sqrt(0.25 / 1200), kind
    assert shop().feature_accuracy["item"] == pytest.approx(np.bincount(shop().labels["item"]).max() / 600, abs=0.05)


def test_accuracies_with_a_closed_form(monkeypatch: pytest.MonkeyPatch) -> None:
    two, halves = np.array([50, 50]), np.full(2, 0.5)
    for separation in (0.3, 1.0, 2.5):  # the means are separation * sqrt(2) apart
        expected = 0.5 + math.erf(separation / 2) / 2
        assert bayes.accuracy(halves, two, [], separation) == pytest.approx(expected, abs=1e-4)
    assert bayes.accuracy(np.array([0.7, 0.3]), np.array([70, 30]), [], 0) == pytest.approx(0.7)
    sure = bayes.Edges(two, True, 1.0, 0.0)
    assert bayes.accuracy(halves, two, [sure], 0) == pytest.approx(1)
    one = bayes.Edges(np.array([1, 1]), False, 0.5, 0.0)  # right if the edge is there, else a guess
    assert bayes.accuracy(halves, two, [one], 0) == pytest.approx(0.75)
    alone = bayes.Edges(np.array([1, 1]), True, 0.5, 0.0)  # no pair of its class, and a missing edge to the other
    assert bayes.accuracy(halves, np.array([1, 1]), [alone], 0) == pytest.approx(1)
    edges = bayes.Edges(np.array([400, 600]), True, 0.03, 0.01)
    coarse = bayes.accuracy(halves, np.array([400, 600]), [edges], 0.8)
    monkeypatch.setattr(bayes, "CELLS", 8 * bayes.CELLS)
    fine = bayes.accuracy(halves, np.array([400, 600]), [edges], 0.8)
    assert coarse == pytest.approx(fine, abs=1e-4)


def test_shapes_at_the_limits() -> None:
    one = gnd.planted_partition(1, 1, p_in=1, p_out=1)
    assert (one.graph.num_edges, one.labels.tolist(), one.features.shape) == (0, [0], (1, 1))
    assert one.best_accuracy == pytest.approx(1)
    few = gnd.planted_partition(3, 50, p_in=1, p_out=1)  # most classes are empty
    assert few.graph.num_edges == 6
    assert 0 < few.best_accuracy <= 1
    text = repr(shop())
    assert text.startswith("PlantedPartition(num_vertices={'user': 900, 'item': 600}, num_edges={")
    assert text.endswith(", num_classes=3)")


REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"num_vertices": 0}, ValueError, "num_vertices = 0: expected from 1"),
    ({"num_vertices": 2.5}, TypeError, "num_vertices = 2.5"),
    ({"num_vertices": {}}, ValueError, "num_vertices is empty"),
    ({"num_vertices": {1: 5}}, TypeError, "num_vertices: expected types as non-empty str, got 1"),
    ({"num_vertices": {"": 5}}, TypeError, "non-empty str, got ''"),
    ({"num_vertices": {"user": 5}}, TypeError, "p_in = 0.1: expected a dict by relation"),
    ({"num_classes": 0}, ValueError, "num_classes = 0"),
    ({"num_classes": 257}, ValueError, "num_classes = 257: expected from 1 to 256"),
    ({"num_classes": "2"}, TypeError, "num_classes = '2'"),
    ({"p_in": 1.5}, ValueError, "p_in = 1.5: expected a probability"),
    ({"p_in": math.nan}, ValueError, "p_in = nan"),
    ({"p_out": -0.1}, ValueError, "p_out = -0.1"),
    ({"p_out": "0.1"}, TypeError, "p_out = '0.1'"),
    ({"p_in": {BUYS: 0.1}}, TypeError, "p_in = .*: expected a number"),
    ({"shares": [1, 2, 3]}, ValueError, r"shares has shape \(3,\): expected one number per class, \(2,\)"),
    ({"shares": [1, 0]}, ValueError, r"shares\[1\] = 0.0: expected a positive"),
    ({"shares": [math.inf, 1]}, ValueError, r"shares\[0\] = inf"),
    ({"shares": ["a", "b"]}, TypeError, "shares = .*: expected 2 numbers"),
    ({"num_features": 1}, ValueError, "num_features = 1: expected from 2"),
    ({"separation": -1}, ValueError, "separation = -1: expected from 0"),
    ({"separation": math.nan}, ValueError, "separation = nan"),
    ({"separation": {"user": 1}}, ValueError, "separation: num_vertices has no type 'user'"),
    ({"seed": -1}, ValueError, "seed = -1"),
]


@pytest.mark.parametrize(("changed", "error", "text"), REFUSED)
def test_refused(changed: dict[str, Any], error: type[Exception], text: str) -> None:
    given: dict[str, Any] = {"num_vertices": 10, "num_classes": 2, "p_in": 0.1, "p_out": 0.1}
    with pytest.raises(error, match=text):
        gnd.planted_partition(**{**given, **changed})


REVERSED = ("item", "rev_buys", "user")

REFUSED_TYPES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"p_in": {}}, ValueError, "p_in is empty"),
    ({"p_in": {BUYS: 0.1}}, ValueError, r"p_in has no relation \('user', 'knows', 'user'\)"),
    ({"p_out": {BUYS: 0.1}}, ValueError, r"p_out has no relation \('user', 'knows', 'user'\)"),
    ({"p_in": {"buys": 0.1}}, TypeError, "p_in: expected keys .*, got 'buys'"),
    ({"p_in": {("user", "buys", "shop"): 0.1}}, ValueError, "num_vertices has no type 'shop'"),
    ({"p_in": {BUYS: 2, KNOWS: 0}}, ValueError, r"p_in\[\('user', 'buys', 'item'\)\] = 2"),
    ({"p_in": dict.fromkeys((BUYS, REVERSED), 0.1)}, ValueError, "is the reverse of"),
    ({"separation": {"user": 1}}, ValueError, "separation has no type 'item'"),
    ({"separation": {"user": 1, "item": "1"}}, TypeError, r"separation\['item'\] = '1'"),
]


@pytest.mark.parametrize(("changed", "error", "text"), REFUSED_TYPES)
def test_refused_types(changed: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        shop(**changed)
