"""Layer-wise apps: their matrices estimate what they should, and odd batches are defined."""

import corpus
import numpy as np
import pytest

import gonextdoor as gnd


def normalised(graph: gnd.Graph, kind: str) -> np.ndarray:
    """The adjacency with loops, normalised, as a dense matrix."""
    matrix = np.eye(graph.num_vertices)
    np.add.at(matrix, (np.repeat(np.arange(graph.num_vertices), graph.degrees()), np.asarray(graph.indices)), 1)
    sums = matrix.sum(1)
    return matrix / np.sqrt(np.outer(sums, sums)) if kind == "symmetric" else matrix / sums[:, None]


BATCH = [[0, 5, 9, 5]]
NORMALIZATIONS = pytest.mark.parametrize("normalization", ["symmetric", "row"])


@NORMALIZATIONS
@pytest.mark.parametrize("make", [gnd.apps.FastGCN, gnd.apps.LADIES])
def test_values_are_the_entries_over_size_times_probability(make, normalization):
    graph = corpus.graph(60, 300)
    options = {} if make is gnd.apps.FastGCN else {"normalize": False}
    app = make([40, 30], replace=True, normalization=normalization, **options)
    samples = gnd.sample(graph, app, BATCH, seed=3)
    exact = normalised(graph, normalization)
    last = np.array(BATCH[0])
    for step, size in enumerate(app.sizes):
        rows = np.arange(60) if make is gnd.apps.FastGCN else last
        p = (exact[rows] ** 2).sum(0)
        p /= p.sum()
        chosen = samples.steps[step][0]
        want = exact[np.ix_(last, chosen)] / (size * p[chosen])
        assert np.allclose(samples.adjacency(step).scipy().toarray(), want, rtol=1e-6)
        last = chosen


@NORMALIZATIONS
def test_the_estimate_is_unbiased(normalization):
    graph = corpus.graph(60, 300)
    features = np.random.default_rng(5).random(60)
    for app in (gnd.apps.FastGCN([50], normalization=normalization),
                gnd.apps.LADIES([50], replace=True, normalize=False, normalization=normalization)):  # fmt: skip
        samples = gnd.sample(graph, app, BATCH, repeat=4000, seed=1)
        between = samples.adjacency(0)
        part = np.zeros((4000, 4))
        sample = np.repeat(np.arange(4000), np.diff(between.offsets))
        np.add.at(part, (sample, between.rows), between.values * features[samples.steps[0][sample, between.columns]])
        want = (normalised(graph, normalization) @ features)[BATCH[0]]
        assert np.all(abs(part.mean(0) - want) < 5 * part.std(0) / np.sqrt(4000))


def test_ladies_normalises_rows():
    samples = gnd.sample(corpus.graph(), gnd.apps.LADIES([20, 20]), np.arange(60).reshape(6, 10), seed=2)
    for step in range(2):
        between = samples.adjacency(step)
        for i in range(6):
            sums = between.scipy(i).sum(1)
            assert np.all(np.isclose(sums, 1) | (sums == 0))
            assert len(set(samples.steps[step][i])) == 20  # without replacement


def test_ladies_from_a_batch_without_neighbours_is_that_batch():
    samples = gnd.sample(corpus.directed(), gnd.apps.LADIES([3, 2]), [[4, 3], [3, 3]], seed=1)
    assert samples.numpy().tolist() == [[4, 3, 4, 3, 4, 3], [3, 3, 3, 3, -1, -1]]
    assert samples.adjacency(0).scipy(0).toarray().tolist() == [[1, 0], [0, 1]]
    assert samples.adjacency(0).edge_ids.tolist() == [-1] * 4


def test_links_have_the_edges_ids():
    graph = corpus.graph()
    samples = gnd.sample(graph, gnd.apps.LADIES([30]), BATCH, seed=4)
    between = samples.adjacency(0)
    sources, targets = np.array(BATCH[0])[between.rows], samples.steps[0][0][between.columns]
    row = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    for v, u, edge in zip(sources, targets, between.edge_ids, strict=True):
        if edge == -1:
            assert v == u
        else:
            assert (v, u) in set(zip(row[graph.edge_ids == edge], graph.indices[graph.edge_ids == edge], strict=True))


def test_every_sample_takes_new_layers():
    samples = gnd.sample(corpus.graph(), gnd.apps.FastGCN([30]), BATCH, repeat=5, seed=1)
    assert len({tuple(layer) for layer in samples.steps[0]}) == 5


@pytest.mark.parametrize("make", [gnd.apps.FastGCN, gnd.apps.LADIES])
@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"sizes": 5}, TypeError, "sizes = 5: expected a sequence of ints, one per layer, such as [5]"),
        ({"sizes": [3, 0]}, ValueError, "sizes[1] = 0: expected at least 1"),
        ({"sizes": [2.5]}, TypeError, "sizes[0] = 2.5: expected an int, at least 1"),
        ({"sizes": [1 << 28]}, ValueError, "sizes = [268435456]: expected fewer than 2^28 vertices per sample"),
        ({"sizes": [3], "replace": 1}, TypeError, "replace = 1: expected True or False"),
        ({"sizes": [3], "normalization": "l2"}, ValueError, 'normalization = \'l2\': expected "symmetric" or "row"'),
    ],
)
def test_refusals(make, given, error, text):
    with pytest.raises(error) as refusal:
        make(**given)
    assert str(refusal.value) == text


def test_layer_stops_at_its_size():
    graph = corpus.graph()
    samples = gnd.sample(graph, gnd.apps.Layer(20, 50), np.arange(40).reshape(8, 5), seed=1, edges=True)
    assert [step.shape for step in samples.steps] == [(8, 20), (8, 20), (8, 10)]
    for step in samples.steps:
        assert all(len(set(row)) == len(row) for row in step.tolist())
    places = np.concatenate([np.full((8, 5), -1), samples.parents.reshape(8, 55)[:, 5:]], axis=1)
    row = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    edges = set(zip(graph.edge_ids.tolist(), row.tolist(), graph.indices.tolist(), strict=True))
    whole = samples.numpy()
    for i in range(8):
        for k in range(5, 55):
            assert (samples.edges[i, k - 5], whole[i, places[i, k]], whole[i, k]) in edges


def test_layer_takes_all_where_there_are_few():
    samples = gnd.sample(corpus.directed(), gnd.apps.Layer(10, 100), [[0, 1], [3, 4]], seed=1)
    assert samples.steps[0].tolist() == [[1, 2], [-1, -1]]  # 1 -> 2 leads where 0 -> 2 did
    assert samples.lengths[1] == 2
    every = gnd.sample(corpus.directed(), gnd.apps.Layer(10, 3, unique=False), [[0, 1]], seed=1)
    assert every.steps[0].tolist() == [[1, 2, 2]]


def test_layer_compares_weights_of_different_rows():
    # Row 0 has weights about 1, row 1 about 2^-30: one edge of a thousand million comes from row 1.
    graph = gnd.Graph.from_edges([0, 0, 1, 1], [2, 3, 4, 5], weights=[1.0, 3.0, 2.0**-30, 2.0**-30])
    samples = gnd.sample(graph, gnd.apps.Layer(1, 1, bias="weight"), [[0, 1]], repeat=4000, seed=1)
    counts = samples.visit_counts()
    assert counts[4] + counts[5] == 0
    assert abs(counts[3] - 3000) < 150


def test_mvs_draws_by_scores():
    graph = corpus.graph()
    scores = np.zeros(200)
    scores[[3, 50, 60, 190]] = [1, 2, 4, 0.5]
    samples = gnd.sample(graph, gnd.apps.MVS(2, [-1], scores), 3000, seed=1)
    batch = samples.steps[0]
    assert batch.shape == (3000, 2)
    assert np.all(batch[:, 0] != batch[:, 1])
    first = np.bincount(batch[:, 0], minlength=200)
    assert set(np.flatnonzero(first)) == {3, 50, 60, 190}
    assert np.allclose(first[[3, 50, 60, 190]] / 3000, scores[[3, 50, 60, 190]] / 7.5, atol=0.04)
    one = samples.numpy()[0]
    want = [*batch[0], *graph.neighbors(int(batch[0, 0])), *graph.neighbors(int(batch[0, 1]))]
    assert one[: samples.lengths[0]].tolist() == want


def test_mvs_takes_every_scored_vertex_where_there_are_few():
    scores = [0, 2, 0, 1, 0]
    samples = gnd.sample(corpus.directed(), gnd.apps.MVS(4, [], scores), 3, seed=1)
    assert {tuple(sorted(row)) for row in samples.steps[0].tolist()} == {(1, 3)}


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: gnd.apps.Layer(0, 5), ValueError, "step_size = 0: expected from 1 to 268435455"),
        (lambda: gnd.apps.Layer(5, "8"), TypeError, "max_size = '8': expected an int, from 1 to 268435455"),
        (lambda: gnd.apps.Layer(unique=2), TypeError, "unique = 2: expected True or False"),
        (lambda: gnd.apps.Layer(bias="size"), ValueError,
         "bias = 'size': expected \"uniform\", \"weight\" or \"degree\""),
        (lambda: gnd.apps.MVS(0, [1]), ValueError, "batch = 0: expected from 1 to 268435456"),
        (lambda: gnd.apps.MVS(3, [0]), ValueError, "fanouts[0] = 0: expected at least 1, or -1 for all"),
        (lambda: gnd.apps.MVS(3, [1], [1.0, -2.0]), ValueError,
         "scores[1] = -2.0: expected a finite number of at least 0"),
        (lambda: gnd.apps.MVS(3, [1], [1.0, float("nan")]), ValueError,
         "scores[1] = nan: expected a finite number of at least 0"),
        (lambda: gnd.apps.MVS(3, [1], [0.0]), ValueError, "scores: expected at least one positive score"),
        (lambda: gnd.apps.MVS(3, [1], [[1.0]]), ValueError, "scores: expected shape (num_vertices,), got (1, 1)"),
        (lambda: gnd.apps.MVS(3, [1], "x"), TypeError, "scores: expected an array of numbers, got str"),
        (lambda: gnd.sample(corpus.graph(), gnd.apps.MVS(3, [1], [1.0, 2.0]), 1), ValueError,
         "scores has 2 elements, but the graph has 200 vertices: expected one per vertex"),
        (lambda: gnd.sample(corpus.graph(), gnd.apps.Layer(bias="weight"), [[1]]), ValueError,
         'bias = "weight": the graph has no weights'),
    ],
)  # fmt: skip
def test_refusals_of_layer_and_mvs(make, error, text):
    with pytest.raises(error) as refusal:
        make()
    assert str(refusal.value) == text
