"""gnd.sample: every sample follows edges and is reproducible: one seed, one result."""

from __future__ import annotations

import dataclasses

import corpus
import numpy as np
import pytest

import gonextdoor as gnd

APPS = pytest.mark.parametrize("app", corpus.APPS, ids=corpus.names)


@pytest.fixture(scope="module", params=[False, True], ids=["unweighted", "weighted"])
def graph(request: pytest.FixtureRequest) -> gnd.Graph:
    return corpus.graph(weighted=request.param)


@APPS
def test_every_vertex_was_reached_by_its_edge(graph: gnd.Graph, app: gnd.apps.SamplingApp) -> None:
    samples = gnd.sample(graph, app, corpus.many(app), seed=1, edges=True)
    ends = _ends(graph)
    whole, edges, begin = samples.numpy(), samples.edges, samples.roots.shape[1]
    assert whole.shape[1] - begin == edges.shape[1]
    slots = 0
    for row, ids, parents in zip(whole.tolist(), edges.tolist(), _parents(samples), strict=True):
        for k in range(begin, len(row)):
            if type(app).__name__ not in corpus.WITHOUT_EDGES:
                assert (row[k] < 0) == (ids[k - begin] < 0)
            slots += row[k] >= 0
            if ids[k - begin] >= 0:
                assert row[k] >= 0
                assert parents[k] < 0 or ids[k - begin] in ends[row[parents[k]], row[k]]
    assert slots == samples.stats["edges"] > 0


def _ends(graph: gnd.Graph) -> dict[tuple[int, int], set[int]]:
    """The edges' ids by their ends."""
    ends: dict[tuple[int, int], set[int]] = {}
    src = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    for u, v, e in zip(src.tolist(), graph.indices.tolist(), graph.edge_ids.tolist(), strict=True):
        ends.setdefault((u, v), set()).add(e)
    return ends


def _parents(samples: gnd.Samples) -> list[list[int]]:
    """For each place in each sample the place that its edge comes from, -1 if the app does not say."""
    width = samples.numpy().shape[1]
    if samples.layered:
        parts = np.split(samples.parents, samples.offsets[1:-1])
        return [part.tolist() + [-1] * (width - len(part)) for part in parts]
    roots = samples.roots.shape[1]
    if not roots:
        return [[-1] * width] * len(samples)
    parents, level, first = [-1] * roots, roots, 0
    for step in samples.steps:
        size = int(np.prod(step.shape[1:]))
        if size % level:
            return [[-1] * width] * len(samples)  # a pool: the edge comes from any of its vertices
        parents += [first + k // (size // level) for k in range(size)]
        first, level = len(parents) - size, size
    return [parents] * len(samples)


@APPS
def test_recorded_edges_are_edges(graph: gnd.Graph, app: gnd.apps.SamplingApp) -> None:
    samples = gnd.sample(graph, app, corpus.many(app), seed=1)
    if not samples.records:
        with pytest.raises(ValueError, match="records no edges"):
            samples.adjacency(0)
        with pytest.raises(ValueError, match="records no edges"):
            samples.subgraph(0)
        return
    ends = _ends(graph)
    for i in range(len(samples)):
        part = samples.subgraph(i)
        nodes = part.nodes.tolist()
        for u, v, e in zip(part.src.tolist(), part.dst.tolist(), part.edge_ids.tolist(), strict=True):
            assert e in ends[nodes[u], nodes[v]] if e >= 0 else nodes[u] == nodes[v]


@APPS
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_nothing(graph: gnd.Graph, app: gnd.apps.SamplingApp, threads: int) -> None:
    roots = corpus.many(app)
    want = gnd.sample(graph, app, roots, seed=3, repeat=20, edges=True)
    got = gnd.sample(graph, app, roots, seed=3, repeat=20, edges=True, threads=threads)
    assert_same(got, want)


@APPS
def test_a_run_may_be_split_by_first_id(graph: gnd.Graph, app: gnd.apps.SamplingApp) -> None:
    want = _rows(gnd.sample(graph, app, corpus.roots(app, 0, 100), seed=5))
    cuts = [(0, 1), (1, 64), (64, 100)]
    parts = [gnd.sample(graph, app, corpus.roots(app, a, b), seed=5, first_id=a) for a, b in cuts]
    assert [row for part in parts for row in _rows(part)] == want


@APPS
def test_random_roots_may_be_split_too(graph: gnd.Graph, app: gnd.apps.SamplingApp) -> None:
    want = gnd.sample(graph, app, 60, repeat=2, seed=5)
    parts = [gnd.sample(graph, app, 30, repeat=2, seed=5, first_id=first) for first in (0, 60)]
    assert [row for part in parts for row in _rows(part)] == _rows(want)
    assert np.array_equal(np.concatenate([part.roots for part in parts]), want.roots)
    if app.pool() != 0:
        assert len(np.unique(want.roots)) > 10


def assert_same(got: gnd.Samples, want: gnd.Samples) -> None:
    """The same samples, to the last recorded edge."""
    assert np.array_equal(want, got)
    assert np.array_equal(want.edges, got.edges)
    assert want.layered == got.layered
    if want.layered:
        assert np.array_equal(want.parents, got.parents)
        assert all(map(np.array_equal, want.steps, got.steps))
    if want.records:
        for i in range(len(want)):
            ours, theirs = dataclasses.astuple(got.subgraph(i)), dataclasses.astuple(want.subgraph(i))
            assert all(map(np.array_equal, ours, theirs))


def _rows(samples: gnd.Samples) -> list[list[int]]:
    return [[v for v in row if v >= 0] for row in samples.numpy().tolist()]


@APPS
def test_int64_is_int32_widened(graph: gnd.Graph, app: gnd.apps.SamplingApp) -> None:
    roots = corpus.many(app)
    want = gnd.sample(graph, app, roots, repeat=3, seed=9, edges=True)
    got = gnd.sample(graph, app, roots, repeat=3, seed=9, edges=True, dtype=np.int64)
    for samples, dtype in ((want, np.int32), (got, np.int64)):
        assert {x.dtype for x in (samples.numpy(), samples.values, samples.roots, *samples.steps)} == {np.dtype(dtype)}
    assert_same(got, want)


def test_int64_of_more_rows_than_a_piece_holds(graph: gnd.Graph) -> None:
    app = gnd.apps.DeepWalk(400)
    roots = np.arange(300) % 97
    want = gnd.sample(graph, app, roots, repeat=100, seed=2, first_id=11)
    assert np.array_equal(want, gnd.sample(graph, app, roots, repeat=100, seed=2, first_id=11, dtype="int64"))


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", ">u8"])
def test_roots_of_any_integers(graph: gnd.Graph, dtype: str) -> None:
    roots = np.array([5, 100, 7], dtype)
    assert np.array_equal(gnd.sample(graph, gnd.apps.DeepWalk(2), roots, seed=1).numpy()[:, 0], [5, 100, 7])


def test_roots_that_are_not_contiguous(graph: gnd.Graph) -> None:
    roots = np.arange(60).reshape(20, 3)[::2, 1]
    assert np.array_equal(gnd.sample(graph, gnd.apps.DeepWalk(2), roots, seed=1).numpy()[:, 0], roots)


def test_rows_of_roots_and_repeats(graph: gnd.Graph) -> None:
    walks = gnd.sample(graph, gnd.apps.DeepWalk(2), [4, 8], repeat=3, seed=1)
    assert walks.numpy()[:, 0].tolist() == [4, 4, 4, 8, 8, 8]
    assert len(gnd.sample(graph, gnd.apps.DeepWalk(2), seed=1)) == graph.num_vertices


def test_flags_of_numpy_are_flags(graph: gnd.Graph) -> None:
    assert gnd.sample(graph, gnd.apps.DeepWalk(2), edges=np.True_).has_edges  # type: ignore[arg-type]
    assert gnd.rmat(4, symmetric=np.False_).num_edges < gnd.rmat(4).num_edges  # type: ignore[arg-type]


def test_no_roots_and_no_steps(graph: gnd.Graph) -> None:
    for app in corpus.APPS:
        for roots in [0] if app.pool() == 0 else [[], 0, np.empty((0,), np.int32)]:
            samples = gnd.sample(graph, app, roots, edges=True)
            begin = samples.roots.shape[1]
            assert samples.numpy().shape == (0, app.width(begin) or begin)
            assert samples.edges.shape[0] == samples.lengths.shape[0] == len(samples) == 0
            assert samples.stats["edges"] == samples.visit_counts().sum() == samples.values.size == 0
    assert gnd.sample(graph, gnd.apps.DeepWalk(0), [3], edges=True).edges.shape == (1, 0)
    assert gnd.sample(graph, gnd.apps.KHop([]), [3]).numpy().tolist() == [[3]]
    empty = gnd.Graph.from_edges([], [])
    assert gnd.sample(empty, gnd.apps.DeepWalk(4)).numpy().shape == (0, 5)


def test_several_roots_a_sample(graph: gnd.Graph) -> None:
    trees = gnd.sample(graph, gnd.apps.KHop([2, 3]), [[1, 2], [3, 4]], seed=1)
    assert trees.numpy().shape == (2, 2 * (1 + 2 + 6))
    assert trees.numpy()[:, :2].tolist() == [[1, 2], [3, 4]]
    assert [step.shape for step in trees.steps] == [(2, 2, 2), (2, 2, 2, 3)]


def test_walks_end_at_sinks() -> None:
    walks = gnd.sample(corpus.directed(), gnd.apps.DeepWalk(50), seed=4)
    whole = walks.numpy()
    assert whole[3].tolist() == [3] + [-1] * 50
    for row, length in zip(whole.tolist(), walks.lengths.tolist(), strict=True):
        assert row[length:] == [-1] * (51 - length)
        assert min(row[:length]) >= 0


def test_seeds() -> None:
    graph, app = corpus.graph(), gnd.apps.DeepWalk(5)
    fresh = gnd.sample(graph, app)
    assert np.array_equal(fresh, gnd.sample(graph, app, seed=fresh.seed))
    assert fresh.seed != gnd.sample(graph, app).seed
    top = gnd.sample(graph, app, seed=2**64 - 1)
    assert top.seed == 2**64 - 1
    assert np.array_equal(top, gnd.sample(graph, app, seed=np.uint64(2**64 - 1)))
    a, b = np.random.default_rng(1), np.random.default_rng(1)
    assert gnd.sample(graph, app, seed=a).seed == int(b.integers(0, 1 << 64, dtype=np.uint64))
    assert gnd.sample(graph, app, seed=a).seed == int(b.integers(0, 1 << 64, dtype=np.uint64))


def test_ids_up_to_the_last(graph: gnd.Graph) -> None:
    app = gnd.apps.DeepWalk(3)
    last = gnd.sample(graph, app, [1], seed=1, first_id=2**64 - 2)
    assert np.array_equal(last, gnd.sample(graph, app, [0, 1], seed=1, first_id=2**64 - 3).numpy()[1:])


def test_the_chance_of_an_edge_is_its_weight() -> None:
    """10,000 draws from weights 1, 2, 5, 0: a count is off by 6 standard deviations once in 10^9 runs."""
    graph = gnd.Graph.from_edges([0] * 4, [1, 2, 3, 4], weights=[1.0, 2.0, 5.0, 0.0])
    n = 10_000
    counts = gnd.sample(graph, gnd.apps.DeepWalk(1), [0], repeat=n, seed=3).visit_counts()[1:] / n
    for share, chance in zip(counts, [1 / 8, 2 / 8, 5 / 8, 0], strict=True):
        assert abs(share - chance) <= 6 * (chance * (1 - chance) / n) ** 0.5


def test_nextdoor_takes_a_stream_of_seeds(graph: gnd.Graph) -> None:
    sampler = gnd.NextDoor(graph, gnd.apps.DeepWalk(4), [1, 2, 3], seed=8)
    with pytest.raises(RuntimeError, match="doSampling"):
        sampler.getFinalSamples()
    seen = []
    for call in range(3):
        sampler.doSampling()
        samples = sampler.getFinalSamples()
        seed = gnd.rng.word(gnd.rng.key(gnd.rng.stream(8, gnd.rng.SEEDS), 0), call)
        assert np.array_equal(samples, gnd.sample(graph, gnd.apps.DeepWalk(4), [1, 2, 3], seed=seed))
        seen.append(np.asarray(samples).tolist())
    assert seen[0] != seen[1] != seen[2]


@APPS
def test_both_of_nextdoor_s_formats(graph: gnd.Graph, app: gnd.apps.SamplingApp) -> None:
    sampler = gnd.NextDoor(graph, app, corpus.roots(app, 0, 9), seed=8)
    sampler.doSampling()
    whole, steps = sampler.getFinalSamples(per_step=False), sampler.getFinalSamples(per_step=True)
    assert isinstance(whole, np.ndarray)
    assert np.array_equal(whole, sampler.samples)
    assert isinstance(steps, list)
    assert all(map(np.array_equal, steps, sampler.samples.steps))
    its_own = sampler.getFinalSamples()
    assert isinstance(its_own, list) == app.per_step()
    assert all(map(np.array_equal, its_own, steps if app.per_step() else whole))
    with pytest.raises(TypeError, match="per_step = 'steps': expected True or False"):
        sampler.getFinalSamples(per_step="steps")  # type: ignore[arg-type]


def test_trees_come_by_steps_and_walks_whole() -> None:
    assert gnd.apps.KHop([2, 2]).per_step()
    assert not gnd.apps.DeepWalk(2).per_step()
    assert not gnd.apps.PPR(0.5).per_step()


def test_nextdoor_draws_roots_anew() -> None:
    sampler = gnd.NextDoor(corpus.graph(), gnd.apps.DeepWalk(1), 50, seed=8)
    seen = []
    for _ in range(2):
        sampler.doSampling()
        seen.append(sampler.samples.roots.tolist())
    assert seen[0] != seen[1]
