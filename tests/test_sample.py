"""gnd.sample: every sample follows edges, and the law: one seed, one result."""

from __future__ import annotations

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
    samples = gnd.sample(graph, app, seed=1, edges=True)
    ends: dict[tuple[int, int], set[int]] = {}
    src = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    for u, v, e in zip(src.tolist(), graph.indices.tolist(), graph.edge_ids.tolist(), strict=True):
        ends.setdefault((u, v), set()).add(e)
    whole, edges = samples.numpy(), samples.edges
    assert whole.shape[1] - 1 == edges.shape[1]
    slots = 0
    parents = _parents(app, whole.shape[1])
    for row, ids in zip(whole.tolist(), edges.tolist(), strict=True):
        for k in range(1, len(row)):
            assert (row[k] < 0) == (ids[k - 1] < 0)
            if row[k] >= 0:
                assert ids[k - 1] in ends[row[parents[k]], row[k]]
                slots += 1
    assert slots == samples.stats["edges"] > 0


def _parents(app: gnd.apps.SamplingApp, width: int) -> list[int]:
    """For each place in a sample the place that its edge comes from."""
    if not isinstance(app, gnd.apps.KHop):
        return [k - 1 for k in range(width)]
    parents, level = [-1], [0]
    for fanout in app.fanouts:
        first = len(parents)
        parents += [t for t in level for _ in range(fanout)]
        level = list(range(first, len(parents)))
    return parents


@APPS
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_nothing(graph: gnd.Graph, app: gnd.apps.SamplingApp, threads: int) -> None:
    want = gnd.sample(graph, app, seed=3, repeat=20, edges=True)
    got = gnd.sample(graph, app, seed=3, repeat=20, edges=True, threads=threads)
    assert np.array_equal(want, got)
    assert np.array_equal(want.edges, got.edges)


@APPS
def test_a_run_may_be_split_by_first_id(graph: gnd.Graph, app: gnd.apps.SamplingApp) -> None:
    roots = np.arange(100) % 37
    want = _rows(gnd.sample(graph, app, roots, seed=5))
    parts = [gnd.sample(graph, app, roots[a:b], seed=5, first_id=a) for a, b in [(0, 1), (1, 64), (64, 100)]]
    assert [row for part in parts for row in _rows(part)] == want


def test_random_roots_may_be_split_too(graph: gnd.Graph) -> None:
    app = gnd.apps.DeepWalk(3)
    want = gnd.sample(graph, app, 60, repeat=2, seed=5).numpy()
    parts = [gnd.sample(graph, app, 30, repeat=2, seed=5, first_id=first).numpy() for first in (0, 60)]
    assert np.array_equal(np.concatenate(parts), want)
    assert len(set(want[:, 0].tolist())) > 10


def _rows(samples: gnd.Samples) -> list[list[int]]:
    return [[v for v in row if v >= 0] for row in samples.numpy().tolist()]


@APPS
def test_int64_is_int32_widened(graph: gnd.Graph, app: gnd.apps.SamplingApp) -> None:
    want = gnd.sample(graph, app, repeat=3, seed=9, edges=True)
    got = gnd.sample(graph, app, repeat=3, seed=9, edges=True, dtype=np.int64)
    assert want.numpy().dtype == np.int32
    assert got.numpy().dtype == np.int64
    assert np.array_equal(want, got)
    assert np.array_equal(want.edges, got.edges)


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
    for roots in ([], 0, np.empty((0,), np.int32)):
        for app in corpus.APPS:
            samples = gnd.sample(graph, app, roots, edges=True)
            assert samples.numpy().shape == (0, app.width() or 1)
            assert samples.edges.shape[0] == samples.lengths.shape[0] == len(samples) == 0
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
    trees = gnd.NextDoor(graph, gnd.apps.KHop([2, 2]), [1, 2], seed=8)
    trees.doSampling()
    steps = trees.getFinalSamples()
    assert [step.shape for step in steps] == [(2, 2), (2, 2, 2)]
