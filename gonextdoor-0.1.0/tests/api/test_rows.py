"""Single samples and selections of them: samples[i], iteration, containment."""

from __future__ import annotations

from typing import Any

import corpus
import numpy as np
import pytest
from gonextdoor.samples import export

import gonextdoor as gnd

APPS = pytest.mark.parametrize("app", corpus.APPS, ids=corpus.names)


def take(app: gnd.apps.SamplingApp, **options: Any) -> gnd.Samples:
    return gnd.sample(corpus.graph(200, 600, symmetric=False), app, corpus.many(app), seed=1, **options)


def walks(**options: Any) -> gnd.Samples:
    return gnd.sample(corpus.graph(), gnd.apps.DeepWalk(5), seed=1, **options)


@APPS
def test_one_sample_and_iteration(app: gnd.apps.SamplingApp, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = take(app, repeat=2)
    want = [[v for v in row if v >= 0] for row in samples.numpy().tolist()]
    assert [row.tolist() for row in samples] == want
    monkeypatch.setattr(export, "CHUNK", 50)
    assert [row.tolist() for row in samples] == want
    assert [samples[i].tolist() for i in range(len(samples))] == want
    assert [samples[np.int64(i)].tolist() for i in range(-len(samples), 0)] == want
    assert samples[0].dtype == samples.numpy().dtype
    assert len(want) == len(samples) == len(list(samples))


@APPS
def test_several_samples(app: gnd.apps.SamplingApp) -> None:
    mask = np.arange(len(take(app))) % 3 == 1
    keys = [slice(1, 4), slice(None, None, -2), slice(0, 0), [2, 0, -1, 2], np.array([1], np.uint8), [], mask]
    for key in [*keys, mask.tolist()]:
        samples = take(app)  # its own, since padding once is remembered
        got = samples[key]
        want = samples.numpy()[np.array(key, np.int64) if isinstance(key, list) and not key else key]
        assert got.dtype == want.dtype
        assert np.array_equal(got, want), key


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("app", [gnd.apps.DeepWalk(7), gnd.apps.PPR(0.3)], ids=["one width", "ragged"])
def test_on_a_gpu(app: gnd.apps.SamplingApp) -> None:
    there = gnd.sample(corpus.graph(), app, seed=4, device="cuda")
    here = gnd.sample(corpus.graph(), app, seed=4, device="cpu")
    assert there.device == "cuda:0"
    assert all(map(np.array_equal, there, here))
    assert np.array_equal(there[3], here[3])
    assert np.array_equal(there[5:9], here[5:9])
    assert np.array_equal(there.names(), here.names())


def test_containment() -> None:
    samples = walks()
    assert samples[7] in samples
    assert samples[7].tolist() in samples
    assert samples[7][:-1] not in samples
    for wrong in (7, samples[1:3], "walk", None, [0.5]):
        with pytest.raises(TypeError, match="the vertices of one sample"):
            _ = wrong in samples


@pytest.mark.parametrize(
    ("key", "kind", "text"),
    [
        (200, IndexError, "sample = 200 is out of range: there are 200"),
        (-201, IndexError, "sample = -201"),
        ([0, 200], IndexError, "row 200 is out of range"),
        ([-201], IndexError, "row -201 is out of range"),
        (np.array([2**63], np.uint64), IndexError, "out of range"),
        (np.ones(3, bool), IndexError, "the mask has 3 elements, but there are 200 samples"),
        ([[0, 1]], IndexError, r"1-D array of rows, got shape \(1, 2\)"),
        ((0, 1), TypeError, "index samples.numpy()"),
        (None, TypeError, "expected an int, a slice"),
        (..., TypeError, "expected an int, a slice"),
        (True, TypeError, "expected an int, a slice"),
        ("0", TypeError, "expected an int, a slice"),
        (1.0, TypeError, "sample = 1.0: expected an int"),
        ([0.5], TypeError, "expected rows as ints"),
        (np.empty(0), TypeError, "expected rows as ints"),
    ],
)
def test_refusals(key: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        _ = walks()[key]
    if kind is IndexError and isinstance(key, int):
        with pytest.raises(IndexError):
            walks().names(key)


def test_arrays_are_made_of_samples_as_before() -> None:
    samples = walks()
    assert np.asarray(samples) is samples.numpy()
    assert np.array_equal(np.array(samples), samples.numpy())
