"""Every app on a real graph: the same on any number of threads, and every edge that it names is one."""

from __future__ import annotations

import dataclasses
from typing import Any

import corpus
import numpy as np
import pytest

import gonextdoor as gnd


@pytest.fixture(scope="module")
def votes() -> gnd.Graph:
    """Who voted on whom, in both directions, with labels and times."""
    graph = gnd.read(corpus.data("wiki-Vote.txt.gz"), symmetric=True)
    edges = np.arange(graph.num_edges)
    return gnd.Graph.from_csr(graph.indptr, graph.indices, labels=edges % 3, times=edges % 7)


@pytest.mark.parametrize("app", corpus.APPS, ids=corpus.names)
def test_wiki_vote(votes: gnd.Graph, app: Any) -> None:
    given = vars(app) if dataclasses.is_dataclass(app) else {}
    longer = {name: np.resize(x, votes.num_vertices) for name, x in given.items() if isinstance(x, np.ndarray)}
    app = dataclasses.replace(app, **longer) if longer else app
    samples = gnd.sample(votes, app, 300, seed=1, edges=True, threads=2)
    again = gnd.sample(votes, app, 300, seed=1, edges=True, threads=1)
    assert np.array_equal(samples, again)
    assert len(samples) == 300
    assert 0 <= samples.values.max() < votes.num_vertices
    position = np.empty(votes.num_edges, np.int64)
    position[votes.edge_ids] = np.arange(votes.num_edges)
    ends = votes.indices[position]
    values, taken = samples.values, samples.edge_values
    assert np.array_equal(ends[taken[taken >= 0]], values[taken >= 0]), "an edge leads to the vertex beside it"
    if samples.records:
        between, starts = samples.adjacency(0), np.repeat(np.arange(votes.num_vertices), votes.degrees())[position]
        step = samples.steps[0]
        row = np.repeat(np.arange(300), np.diff(between.offsets))
        there = between.edge_ids >= 0
        edge = between.edge_ids[there]
        assert np.array_equal(ends[edge], step[row, between.columns][there])
        if samples.roots.size:
            assert np.array_equal(starts[edge], samples.roots[row, between.rows][there])
