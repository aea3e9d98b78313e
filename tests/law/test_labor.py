"""LABOR: batches against the contract evaluated in Python, unbiased means, fewer vertices, and refusals."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from typing import Any

import corpus
import numpy as np
import pytest
from numpy.typing import NDArray

import gonextdoor as gnd
from gonextdoor import rng

METHODS = ["labor", "labor-poisson"]


def number(seed: int, source: int, hop: int, vertex: int) -> int:
    """The random number of an end point: its number in the stream of its type and hop."""
    return rng.number(rng.word(rng.key(rng.stream(seed, rng.BATCHES), source), hop), vertex)


def taken(method: str, fanout: int, numbers: list[int], weights: list[int]) -> list[int]:
    """The candidates that a vertex takes, in order."""
    some = [i for i, weight in enumerate(weights) if weight]
    if fanout < 0:
        return some
    if method == "labor-poisson":
        return [i for i in some if numbers[i] * len(numbers) >> 64 < fanout]
    return sorted(sorted(some, key=lambda i: (Fraction(numbers[i], weights[i]), i))[:fanout])


def expected(
    relations: list[tuple[gnd.Graph, int, int]],  # graph, destination, source
    fanouts: list[list[int]],
    seeds: list[list[int]],
    seed: int,
    excluded: list[int],
    options: dict[str, Any],
) -> tuple[list[list[int]], list[list[int]]]:
    """The nodes of each type, and the ids of the edges of each relation."""
    nodes, begin = [list(of_type) for of_type in seeds], [0] * len(seeds)
    edges: list[list[int]] = [[] for _ in relations]
    for hop, numbers in enumerate(fanouts):
        known = [len(of_type) for of_type in nodes]
        for r, (graph, destination, source) in enumerate(relations):
            ids, weighted = graph.edge_ids, options.get("weighted") and graph.weighted
            weights = corpus_weights(graph) if weighted else None
            for v in nodes[destination][begin[destination] : known[destination]]:
                row = [p for p in range(int(graph.indptr[v]), int(graph.indptr[v + 1])) if int(ids[p]) not in excluded]
                words = [
                    number(seed, source, 0 if options.get("layer_dependency") else hop, int(graph.indices[p]))
                    for p in row
                ]
                by = [1 if weights is None else int(weights[p]) for p in row]
                for i in taken(options["method"], numbers[r], words, by):
                    end = int(graph.indices[row[i]])
                    edges[r].append(int(ids[row[i]]))
                    if end not in nodes[source]:
                        nodes[source].append(end)
        if options.get("expand") != "all":
            begin = known
    return nodes, edges


def corpus_weights(graph: gnd.Graph) -> NDArray[np.int64]:
    """Integers in proportion to the weights, which are small integers in the corpus."""
    weights = np.asarray(graph.weights)
    assert np.array_equal(weights, np.round(weights))
    return weights.astype(np.int64)


def drawn_by(batch: gnd.NeighborBatch) -> tuple[list[list[int]], list[list[int]]]:
    parts = batch.split(batch.arena)
    return [part.tolist() for part in parts.nodes], [part.tolist() for part in parts.edges]


@pytest.mark.parametrize("expand", ["new", "all"])
@pytest.mark.parametrize("dependent", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_one_type_follows_the_contract(method: str, dependent: bool, expand: str) -> None:
    graph, seeds, seed = corpus.graph(), [3, 150, 7, 190], (1 << 64) - 5
    options: dict[str, Any] = {"method": method, "layer_dependency": dependent, "expand": expand}
    for fanouts in ([4], [3, 2], [-1, 2], [2, 0, 2]):
        for excluded in ([], list(range(0, 2000, 3))):
            batch = gnd.NeighborSampler(graph, fanouts, **options).draw(seeds, seed, exclude=excluded, threads=2)
            want = expected([(graph, 0, 0)], [[f] for f in fanouts], [seeds], seed, excluded, options)
            assert drawn_by(batch) == want


def test_weights_follow_the_contract() -> None:
    rows = np.repeat(np.arange(20), 20)
    columns = np.tile(np.arange(20), 20)
    graph = gnd.Graph.from_edges(rows, columns, weights=((rows * 7 + columns * 3) % 5).astype(float))
    options = {"method": "labor", "weighted": True}
    for seed in range(20):
        for fanouts in ([4], [3, 2], [-1, 2]):
            batch = gnd.NeighborSampler(graph, fanouts, **options).draw([3, 15], seed)  # type: ignore[arg-type]
            assert drawn_by(batch) == expected([(graph, 0, 0)], [[f] for f in fanouts], [[3, 15]], seed, [], options)


@pytest.mark.parametrize("method", METHODS)
def test_several_types_follow_the_contract(method: str) -> None:
    hetero = corpus.hetero()
    graphs = list(hetero.relations.values())
    relations = [(graphs[0], 0, 0), (graphs[1], 0, 1), (graphs[2], 1, 0)]
    options = {"method": method}
    batch = gnd.NeighborSampler(hetero, [2, 3], **options).draw({"paper": [4, 9], "author": [2]}, 77)  # type: ignore[arg-type]
    assert drawn_by(batch) == expected(relations, [[2, 2, 2], [3, 3, 3]], [[4, 9], [2]], 77, [], options)


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
