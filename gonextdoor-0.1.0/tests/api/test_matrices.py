"""SciPy's sparse matrices, and back."""

from __future__ import annotations

from typing import Any

import corpus
import numpy as np
import pytest

import gonextdoor as gnd

sparse = pytest.importorskip("scipy.sparse")


def arcs(graph: gnd.Graph) -> list[tuple[int, int]]:
    src = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    return list(zip(src.tolist(), graph.indices.tolist(), strict=True))


def same(a: gnd.Graph, b: gnd.Graph) -> None:
    for name in ("indptr", "indices", "weights"):
        x, y = getattr(a, name), getattr(b, name)
        assert (x is None) == (y is None), name
        assert x is None or np.array_equal(x, y), name


def test_weight() -> None:
    ones, twos, bools = (sparse.csr_array([[0, 1], [1, 0]]) * k for k in (1, 2, True))
    bools = bools.astype(bool)
    for matrix, weight, expected in [
        (ones, "auto", None), (twos, "auto", [2, 2]), (bools, "auto", None),
        (ones, True, [1, 1]), (twos, True, [2, 2]), (bools, True, [1, 1]),
        (ones, False, None), (twos, None, None), (bools, False, None),
    ]:  # fmt: skip
        weights = gnd.Graph.from_scipy(matrix, weight=weight).weights
        assert (None if weights is None else weights.tolist()) == expected
    for weight in ("auto", True, False):
        with pytest.raises(TypeError, match="data: dtype complex128, expected non-negative numbers"):
            gnd.Graph.from_scipy(sparse.csr_array([[1j]]), weight=weight)


def test_symmetric() -> None:
    triangle = sparse.triu(sparse.csr_array([[5, 2, 0], [2, 0, 3], [0, 3, 0]]))
    for kind in ("csr", "csc", "coo"):
        graph = gnd.Graph.from_scipy(triangle.asformat(kind), symmetric=True)
        assert arcs(graph) == [(0, 0), (0, 1), (1, 0), (1, 2), (2, 1)]
        assert graph.weights is not None and graph.weights.tolist() == [5, 2, 2, 3, 3]
        assert graph.edge_ids.tolist() == [0, 1, 1, 2, 2]


def test_duplicates() -> None:
    rows = (np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 2, 3]))
    for matrix in (sparse.csr_array(rows), sparse.csr_array(rows).tocsc()):
        assert arcs(gnd.Graph.from_scipy(matrix)) == [(0, 1), (0, 1), (1, 0)]
    summed = gnd.Graph.from_scipy(sparse.coo_array((rows[0], ([0, 0, 1], rows[1])))).weights
    assert summed is not None and summed.tolist() == [3, 4]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"weight": "data"}, "weight = 'data': expected \"auto\", True, False or None"),
        ({"weight": 1}, "weight = 1: expected"),
        ({"weight": np.ones(2)}, r"weight = array.*: expected"),
        ({"symmetric": 1}, "symmetric = 1: expected True or False"),
    ],
)
def test_refusals(options: dict[str, Any], text: str) -> None:
    with pytest.raises(TypeError, match=text):
        gnd.Graph.from_scipy(sparse.csr_array([[0, 1], [1, 0]]), **options)


def graphs() -> list[gnd.Graph]:
    random = np.random.default_rng(4)
    src, dst = random.integers(0, 30, (2, 150))
    return [
        gnd.Graph.from_edges(src, dst),
        gnd.Graph.from_edges(src, dst, num_vertices=40, symmetric=True, weights=random.random(150)),
        gnd.Graph.from_edges([], []),
        gnd.Graph.from_edges([], [], num_vertices=5),
        gnd.Graph.from_edges([0, 0], [1, 0], weights=[0.0, 2.0]),
    ]


@pytest.mark.parametrize("case", range(len(graphs())))
def test_to_scipy_and_back(case: int) -> None:
    graph = graphs()[case]
    matrix = graph.to_scipy()
    assert isinstance(matrix, sparse.csr_array) and matrix.dtype == np.float64
    assert matrix.shape == (graph.num_vertices, graph.num_vertices) and matrix.nnz == graph.num_edges
    matrix.check_format(full_check=True)
    same(gnd.Graph.from_scipy(matrix, weight=graph.weights is not None), graph)
    dense = np.zeros(matrix.shape)
    values = np.ones(graph.num_edges) if graph.weights is None else graph.weights
    np.add.at(dense, tuple(np.array(arcs(graph), int).reshape(-1, 2).T), values)
    assert np.array_equal(matrix.toarray(), dense)


def test_the_matrix_is_a_copy() -> None:
    graph = gnd.Graph.from_edges([0, 0, 1], [1, 1, 0])
    matrix = graph.to_scipy()
    matrix.sum_duplicates()
    matrix.data[:] = 9
    assert matrix.toarray().tolist() == [[0, 9], [9, 0]]
    assert graph.indices.tolist() == [1, 1, 0] and graph.weights is None


def test_real_graph() -> None:
    votes = gnd.read(corpus.data("wiki-Vote.txt.gz"))
    matrix = votes.to_scipy()
    same(gnd.Graph.from_scipy(matrix), votes)
    same(gnd.Graph.from_scipy(matrix.T), votes.reverse())
    assert np.array_equal(matrix.sum(axis=1), votes.degrees())
