"""Graph.equals."""

from __future__ import annotations

import pathlib
import pickle
from typing import Any

import numpy as np
import pytest

import gonextdoor as gnd


def test_equals(tmp_path: pathlib.Path) -> None:
    """A graph equals its copies, and none that differs in one fact."""
    ends = [("a", "b"), ("b", "c"), ("a", "b"), ("c", "a")]
    dates = np.array(["2024-01-01", "2024-01-05", "2024-01-02", "2024-01-03"], "M8[s]")
    given: dict[str, Any] = {"weights": [1, 2, 3, 4.5], "labels": [0, 1, 0, 2], "times": dates}
    graph = gnd.Graph.from_edges(ends, **given)
    graph.save(tmp_path / "graph")
    again = [gnd.Graph.from_edges(ends, **given), gnd.Graph.open(tmp_path / "graph"), pickle.loads(pickle.dumps(graph))]
    for same in (graph, *again, graph.reverse().reverse()):
        assert graph.equals(same) and same.equals(graph)
    others = [
        gnd.Graph.from_edges(ends, **given | {"weights": [1, 2, 3, 4.6]}),
        gnd.Graph.from_edges(ends, **given | {"labels": [0, 1, 0, 3]}),
        gnd.Graph.from_edges(ends, **given | {"times": dates + 1}),
        gnd.Graph.from_edges(ends, **given | {"times": dates.astype(np.int64)}),  # without their unit
        *(gnd.Graph.from_edges(ends, **{k: v for k, v in given.items() if k != name}) for name in given),
        gnd.Graph.from_edges([(u.replace("c", "d"), v.replace("c", "d")) for u, v in ends], **given),
        gnd.Graph.from_edges([("abc".index(u), "abc".index(v)) for u, v in ends], **given),
        gnd.Graph.from_edges(ends[:3], **{k: v[:3] for k, v in given.items()}),
        graph.reverse(),
    ]
    for other in others:
        assert not graph.equals(other) and not other.equals(graph)
    plain = gnd.Graph.from_edges([1, 0], [0, 1])
    assert plain.equals(gnd.Graph.from_edges([0, 1], [1, 0])), "ids of edges are not compared"
    assert not plain.equals(gnd.Graph.from_edges([1, 0], [0, 1], num_vertices=3))
    assert not plain.equals(gnd.Graph.from_edges([5, 3], [3, 5], relabel=True))
    large = gnd.rmat(16, 20, seed=1)
    ends_of = large.indices.copy()
    assert large.equals(gnd.Graph.from_csr(large.indptr, ends_of))
    row = int(np.flatnonzero(large.degrees())[-1])
    ends_of[large.indptr[row + 1] - 1] = large.num_vertices - 1 if ends_of[-1] != large.num_vertices - 1 else 0
    assert not large.equals(gnd.Graph.from_csr(large.indptr, ends_of)), "the last edge differs"
    with pytest.raises(TypeError, match=r"other: expected a gonextdoor\.Graph, got HeteroGraph"):
        graph.equals(gnd.HeteroGraph({("a", "to", "a"): plain}, {"a": 2}))  # type: ignore[arg-type]
