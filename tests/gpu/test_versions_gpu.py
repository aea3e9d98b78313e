"""Versions of graphs on a GPU: samples equal those of the CPU, and all are made again."""

from __future__ import annotations

import pathlib

import corpus
import numpy as np
import pytest

import gonextdoor as gnd


@pytest.mark.parametrize("app", [gnd.apps.DeepWalk(6), gnd.apps.PPR(0.3), gnd.apps.KHop([3, 2])], ids=repr)
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
    assert not gnd.explain(later, app, device="cuda").kept and gnd.explain(later, app, device="cpu").kept


def test_a_stream_on_a_gpu_resumes_there(gpu: None, tmp_path: pathlib.Path) -> None:
    graph = gnd.rmat(7, seed=1)
    stream, whole = (gnd.stream(graph, gnd.apps.PPR(0.3), [3, 5, 7, 9], seed=2, device="cuda") for _ in range(2))
    stream.save(tmp_path / "stream")
    stream = gnd.Stream.open(tmp_path / "stream")
    assert stream.samples.device == "cuda:0" and np.array_equal(stream.samples, whole.samples)
    updates = [one.update([(3, 9), (130, 5)]) for one in (stream, whole)]
    assert stream.samples.device == "cuda:0" and np.array_equal(stream.samples, whole.samples)
    assert np.array_equal(updates[0].rows, updates[1].rows)
