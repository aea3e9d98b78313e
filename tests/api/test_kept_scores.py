"""Scores.updated: the scores of a version equal those of a new call."""

from __future__ import annotations

import pickle
from typing import Any

import corpus
import daily
import numpy as np
import pytest
from gonextdoor.pagerank import pagerank

import gonextdoor as gnd

ATTRIBUTES = ("weights", "labels", "times")


def same(got: gnd.Scores, want: gnd.Scores) -> None:
    for name in gnd.Scores.__slots__:
        if name not in ("_run", "_names", "_places", "_values", "_vertex_names"):
            assert np.array_equal(getattr(got, name), getattr(want, name)), name


@pytest.mark.parametrize("sequence", daily.share(range(60), 10, "scores of versions"))
def test_scores_of_a_version(sequence: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Single seeds, sets of them, shortened rows and rows with a bound, three updates."""
    draws = np.random.default_rng(sequence)
    monkeypatch.setattr(pagerank, "MOST", float(draws.random() < 0.9))
    graph = corpus.graph(400, 500, weighted=bool(draws.random() < 0.5), symmetric=bool(draws.random() < 0.5))
    seeds: Any = (np.arange(0, 400, 9), draws.integers(0, 400, (20, 2)), [{3: 1.0, 9: 2.5}, {380: 1.0}])
    seeds = seeds[draws.integers(3)]
    options: dict[str, Any] = {"walks": int(draws.integers(1, 9))} if draws.random() < 0.8 else {"error": 0.3}
    options |= {"stop": 0.4, "sinks": str(draws.choice(["restart", "stop"])), "seed": sequence, "first_id": 7}
    options |= {"top_k": 5} if draws.random() < 0.3 else {}
    scores = gnd.personalized_pagerank(graph, seeds, **options)
    for _ in range(3):
        few = {name: draws.integers(0, 5, 3) for name in ATTRIBUTES if getattr(graph, name) is not None}
        add = draws.integers(0, graph.num_vertices + 1, (2, 3))
        graph = graph.updated(add, remove=graph.edge_ids[:2], **few)
        want = gnd.personalized_pagerank(graph, seeds, **options)
        got = scores.updated(graph)
        same(got, want)
        if draws.random() < 0.5:
            scores = got


def test_rows_that_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the rows that visited the changed row are counted again."""
    graph = gnd.Graph.from_edges(np.arange(100), np.arange(100) // 10 * 10)  # ten stars
    made: list[int] = []
    counts = pagerank._Run.counts

    def counted(run: pagerank._Run, walks: Any) -> Any:
        made.append(np.count_nonzero(walks))
        return counts(run, walks)

    monkeypatch.setattr(pagerank._Run, "counts", counted)
    for options in ({"walks": 20}, {"error": 0.9}, {"walks": 20, "top_k": 2}):
        scores = gnd.personalized_pagerank(graph, np.arange(100), seed=1, **options)
        for later, rows in ((graph.updated([(20, 5)]), 10), (graph.updated([(100, 3)]), 0), (graph.updated(), 0)):
            made.clear()
            got = scores.updated(later)
            assert sum(made) == rows
            same(got, gnd.personalized_pagerank(later, np.arange(100), seed=1, **options))
    shortened = gnd.personalized_pagerank(graph, np.arange(100), walks=20, top_k=1, seed=1)
    made.clear()
    shortened.updated(graph.updated([(20, 5)]))
    assert made[0] == 100, "what shortened rows visited is not known"


def test_refusals_of_scores() -> None:
    graph = gnd.rmat(6, seed=1)
    scores = gnd.personalized_pagerank(graph, [0], walks=5, seed=1)
    assert scores.updated(graph) is scores
    with pytest.raises(ValueError, match=r"graph: expected a version of the graph of the scores"):
        scores.updated(gnd.rmat(6, seed=1))
    with pytest.raises(TypeError, match=r"graph: expected a version of the graph of the scores, got int"):
        scores.updated(3)  # type: ignore[arg-type]
    again = pickle.loads(pickle.dumps(scores))
    assert np.array_equal(again.values, scores.values)
    with pytest.raises(ValueError, match=r"these scores were pickled, without their graph"):
        again.updated(graph)
