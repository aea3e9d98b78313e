"""MetaPath on a HeteroGraph: paths of types and of relations."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import gonextdoor as gnd


def shop() -> gnd.HeteroGraph:
    """Users buy and rate items, and items are bought by users; some users and items have no edge."""
    draws = np.random.default_rng(5)
    user, item = draws.integers(0, 9, 30), draws.integers(0, 6, 30)
    relations = {
        ("user", "buys", "item"): gnd.Graph.from_edges(item, user, num_vertices=12),
        ("item", "bought_by", "user"): gnd.Graph.from_edges(user, item, num_vertices=12),
        ("item", "like", "item"): gnd.Graph.from_edges(item, item[::-1], num_vertices=8),
    }
    return gnd.HeteroGraph(relations, {"item": 8, "user": 12})


BUYS, BOUGHT, LIKE = shop().relations


@pytest.mark.parametrize(
    "path, length, labels, types",
    [
        (["user", "item"], None, [0], "ui"),
        (["user", "item"], 3, [0, 1], "uiui"),
        (["user", "item", "user"], 4, [0, 1], "uiuiu"),
        (("user", "item", "item", "user"), 7, [0, 2, 1], "uiiuiiui"),
        ([BUYS, LIKE], None, [0, 2], "uii"),
        ([BUYS, BOUGHT], 3, [0, 1], "uiui"),
        ([[*LIKE]], 2, [2], "iii"),
    ],
)
def test_paths_of_types(path: Any, length: int | None, labels: list[int], types: str) -> None:
    """The walks are those along the numbers of the relations in the graph of all types."""
    graph = shop()
    joined, first = graph.to_homogeneous()
    app, plain = gnd.apps.MetaPath(path, length), gnd.apps.MetaPath(labels, length or len(labels))
    begin, count = (first["user"], 12) if types[0] == "u" else (first["item"], 8)
    roots = np.arange(begin, begin + count)
    want = gnd.sample(joined, plain, roots, repeat=3, seed=4)
    for given in (None, np.arange(count, dtype=np.uint8), [*range(count)]):
        walks = gnd.sample(graph, app, given, repeat=3, seed=4)
        assert np.array_equal(walks.numpy(), want.numpy())
    assert walks.graph.equals(joined) and walks.app == plain
    for column, kind in zip(walks.numpy().T, types, strict=True):
        there = column[column >= 0]
        assert there.size and ((there >= first["user"]) == (kind == "u")).all()
    assert np.array_equal(gnd.visit_counts(graph, app, repeat=3, seed=4), want.visit_counts())
    assert np.array_equal(gnd.end_points(graph, app, seed=4), gnd.end_points(joined, plain, roots, seed=4))
    assert gnd.explain(graph, app).samples == count
    assert pickle.loads(pickle.dumps(app)) == app


def test_paths_of_types_are_refused() -> None:
    path, double = gnd.apps.MetaPath, shop().relations
    several = gnd.HeteroGraph({**double, ("user", "rates", "item"): double[BUYS]}, {"item": 8, "user": 12})
    plain, walks = shop().to_homogeneous().graph, gnd.sample
    for call, kind, text in (
        (lambda: path(["user"]), ValueError, r"labels = \['user'\]: expected the types of at least two"),
        (lambda: path(["user", 3]), TypeError, r"labels\[1\] = 3: expected a type of vertices"),
        (lambda: path("user"), TypeError, "labels = 'user': expected a sequence"),
        (lambda: path([BUYS, ("item", "like")]), TypeError, r"labels\[1\] = \('item', 'like'\): expected a relation"),
        (lambda: path([BUYS, BUYS]), ValueError, r"labels\[1\] = .*: expected the source type 'item', at which"),
        (lambda: path([BUYS], 2), ValueError, "length = 2: expected at most 1, since the path ends at the type 'item'"),
        (
            lambda: walks(plain, path(["user", "item"])),
            ValueError,
            r"labels = \['user', 'item'\]: types are those of a",
        ),
        (lambda: path([BUYS]).width(), ValueError, "a Graph has labels of edges, so pass ints"),
        (lambda: walks(shop(), path([0])), TypeError, "graph: expected a gonextdoor.Graph, got HeteroGraph"),
        (
            lambda: walks(shop(), path(["user", "user"])),
            ValueError,
            "no relation leads from 'user' to 'user'; the graph",
        ),
        (lambda: walks(shop(), path(["usr", "item"])), ValueError, "no relation leads from 'usr' to 'item'"),
        (
            lambda: walks(shop(), path([("user", "x", "item")])),
            ValueError,
            r"labels\[0\] = .*: the graph has the relations",
        ),
        (
            lambda: walks(several, path(["user", "item"])),
            ValueError,
            "several relations lead .* pass relations instead",
        ),
        (
            lambda: walks(shop(), path([BUYS]), [12]),
            IndexError,
            r"roots\[0\] = 12: the graph has 12 vertices of the type",
        ),
        (lambda: walks(shop(), path([BUYS]), [-1]), IndexError, r"roots\[0\] = -1"),
        (
            lambda: walks(shop(), path([BUYS]), 5),
            ValueError,
            "roots = 5: expected an array of vertices of the type 'user'",
        ),
        (lambda: walks(shop(), path([BUYS]), [[1]]), ValueError, r"roots: expected shape \(n,\)"),
        (lambda: walks(shop(), path([BUYS]), ["a"]), TypeError, "roots"),
        (
            lambda: walks(shop(), path([BUYS]), [1], names=True),
            ValueError,
            "names = True: the vertices of a HeteroGraph",
        ),
    ):
        with pytest.raises(kind, match=text):
            call()
    assert len(walks(several, path([("user", "rates", "item")]), [3], seed=1)) == 1
