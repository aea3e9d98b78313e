"""Every app on graphs with hardly anything in them: defined results, or refusals, and all that samples do works."""

from __future__ import annotations

import dataclasses
from typing import Any

import corpus
import numpy as np
import pytest

import gonextdoor as gnd


def graph(src: list[int], dst: list[int], vertices: int, weights: list[float] | None = None) -> gnd.Graph:
    zeros = [0] * len(src)
    return gnd.Graph.from_edges(src, dst, labels=zeros, times=zeros, weights=weights, num_vertices=vertices)


GRAPHS = {
    "no vertices": graph([], [], 0),
    "one vertex": graph([], [], 1),
    "a loop": graph([0], [0], 1),
    "sinks": graph([], [], 7),
    "parallel edges": graph([0] * 5 + [1] * 3, [1] * 5 + [0] * 3, 2),
    "zero weights": graph([0, 1], [1, 0], 2, [0.0, 0.0]),
}


def fitted(app: Any, vertices: int) -> Any:
    """The app with arrays of the graph's size, and something in them."""
    given = vars(app) if dataclasses.is_dataclass(app) else {}
    arrays = {name: np.zeros(vertices, x.dtype) for name, x in given.items() if isinstance(x, np.ndarray)}
    if not arrays:
        return app
    if isinstance(app, gnd.apps.Negatives) and not vertices:
        pytest.skip("no candidates are refused")
    if type(app).__name__ == "MVS":
        arrays = {name: x + 1 for name, x in arrays.items()}
        if not vertices:
            pytest.skip("scores of no vertex are refused")
    return dataclasses.replace(app, **arrays)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("app", corpus.APPS, ids=corpus.names)
def test_odd_graphs(app: Any, name: str) -> None:
    odd = GRAPHS[name]
    app = fitted(app, odd.num_vertices)
    if isinstance(app, gnd.apps.NegativePairs) and name != "sinks":
        with pytest.raises(ValueError, match="there are no negatives"):
            gnd.sample(odd, app, 3, seed=1)
        return
    for roots in (None, 3, 0):
        drawn = {None: app.pool() or 0, 3: app.pool() is None or app.pool() > 0, 0: 0}[roots]
        if drawn and odd.num_vertices == 0:
            with pytest.raises(ValueError, match="no vertex to draw"):
                gnd.sample(odd, app, roots, seed=1)
            continue
        samples = gnd.sample(odd, app, roots, seed=1, repeat=2, edges=True)
        rows = 2 * (roots if roots is not None else odd.num_vertices if app.pool() is None else 1)
        assert len(samples) == len(samples.numpy()) == len(samples.edges) == len(samples.lengths) == rows
        assert samples.visit_counts().sum() == samples.lengths.sum() == sum(map(len, samples.sentences()))
        assert len(samples.steps) == samples.stats["steps"]
        assert samples.numpy().max(initial=-1) < odd.num_vertices
        assert repr(app) in repr(samples) and "<table>" in samples._repr_html_()
        if samples.records:
            assert sum(len(samples.subgraph(i).src) for i in range(rows)) == samples.stats["links"]
            for step in range(len(samples.steps)):
                assert len(samples.adjacency(step)) == rows
