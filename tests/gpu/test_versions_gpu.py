"""Versions of graphs on a GPU: samples equal those of the CPU, also if most of them are kept."""

from __future__ import annotations

import importlib
import logging
import pathlib

import corpus
import daily
import numpy as np
import pytest
from graphchange import Change

import gonextdoor as gnd

KEPT = [gnd.apps.DeepWalk(6), gnd.apps.Node2Vec(2.0, 0.3, 5), gnd.apps.Restart(5, 0.2), gnd.apps.KHop([3, 2])]


@pytest.mark.parametrize("app", [*KEPT, gnd.apps.PPR(0.3)], ids=repr)
def test_samples_of_a_version_on_a_gpu(app: gnd.apps.SamplingApp, gpu: None) -> None:
    """The graph before is in GPU memory, and so is its version after the update."""
    graph = corpus.graph(300, 900, weighted=True)
    samples = gnd.sample(graph, app, repeat=2, seed=3, device="cuda")
    src, dst = np.arange(280, 310), np.arange(30)
    later = graph.updated(
        (src, dst), remove=graph.edge_ids[:3:2], weights=np.ones(30), labels=np.zeros(30, int), times=dst
    )
    got, want = samples.updated(later), gnd.sample(later, app, repeat=2, seed=3, device="cpu")
    assert got.device == "cuda:0" and want.device == "cpu"
    assert np.array_equal(got.values, want.values) and np.array_equal(got.offsets, want.offsets)
    assert gnd.explain(later, app, device="cuda").kept == (app in KEPT)
    assert gnd.explain(later, app, device="cpu").kept


@pytest.mark.parametrize("sequence", daily.share(range(60), 6, "versions on a GPU"))
def test_samples_that_are_kept_on_a_gpu(
    sequence: int, gpu: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Samples of each version of a sequence equal new ones. All that did not read a changed row are kept."""
    draws = np.random.default_rng(sequence)
    monkeypatch.setattr(importlib.import_module("gonextdoor.sampling.updated"), "FASTER", np.inf)
    caplog.set_level(logging.DEBUG, "gonextdoor")
    graph = corpus.graph(400, 900, weighted=True)
    app = KEPT[sequence % len(KEPT)]
    roots = (None, 300, np.arange(0, 400, 3))[draws.integers(3)]
    edges, dtype = bool(draws.integers(2)), (None, np.int64)[draws.integers(2)]
    samples = gnd.sample(graph, app, roots, repeat=2, seed=3, first_id=5, edges=edges, dtype=dtype, device="cuda")
    for _ in range(3):
        later = graph.updated(**Change.of(graph, draws).arguments)
        got = samples.updated(later)
        want = gnd.sample(later, app, roots, repeat=2, seed=3, first_id=5, edges=edges, dtype=dtype, device="cpu")
        assert got.device == "cuda:0" and got.values.dtype == want.values.dtype
        for name in ("values", "roots", "lengths", *(["edge_values"] if edges else [])):
            assert np.array_equal(getattr(got, name), getattr(want, name)), name
        assert np.array_equal(got.visit_counts(), want.visit_counts())
        if draws.random() < 0.5:
            samples = got
        graph = later
    made = [record.getMessage() for record in caplog.records if "samples made again" in record.getMessage()]
    assert len(made) == 3 and not any(": all " in text for text in made)


def test_a_stream_on_a_gpu_resumes_there(gpu: None, tmp_path: pathlib.Path) -> None:
    graph = gnd.rmat(7, seed=1)
    stream, whole = (gnd.stream(graph, gnd.apps.PPR(0.3), [3, 5, 7, 9], seed=2, device="cuda") for _ in range(2))
    stream.save(tmp_path / "stream")
    stream = gnd.Stream.open(tmp_path / "stream")
    assert stream.samples.device == "cuda:0" and np.array_equal(stream.samples, whole.samples)
    updates = [one.update([(3, 9), (130, 5)]) for one in (stream, whole)]
    assert stream.samples.device == "cuda:0" and np.array_equal(stream.samples, whole.samples)
    assert np.array_equal(updates[0].rows, updates[1].rows)
