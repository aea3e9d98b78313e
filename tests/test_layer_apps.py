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
        ({"sizes": 5}, TypeError, "sizes = 5: expected a sequence of ints, one a layer"),
        ({"sizes": [3, 0]}, ValueError, "sizes[1] = 0: expected at least 1"),
        ({"sizes": [2.5]}, TypeError, "sizes[0] = 2.5: expected an int, at least 1"),
        ({"sizes": [1 << 28]}, ValueError, "sizes = [268435456]: expected less than 2^28 vertices a sample"),
        ({"sizes": [3], "replace": 1}, TypeError, "replace = 1: expected True or False"),
        ({"sizes": [3], "normalization": "l2"}, ValueError, 'normalization = \'l2\': expected "symmetric" or "row"'),
    ],
)
def test_refusals(make, given, error, text):
    with pytest.raises(error) as refusal:
        make(**given)
    assert str(refusal.value) == text
