"""LABOR: unbiased means, fewer vertices, and refusals.

Random programs compare its batches with the contract (tests/api/test_loader_programs.py).
"""

from __future__ import annotations

import math
import pickle
from typing import Any

import corpus
import numpy as np
import pytest

import gonextdoor as gnd

METHODS = ["labor", "labor-poisson"]


def drawn_by(batch: gnd.NeighborBatch) -> tuple[list[list[int]], list[list[int]]]:
    parts = batch.split(batch.arena)
    return [part.tolist() for part in parts.nodes], [part.tolist() for part in parts.edges]


@pytest.mark.parametrize("method", METHODS)
def test_means_of_neighbours_are_unbiased(method: str) -> None:
    """Each vertex estimates the sum of its neighbours' values: the values that it takes, divided by the probability of
    taking them. The mean error over 400 batches is within five standard errors of 0."""
    graph = gnd.rmat(9, 8, seed=3)
    degrees, fanout = np.asarray(graph.degrees()), 4
    values = np.random.default_rng(1).random(graph.num_vertices)
    rows = np.repeat(np.arange(graph.num_vertices), degrees)
    if method == "labor":  # parallel edges share a number, so one by one they are not equally likely
        pairs = np.unique(np.stack([rows, np.asarray(graph.indices)]), axis=1)
        graph = gnd.Graph.from_edges(*pairs, num_vertices=graph.num_vertices)
        degrees, rows = np.asarray(graph.degrees()), pairs[0]
    sums = np.bincount(rows, values[np.asarray(graph.indices)], minlength=graph.num_vertices)
    sampler = gnd.PGSampler([fanout], seed=2, method=method)  # type: ignore[arg-type]
    vertices = np.flatnonzero(degrees > fanout)
    errors = []
    for _ in range(400):
        _, _, (block,) = sampler.sample(graph, vertices)
        ends = values[block.src_nodes[block.indices]]
        totals = np.bincount(np.repeat(np.arange(len(vertices)), np.diff(block.indptr)), ends, minlength=len(vertices))
        errors.append(totals * degrees[vertices] / fanout - sums[vertices])
    found = np.array(errors)
    error = found.std(axis=0) / np.sqrt(len(found))
    assert (np.abs(found.mean(axis=0)) < 5 * error + 1e-9).all()
    assert found.std(axis=0).min() > 0


def test_pairs_in_a_row_are_taken_independently() -> None:
    """In rows of 64 consecutive vertices with the fan-out 4, all pairs are equally likely.

    Of the 32 pairs of each xor of two indices, a row takes 0, 1 or 2. Their number in 3.7 million rows is compared with
    the exact probabilities, at 1e-9 for all 63 xors together. A deviation of 1.6 % is found with a probability of 0.9.
    """
    rows, width, fanout, calls = 1 << 14, 64, 4, 224
    ends = np.arange(rows * width)
    graph = gnd.Graph.from_edges(ends // width, ends, num_vertices=rows * width)
    sampler = gnd.PGSampler([fanout], seed=11, method="labor")
    counts = np.zeros(width, np.int64)
    for _ in range(calls):
        _, _, (block,) = sampler.sample(graph, np.arange(rows))
        picks = (block.src_nodes[block.indices] % width).reshape(rows, fanout)
        for i in range(fanout):
            for j in range(i):
                counts += np.bincount(picks[:, i] ^ picks[:, j], minlength=width)
    choices, total = math.comb(width, fanout), rows * calls
    two = math.comb(width // 2, 2) / choices
    one = width // 2 * (math.comb(width - 2, 2) - (width // 2 - 1)) / choices
    mean, square = one + 2 * two, one + 4 * two
    for xor in range(1, width):
        found = counts[xor] / total
        t = (found - mean) / (square - mean * mean)  # Chernoff's bound holds for every t
        tail = total * (math.log(1 + one * math.expm1(t) + two * math.expm1(2 * t)) - t * found)
        assert tail > math.log(1e-9 / (2 * 63)), (xor, found / mean)


def test_batches_have_fewer_vertices() -> None:
    """In every batch on an R-MAT graph, by a margin far above the variation between batches."""
    graph = gnd.rmat(14, 16, seed=1)
    seeds = np.flatnonzero(np.asarray(graph.degrees()) > 0)[:512]
    counts: dict[tuple[str, bool], list[int]] = {}
    for method, dependent in (("neighbor", False), ("labor", False), ("labor", True), ("labor-poisson", False)):
        options: dict[str, Any] = {"method": method, "layer_dependency": dependent}
        sampler = gnd.PGSampler([5, 10, 15], seed=5, **options)
        counts[method, dependent] = [len(sampler.sample(graph, seeds)[0]) for _ in range(5)]
    neighbor = min(counts["neighbor", False])
    assert max(counts["labor", False]) < 0.9 * neighbor, counts
    assert max(counts["labor-poisson", False]) < 0.9 * neighbor, counts
    assert max(counts["labor", True]) < min(counts["labor", False]), counts


@pytest.mark.parametrize("method", METHODS)
def test_samplers_may_be_pickled(method: str) -> None:
    graph = corpus.graph()
    options: dict[str, Any] = {"method": method, "layer_dependency": True}
    sampler = gnd.PGSampler([3, 2], seed=4, **options)
    again = pickle.loads(pickle.dumps(sampler))
    assert repr(again) == repr(sampler) and f"method='{method}', layer_dependency=True" in repr(sampler)
    assert again.sample(graph, [1, 2])[0].tolist() == sampler.sample(graph, [1, 2])[0].tolist()
    around = gnd.NeighborSampler(graph, [3, 2], **options)
    copied = pickle.loads(pickle.dumps(around))
    assert drawn_by(copied.draw([1, 2], 3)) == drawn_by(around.draw([1, 2], 3))


@pytest.mark.parametrize(
    "options, text",
    [
        ({"method": "labor", "replace": True}, 'replace = True: expected False with method = "labor"'),
        ({"method": "labor", "disjoint": True}, 'disjoint = True: expected False with method = "labor"'),
        ({"method": "labor-poisson", "disjoint": True, "temporal": "last"}, 'temporal = "last": expected None'),
        ({"method": "labor-poisson", "weighted": True}, 'method = "labor-poisson": does not support weights'),
        ({"method": "labor-poisson", "weighted": "auto"}, 'method = "labor-poisson": does not support weights'),
        ({"method": "labor-1"}, "importance sampling of LABOR-1"),
        ({"layer_dependency": True}, "layer_dependency = True: expected False"),
    ],
    ids=str,
)
def test_contradictions_are_refused(options: dict[str, Any], text: str) -> None:
    graph = gnd.Graph.from_edges([0, 1], [1, 0], weights=[1.0, 2.0])
    if options.get("temporal"):
        options = {**options, "times": [1, 2]}
    with pytest.raises(ValueError, match=text.replace("(", r"\(")):
        gnd.NeighborSampler(graph, [2], **options).draw([0], 1)


def test_arguments_of_other_types_are_refused() -> None:
    with pytest.raises(TypeError, match="method = 1: expected 'neighbor', 'labor' or 'labor-poisson'"):
        gnd.PGSampler([2], method=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="layer_dependency"):
        gnd.PGSampler([2], method="labor", layer_dependency="no")  # type: ignore[arg-type]
