"""TemporalWalk: times along walks, the contract recomputed in Python, and bad input."""

import math

import corpus
import numpy as np
import pytest

import gonextdoor as gnd
from gonextdoor.apps import TemporalWalk

GRAPH = corpus.graph()
ROOTS = np.arange(200)  # the last ones are sinks
M = (1 << 64) - 1


def edge_times(graph, samples):
    """The times of the edges of each walk, and whether there is one."""
    position = np.empty(graph.num_edges, np.int64)
    ids = graph.edge_ids
    assert len(set(ids.tolist())) == len(ids)
    position[ids] = np.arange(graph.num_edges)
    edges = samples.edges
    return graph.times[position[np.maximum(edges, 0)]], edges >= 0


@pytest.mark.parametrize("bias", ["uniform", "linear", "exponential"])
@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_times_are_in_order(direction, strict, bias):
    graph = gnd.Graph.from_csr(GRAPH.indptr, GRAPH.indices, times=GRAPH.times)  # ids differ for both directions
    samples = gnd.sample(graph, TemporalWalk(12, direction, bias, strict=strict), ROOTS, repeat=20, seed=1, edges=True)
    times, there = edge_times(graph, samples)
    steps = np.diff(times, axis=1)[there[:, 1:]]
    steps = steps if direction == "forward" else -steps
    assert len(steps) > 1000
    assert steps.min() == 0 if not strict else steps.min() >= 1
    walks = samples.numpy()
    assert np.array_equal(walks[:, 1:] >= 0, there)
    assert (there[:, 1:] <= there[:, :-1]).all()  # a walk that has ended does not go on
    ended = there[:, :-1] & ~there[:, 1:]
    for row, step in np.argwhere(ended)[:200].tolist():
        v, last = int(walks[row, step + 1]), int(times[row, step])
        rest = graph.times[graph.indptr[v] : graph.indptr[v + 1]]
        rest = rest - last if direction == "forward" else last - rest
        assert not (rest > 0).any()
        assert not (rest == 0).any() or strict


def candidates(graph, v, last, backward, strict):
    """The edges that may follow, nearest in time first."""
    first, end = int(graph.indptr[v]), int(graph.indptr[v + 1])
    along = -graph.times[first:end] if backward else graph.times[first:end]
    order = [first + int(i) for i in np.argsort(along, kind="stable")]
    if last is None:
        return order
    ahead = {p: int(along[p - first]) - (-1 if backward else 1) * int(graph.times[last]) for p in order}
    return [p for p in order if ahead[p] > 0 or (ahead[p] == 0 and not strict)]


def choice(bias, word, times, scale):
    """The index of a candidate by the contract; exponential weights in exact enough real numbers."""
    n = len(times)
    if bias == "uniform":
        return word * n >> 64
    if bias == "linear":
        rest = word * (n * (n + 1) // 2) >> 64
        for i in range(n):
            if rest < n - i:
                return i
            rest -= n - i
    weights = [math.exp(-abs(t - times[0]) / scale) for t in times]
    level = sum(weights) * (word / 2**64)
    return max(i for i in range(n) if sum(weights[i:]) > level)


@pytest.mark.parametrize("bias", ["uniform", "linear", "exponential"])
@pytest.mark.parametrize(("direction", "strict"), [("forward", True), ("backward", False)])
def test_docs_law_recomputes_temporal_walks(direction, strict, bias):
    span = int(GRAPH.times.max()) - int(GRAPH.times.min())
    scale = span * GRAPH.num_vertices // GRAPH.num_edges
    walks = gnd.sample(GRAPH, TemporalWalk(9, direction, bias, strict=strict), ROOTS, seed=5).numpy()
    for row in range(0, 180, 9):
        key, v, last, walk = gnd.rng.key(gnd.rng.stream(5), row), row, None, [row]
        for s in range(9):
            may = candidates(GRAPH, v, last, direction == "backward", strict)
            if not may:
                break
            times = [int(GRAPH.times[p]) for p in may]
            last = may[choice(bias, gnd.rng.word(key, s << 8), times, scale)]
            v = int(GRAPH.indices[last])
            walk.append(v)
        assert walks[row].tolist() == walk + [-1] * (10 - len(walk))


def test_the_scale_of_none_is_the_mean_time_between_edges():
    span = int(GRAPH.times.max()) - int(GRAPH.times.min())
    scale = span * GRAPH.num_vertices // GRAPH.num_edges
    ours = gnd.sample(GRAPH, TemporalWalk(9, bias="exponential"), ROOTS, seed=2).numpy()
    theirs = gnd.sample(GRAPH, TemporalWalk(9, bias="exponential", scale=scale), ROOTS, seed=2).numpy()
    other = gnd.sample(GRAPH, TemporalWalk(9, bias="exponential", scale=100 * scale), ROOTS, seed=2).numpy()
    assert np.array_equal(ours, theirs)
    assert not np.array_equal(ours, other)


def test_extreme_times_and_scales():
    least, most = -(1 << 63), (1 << 63) - 1
    graph = gnd.Graph.from_edges([0, 1, 1, 2], [1, 2, 2, 0], times=[least, 0, most, most])
    walks = gnd.sample(graph, TemporalWalk(3), [0], repeat=100, seed=1, edges=True)
    assert {tuple(w) for w in walks.edges.tolist()} == {(0, 1, 3), (0, 2, -1)}
    for scale in (1, most):
        edges = gnd.sample(
            graph, TemporalWalk(2, bias="exponential", scale=scale), [0], repeat=4000, seed=1, edges=True
        ).edges
        late = float((edges[:, 1] == 2).mean())
        assert late == 0 if scale == 1 else abs(late - 1 / (1 + math.e)) < 0.05


def test_refused_parameters():
    for make, error, text in [
        (lambda: TemporalWalk(-1), ValueError, "length = -1"),
        (lambda: TemporalWalk(4, "up"), ValueError, 'direction = \'up\': expected "forward" or "backward"'),  # type: ignore[arg-type]
        (lambda: TemporalWalk(4, bias=3), TypeError, "bias = 3"),  # type: ignore[arg-type]
        (lambda: TemporalWalk(4, bias="weight"), ValueError, 'expected "uniform", "linear" or "exponential"'),  # type: ignore[arg-type]
        (lambda: TemporalWalk(4, strict=1), TypeError, "strict = 1"),  # type: ignore[arg-type]
        (lambda: TemporalWalk(4, scale=3), ValueError, "scale = 3"),
        (lambda: TemporalWalk(4, bias="exponential", scale=0), ValueError, "scale = 0"),
        (lambda: TemporalWalk(4, bias="exponential", scale=1.5), TypeError, "scale = 1.5"),  # type: ignore[arg-type]
        (lambda: gnd.sample(corpus.directed(), TemporalWalk(4), [0]), ValueError, "its edges have none"),
        (lambda: gnd.explain(corpus.directed(), TemporalWalk(4), [0]), ValueError, "its edges have none"),
    ]:  # fmt: skip
        with pytest.raises(error) as refusal:
            make()
        assert text in str(refusal.value)
