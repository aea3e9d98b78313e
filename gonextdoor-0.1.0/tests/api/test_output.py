"""Samples: shapes, views, counts, and how they show themselves."""

from __future__ import annotations

import pickle

import corpus
import numpy as np
import pytest

import gonextdoor as gnd

APPS = pytest.mark.parametrize("app", corpus.APPS, ids=corpus.names)


def take(app: gnd.apps.SamplingApp, **options: object) -> gnd.Samples:
    return gnd.sample(corpus.graph(), app, corpus.many(app), repeat=3, seed=1, **options)  # type: ignore[arg-type]


@APPS
def test_lengths_counts_and_stats(app: gnd.apps.SamplingApp) -> None:
    samples = take(app)
    whole = samples.numpy()
    assert np.array_equal(samples.lengths, (whole >= 0).sum(axis=1))
    counts = np.bincount(whole[whole >= 0], minlength=samples.graph.num_vertices)
    assert np.array_equal(samples.visit_counts(), counts)
    stats = samples.stats
    assert stats["edges"] == (whole >= 0).sum() - samples.roots.size
    assert stats["seconds"] > 0
    assert stats["edges_per_second"] == stats["edges"] / stats["seconds"]
    assert stats["steps"] == len(samples.steps)


@APPS
def test_steps_are_views_of_the_whole(app: gnd.apps.SamplingApp) -> None:
    samples = take(app)
    whole = samples.numpy()
    flat = np.concatenate([step.reshape(len(samples), -1) for step in samples.steps], axis=1)
    behind = whole[:, samples.roots.shape[1] :]
    if samples.layered:  # a step is filled up if it has fewer vertices than in another sample
        assert np.array_equal(flat[flat >= 0], behind[behind >= 0])
        return
    assert np.array_equal(flat, behind)
    assert all(np.shares_memory(step, whole) for step in samples.steps)


def test_shapes_of_steps() -> None:
    assert [step.shape for step in take(gnd.apps.DeepWalk(2)).steps] == [(600,), (600,)]
    assert [step.shape for step in take(gnd.apps.KHop([3, 2])).steps] == [(600, 3), (600, 3, 2)]


def test_ragged_samples() -> None:
    samples = take(gnd.apps.PPR(0.3), edges=True)
    whole, edges = samples.numpy(), samples.edges
    assert whole.shape == (600, samples.lengths.max())
    assert edges.shape == (600, samples.lengths.max() - 1)
    assert whole is samples.numpy()
    for i in range(len(samples)):
        row = samples.values[samples.offsets[i] : samples.offsets[i + 1]]
        assert np.array_equal(whole[i, : len(row)], row)
        assert (whole[i, len(row) :] == -1).all()
        assert (edges[i, : len(row) - 1] >= 0).all()
        assert (edges[i, len(row) - 1 :] == -1).all()


def test_offsets_of_samples_of_one_width() -> None:
    samples = take(gnd.apps.DeepWalk(4))
    assert np.array_equal(samples.offsets, np.arange(601) * 5)
    assert np.array_equal(samples.values.reshape(600, 5), samples)


def test_ppr_of_limited_length() -> None:
    samples = take(gnd.apps.PPR(0.01, max_length=4))
    assert samples.lengths.max() == 5


@APPS
def test_values_lie_between_offsets(app: gnd.apps.SamplingApp) -> None:
    samples = take(app, edges=True)
    roots = samples.roots.shape[1]
    for i, row in enumerate(samples.numpy().tolist()):
        part = slice(samples.offsets[i], samples.offsets[i + 1])
        values, edges = samples.values[part].tolist(), samples.edge_values[part].tolist()
        assert values == row[: len(values)]
        assert not any(v >= 0 for v in row[len(values) :])
        assert values[:roots] == samples.roots[i].tolist()
        assert edges == [-1] * roots + samples.edges[i].tolist()[: len(edges) - roots]


@APPS
def test_pickles(app: gnd.apps.SamplingApp) -> None:
    samples = take(app, edges=True)
    again = pickle.loads(pickle.dumps(samples))
    assert np.array_equal(again, samples)
    assert np.array_equal(again.edges, samples.edges)
    assert (again.app, again.seed, again.layered, again.records) == (app, 1, samples.layered, samples.records)
    assert again.selector == samples.selector
    assert np.array_equal(again.graph.indices, samples.graph.indices)


def test_the_array_protocol() -> None:
    samples = take(gnd.apps.DeepWalk(4))
    assert np.asarray(samples) is samples.numpy()
    assert np.array(samples) is not samples.numpy()
    wide = np.asarray(samples, dtype=np.int64)
    assert wide.dtype == np.int64
    assert np.array_equal(wide, samples)
    assert samples.__array__(copy=True) is not samples.numpy()
    with pytest.raises(ValueError, match="copy"):
        samples.__array__(np.float64, copy=False)


def test_dlpack() -> None:
    samples = gnd.sample(corpus.graph(), gnd.apps.DeepWalk(4), seed=1, device="cpu")  # numpy takes what the host has
    assert np.shares_memory(np.from_dlpack(samples), samples.numpy())


def test_edges_must_be_asked_for() -> None:
    samples = take(gnd.apps.DeepWalk(4))
    assert not samples.has_edges
    with pytest.raises(ValueError, match="edges=True"):
        _ = samples.edges


def test_selectors() -> None:
    weighted, plain = corpus.graph(weighted=True), corpus.graph()
    one = [0]
    for app, graph, want in [
        (gnd.apps.DeepWalk(1), plain, "Uniform"),
        (gnd.apps.DeepWalk(1), weighted, "Alias"),
        (gnd.apps.DeepWalk(1, weighted=False), weighted, "Uniform"),
        (gnd.apps.Node2Vec(1, 1, 1), plain, "Reject(Uniform)"),
        (gnd.apps.KHop([1]), weighted, "Permute"),
        (gnd.apps.KHop([1], weighted="auto"), weighted, "Successive"),
        (gnd.apps.KHop([1], replace=True), weighted, "Uniform"),
    ]:
        assert gnd.sample(graph, app, one).selector == want


@APPS
def test_how_samples_show_themselves(app: gnd.apps.SamplingApp) -> None:
    samples = take(app)
    assert repr(app) in repr(samples)
    assert "seed=1" in repr(samples)
    assert "<table>" in samples._repr_html_()
    assert samples.device in ("cpu", "cuda:0")
    assert samples.app is app
    if "array of" not in repr(app):
        assert eval(repr(app), vars(gnd.apps)) == app


def test_large_results_are_lent_and_given_back() -> None:
    from gonextdoor._core import native

    before = native.call("Living", 2)
    samples = gnd.sample(corpus.graph(), gnd.apps.DeepWalk(100), repeat=100, seed=1)
    row = samples.numpy()[5]
    kept = row.copy()
    del samples
    assert native.call("Living", 2) == before + 1
    gnd.sample(corpus.graph(), gnd.apps.DeepWalk(100), repeat=100, seed=2)
    assert np.array_equal(row, kept)
    del row
    assert native.call("Living", 2) == before
