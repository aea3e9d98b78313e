"""Visit counts and end points computed without storing the samples equal those of stored samples."""

import numpy as np
import pytest
from corpus import APPS, directed, graph

import gonextdoor as gnd


def last(samples):
    """The last vertex of each sample, -1 if it has none."""
    rows = samples.numpy()
    return np.array([([-1] + [v for v in row if v >= 0])[-1] for row in rows.tolist()], np.int32)


def roots_of(app):
    return 30 if app.pool() is not None else np.arange(0, 200, 3)


@pytest.mark.parametrize("app", APPS, ids=repr)
def test_counts_equal_those_of_stored_samples(app):
    g = graph(weighted=True)
    options = {"roots": roots_of(app), "repeat": 2, "seed": 5, "first_id": 1 << 33, "device": "cpu"}
    samples = gnd.sample(g, app, **options)
    counts, ends = gnd.visit_counts(g, app, **options), gnd.end_points(g, app, **options, threads=2)
    assert counts.dtype == np.int64 and counts.tolist() == samples.visit_counts().tolist()
    assert ends.dtype == np.int32 and ends.tolist() == last(samples).tolist()


@pytest.mark.parametrize(
    "app", [gnd.apps.DeepWalk(6), gnd.apps.DeepWalk(0), gnd.apps.PPR(0.3), gnd.apps.Walk("degree", 5)]
)
def test_on_a_gpu_as_on_the_cpu(gpu, app):
    for g in (graph(weighted=True), directed()):
        for options in ({}, {"repeat": 30, "seed": 9, "first_id": 7}, {"roots": 50}):
            there = {**options, "seed": 3, "device": "cuda"}
            here = {**there, "device": "cpu"}
            assert gnd.visit_counts(g, app, **there).tolist() == gnd.visit_counts(g, app, **here).tolist()
            assert gnd.end_points(g, app, **there).tolist() == gnd.end_points(g, app, **here).tolist()


def test_more_samples_than_are_made_at_a_time():
    g = directed()
    app, repeat = gnd.apps.DeepWalk(1), 700_000
    counts = gnd.visit_counts(g, app, repeat=repeat, seed=2)
    samples = gnd.sample(g, app, repeat=repeat, seed=2)
    assert counts.tolist() == samples.visit_counts().tolist()
    ends = gnd.end_points(g, app, repeat=repeat, seed=2)
    rows = samples.numpy()
    assert (ends == np.where(rows[:, 1] < 0, rows[:, 0], rows[:, 1])).all()


def test_refusals_are_those_of_sample():
    g = directed()
    for call in (gnd.visit_counts, gnd.end_points):
        with pytest.raises(TypeError, match="graph: expected"):
            call(None, gnd.apps.DeepWalk(2))
        with pytest.raises(TypeError, match="app: expected"):
            call(g, "DeepWalk")
        with pytest.raises(ValueError, match="repeat = 0"):
            call(g, gnd.apps.DeepWalk(2), repeat=0)
        with pytest.raises(IndexError, match="roots"):
            call(g, gnd.apps.DeepWalk(2), [5])
        with pytest.raises(ValueError, match="device"):
            call(g, gnd.apps.DeepWalk(2), device="tpu")
        with pytest.raises(ValueError, match="threads"):
            call(g, gnd.apps.DeepWalk(2), threads=0)
        assert call(g, gnd.apps.DeepWalk(2), []).sum() == 0


def broken(ctx):
    return 0 // (ctx.step - 1)


def test_errors_of_users_functions_say_where():
    pytest.importorskip("llvmlite", reason="no llvmlite for this Python: hooks cannot be compiled")
    app = gnd.App(next=broken, steps=3)
    for call in (gnd.visit_counts, gnd.end_points):
        with pytest.raises(ZeroDivisionError, match=r"\(sample 4, step 1\)"):
            call(graph(), app, seed=1, first_id=4, device="cpu")
