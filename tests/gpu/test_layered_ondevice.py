"""Layered samples in GPU memory equal those of the CPU, and other libraries share each part without a copy."""

from __future__ import annotations

import dataclasses
import gc
import pickle

import consumer
import corpus
import daily
import numpy as np
import pytest
from gonextdoor._core import native

import gonextdoor as gnd

pytestmark = pytest.mark.usefixtures("gpu")

APPS = [
    gnd.apps.RandomNode(12),
    gnd.apps.RandomNode(12, replace=True, induced=False),
    gnd.apps.RandomEdge(9),
    gnd.apps.ClusterGCN(7, 2),
    gnd.apps.ClusterGCN(np.arange(200) % 23, 3),
    gnd.apps.GraphSAINT("node", budget=20),
    gnd.apps.GraphSAINT("edge", budget=10),
    gnd.apps.GraphSAINT("walk", roots=5, length=3),
    gnd.apps.GraphSAINT("multidimensional", roots=4, budget=20),
    gnd.apps.Snowball(2),
    gnd.apps.Snowball(None, fanout=3),
    gnd.apps.ForestFire(0.4),
    gnd.apps.MVS(8, [3, -1]),
    gnd.apps.MVS(8, [2], np.arange(200) % 5),
    gnd.apps.Layer(5, 12),
    gnd.apps.Layer(30, 40, unique=False, bias="degree"),
    gnd.apps.Neighbor([3, 2], frontier_size=4),
    gnd.apps.FastGCN([9, 4]),
    gnd.apps.FastGCN([150, 3], normalization="row"),
    gnd.apps.FastGCN([40], replace=True),
    gnd.apps.LADIES([6, 9], normalize=True),
    gnd.apps.LADIES([500, 30], normalization="row"),
    gnd.apps.LADIES([40, 7], replace=True, normalization="row", normalize=True),
]
BOTH = pytest.mark.parametrize("app", APPS, ids=repr)
PARTS = pytest.mark.parametrize("app", daily.share(APPS, 4), ids=repr)


def pair(app: gnd.apps.SamplingApp, **options: object) -> tuple[gnd.Samples, gnd.Samples]:
    graph = corpus.graph()
    there = gnd.sample(graph, app, 20, seed=4, device="cuda", **options)  # type: ignore[arg-type]
    return there, gnd.sample(graph, app, 20, seed=4, device="cpu", **options)  # type: ignore[arg-type]


@BOTH
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_everything_is_as_on_the_cpu(app: gnd.apps.SamplingApp, dtype: type) -> None:
    there, here = pair(app, edges=True, dtype=dtype)
    assert (there.device, here.device) == ("cuda:0", "cpu")
    assert (there.layered, there.records, there.ragged) == (here.layered, here.records, here.ragged)
    for name in ("values", "offsets", "edges", "edge_values", "lengths", "roots", "parents"):
        got, want = getattr(there, name), getattr(here, name)
        assert got.dtype == want.dtype, name
        assert np.array_equal(got, want), name
    assert np.array_equal(there.numpy(), here.numpy())
    assert np.array_equal(there.visit_counts(), here.visit_counts())
    assert all(map(np.array_equal, there.steps, here.steps))
    if here.records:
        for got, want in zip(there._result.layers.links(), here._result.layers.links(), strict=True):  # type: ignore[union-attr]
            assert got.dtype == want.dtype
            assert np.array_equal(got, want)
    copied = pickle.loads(pickle.dumps(there))
    assert np.array_equal(copied.parents, here.parents)


@PARTS
def test_each_part_is_shared(app: gnd.apps.SamplingApp) -> None:
    gc.collect()
    before = native.call("Living", 4)
    there, here = pair(app)
    parts, want = there.on_device.layers, here._result.layers
    assert parts is not None
    assert want is not None
    for field, name in zip(dataclasses.fields(parts), dataclasses.fields(want), strict=True):
        part, wanted = getattr(parts, field.name), getattr(want, name.name)
        if wanted is None:
            assert part is None
            continue
        assert (part.shape, part.dtype) == (wanted.shape, wanted.dtype)
        taken = consumer.ImportedTensor(part, versioned=True)
        assert np.array_equal(taken.numpy(), wanted)
        taken.release()
    assert there._result._layers is None, "parts were copied to the host"  # type: ignore[union-attr]
    del there, parts, part
    gc.collect()
    assert native.call("Living", 4) == before


def test_other_samples_have_no_layers() -> None:
    walks = gnd.sample(corpus.graph(), gnd.apps.DeepWalk(3), seed=1, device="cuda")
    assert walks.on_device.layers is None
    assert not walks.layered
    assert not walks.records


@pytest.mark.usefixtures("two_gpus")
def test_two_devices_share_the_rows(gpus: list[str]) -> None:
    graph, app = corpus.graph(), gnd.apps.RandomNode(9)
    both = gnd.sample(graph, app, 21, seed=4, device=gpus, edges=True)
    here = gnd.sample(graph, app, 21, seed=4, device="cpu", edges=True)
    assert both.device == ",".join(gpus)
    assert np.array_equal(both.values, here.values)
    for k in range(21):
        got, want = both.subgraph(k), here.subgraph(k)
        for name in ("src", "dst", "edge_ids", "values"):
            assert np.array_equal(getattr(got, name), getattr(want, name))


def test_visits_are_counted_on_the_device() -> None:
    graph, app = corpus.graph(), gnd.apps.RandomEdge(9)
    there = gnd.visit_counts(graph, app, 50, seed=4, device="cuda")
    assert np.array_equal(there, gnd.visit_counts(graph, app, 50, seed=4, device="cpu"))
