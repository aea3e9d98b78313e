"""gonextdoor.loader with features that are read to a GPU: batches and rows are those of the CPU."""

import gc
import pickle
import re
import threading
import time

import daily
import numpy as np
import pytest
from gonextdoor._core import native
from gonextdoor.device.interop import on_gpu
from gonextdoor.features import sizing
from gonextdoor.features.cachedfeatures import CachedFeatures
from gonextdoor.features.loading import GPURows
from gonextdoor.neighbor import presample

import gonextdoor as gnd

pytestmark = pytest.mark.usefixtures("gpu")

GRAPH = gnd.rmat(8, seed=1)
X = np.random.default_rng(3).normal(size=(256, 7)).astype(np.float32)
HETERO = gnd.HeteroGraph(
    {("a", "to", "b"): gnd.rmat(6, seed=1), ("b", "to", "a"): gnd.rmat(6, seed=2)}, {"a": 64, "b": 64}
)


def made(**given):
    given = {"batch_size": 10, "seed": 7, "shuffle": True, "device": "cuda:0", **given}
    return gnd.loader(GRAPH, [4, 3], range(120), **given)


def whole(batch):
    """All vertices and edges of a batch."""
    parts = batch.split(batch.arena)
    return [np.asarray(part).tolist() for all in (parts.nodes, parts.row, parts.col, parts.edges) for part in all]


@pytest.mark.parametrize(
    "given",
    daily.share(
        [
            {},
            {"prefetch": 0},
            {"prefetch_bytes": 1},
            {"cache": "4KB"},
            {"cache": "4KB", "direction": "in"},
            {"cache": "4KB", "cache_policy": "frequency"},
            {"cache": 6_000, "cache_policy": "lookahead"},
            {"cache": 4_000, "cache_policy": list(range(256))},
            {"cache": "1MB"},
        ],
        3,
        "batches",
    ),
)
def test_batches_are_those_of_the_cpu(given):
    direction = {"direction": given["direction"]} if "direction" in given else {}
    here, there = made(device="cpu", **direction), made(features=X, **given)
    for _ in range(2):
        for one, other in zip(here, there, strict=True):
            assert whole(one) == whole(other)
            assert other.features.device == "cuda:0" and other.features.dtype == np.float32
            np.testing.assert_array_equal(other.features.numpy(), X[one.split(one.arena).nodes[0]])
    stats = there.stats()
    assert stats.batches == 24 and stats.held_bytes == 0
    assert stats.hits == 1 if given.get("cache") == "1MB" else (0 < stats.hits < 1) == ("cache" in given)


def test_types():
    x = {"a": X[:64], "b": np.arange(64)}
    scores = {"a": np.arange(64), "b": np.arange(64)}
    given = {"batch_size": 8, "seed": 1, "device": "cuda:0", "features": x, "cache": "1KB"}
    for policy in ("degree", "frequency", "lookahead", scores):
        loader = gnd.loader(HETERO, [3, 2], ("b", None), cache_policy=policy, **given)
        for batch in loader:
            own = batch.split(batch.arena).nodes
            for kind, ids in zip("ab", own, strict=True):
                np.testing.assert_array_equal(batch.features[kind].numpy(), x[kind][ids.numpy()])


def test_frequency_is_counted_by_the_loader(monkeypatch):
    """The rows with the most visits are cached, and features may have rows of no vertex."""
    monkeypatch.setattr(presample, "PASSES", 100)  # all batches
    longer = np.concatenate([X, X])
    loader = made(features=longer, cache=4 * 512 + 20 * 28, cache_policy="frequency")
    counts = gnd.features.count_visits([batch.split(batch.arena).nodes[0].numpy() for batch in loader], 256)
    read = counts.sum()
    assert loader.stats().hits == np.sort(counts)[-20:].sum() / read


def test_batches_are_announced_long_before_they_are_read(monkeypatch):
    ahead, read = [], []
    monkeypatch.setattr(CachedFeatures, "announce", lambda self, ids: ahead.append(len(read)))
    start = GPURows.start
    monkeypatch.setattr(GPURows, "start", lambda self, ids: (read.append(0), start(self, ids))[1])
    loader = made(features=X, cache=6_000, cache_policy="lookahead", batch_size=1)
    for _ in loader:
        time.sleep(0.02)  # batches are drawn meanwhile
    windows = [number - before for number, before in enumerate(ahead)]
    assert len(ahead) == len(read) == 120 and max(windows) == 58 and min(windows[-40:]) > 20


def workspace(monkeypatch, free):
    """Makes the GPU report free memory."""
    call = native.call

    def reported(name, *given):
        return free.pop(0) if name == "FeatureMemory" else call(name, *given)

    monkeypatch.setattr(sizing.native, "call", reported)


def test_the_workspace_is_the_least_that_is_free(monkeypatch):
    workspace(monkeypatch, [1000, 900, 600, *[800] * 6])
    measured = sizing.Workspace(["cuda:0"])
    assert [measured.observe() for _ in range(8)] == [False] * 7 + [True]
    assert measured.room() == 600 - 100
    workspace(monkeypatch, [1000, 400, 900, 390])
    measured = sizing.Workspace(["cuda:0", "cuda:1"] if native.call("DeviceCount") > 1 else ["cuda:0"])
    measured.observe()
    assert measured.room() == (387 if native.call("DeviceCount") > 1 else 250)
    workspace(monkeypatch, [1000, 10])
    measured = sizing.Workspace(["cuda:0"])
    measured.observe()
    assert measured.room() == 0


@pytest.mark.parametrize("policy", daily.share(["degree", "frequency", "lookahead"], 3))
def test_the_size_is_measured(policy, monkeypatch):
    """The cache is opened with what steps leave, after 8 batches."""
    call, used = native.call, []

    def memory(name, *given):
        return (100_000 if not used else 60_000) if name == "FeatureMemory" else call(name, *given)

    monkeypatch.setattr(sizing.native, "call", memory)
    x = np.repeat(X, 40, axis=1)  # 287 KB
    here, there = made(device="cpu"), made(features=x, cache="auto", cache_policy=policy, prefetch=4)
    for epoch in range(2):
        for number, (one, other) in enumerate(zip(here, there, strict=True)):
            used.append(number)
            assert whole(one) == whole(other)
            np.testing.assert_array_equal(other.features.numpy(), x[one.split(one.arena).nodes[0]])
            if number == 3 and epoch == 0:
                assert there.stats().cache_bytes == 0 and there.stats().hits == 0
    assert 45_000 < there.stats().cache_bytes <= 50_000 and 0 < there.stats().hits < 1
    assert re.fullmatch(r"(copy|kernel|both); \d+% by a kernel", there.stats().misses) and here.stats().misses is None


def test_all_rows_fit_into_what_is_measured():
    there = made(features=X, cache="auto")
    for batch in there:
        ids = batch.split(batch.arena).nodes[0].numpy()
        np.testing.assert_array_equal(batch.features.numpy(), X[ids])
    assert there.stats().cache_bytes == X.nbytes
    assert there.stats().misses == "none: all rows are in GPU memory"


def test_cached_features_of_two_loaders():
    with gnd.features.cached(X, "cuda:0", bytes="4KB", policy="lookahead") as x:
        loaders = [made(features=x, seed=seed) for seed in (1, 2)]
        for pair in zip(*loaders, strict=True):
            for batch in pair:
                np.testing.assert_array_equal(batch.features.numpy(), X[batch.split(batch.arena).nodes[0].numpy()])
        assert x.stats().reads == 24
        on_cpu = next(iter(made(features=x, device="cpu")))
        np.testing.assert_array_equal(on_cpu.features.numpy(), X[on_cpu.split(on_cpu.arena).nodes[0]])


@pytest.mark.usefixtures("two_gpus")
@pytest.mark.parametrize("given", [{}, {"cache": "4KB"}, {"cache": "9MB", "cache_policy": "frequency"}])
def test_batches_of_several_gpus(given):
    """Rows are read to the GPU of the batch, from the memory of all."""
    wide = np.repeat(X, 9000, axis=1)  # 65 MB, of which two GPUs can hold some rows more than one
    x = wide if given.get("cache") == "9MB" else X
    here, there = made(device="cpu"), made(device=["cuda:0", "cuda:1"], features=x, **given)
    devices = set()
    for one, other in zip(here, there, strict=True):
        assert whole(one) == whole(other)
        assert other.features.device == f"cuda:{on_gpu(other.split(other.arena).nodes[0])}"
        devices.add(other.features.device)
        np.testing.assert_array_equal(other.features.numpy(), x[one.split(one.arena).nodes[0]])
    assert devices == {"cuda:0", "cuda:1"}
    assert (0 < there.stats().hits < 1) == ("cache" in given)
    if x is wide:
        (shared,) = there._rows._caches.values()
        assert shared.slots > 9_000_000 // shared.row_bytes


@pytest.mark.usefixtures("two_gpus")
def test_shared_features_of_a_loader():
    with gnd.features.cached(X, ["cuda:0", "cuda:1"], bytes="4KB", policy=np.arange(256)) as x:
        for device in (["cuda:0", "cuda:1"], "cuda:1", "cpu"):
            for one, other in zip(made(device="cpu"), made(device=device, features=x), strict=True):
                np.testing.assert_array_equal(other.features.numpy(), X[one.split(one.arena).nodes[0]])
        assert x.stats().reads == 36


def test_an_epoch_that_is_left():
    loader, plain = made(features=X, cache=6_000, cache_policy="lookahead"), made(device="cpu")
    for _ in range(4):
        for _ in loader:
            break
    gc.collect()
    assert not [thread for thread in threading.enumerate() if thread.name == "gonextdoor"]
    assert loader.stats().held_bytes == 0
    plain.set_epoch(4)
    for one, other in zip(plain, loader, strict=True):
        np.testing.assert_array_equal(other.features.numpy(), X[one.split(one.arena).nodes[0]])


def test_a_copy_opens_its_cache():
    loader = pickle.loads(pickle.dumps(made(features=X, cache="4KB")))
    assert 0 < max(loader.stats().hits for _ in loader) < 1


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"cache": "lots"}, "cache = 'lots': expected a number of bytes"),
        ({"cache": "4KB", "cache_policy": "newest"}, "cache_policy = 'newest'"),
        ({"cache": "4KB", "cache_policy": np.ones(3)}, "cache_policy: expected shape"),
        (
            {"device": ["cuda:0", "cuda:1"], "cache": 4_000, "cache_policy": "lookahead"},
            "2 GPUs: a cache looks ahead on one",
        ),
    ],
    ids=str,
)
def test_refusals(given, text, gpus):
    if "device" in given and len(gpus) < 2:
        pytest.skip("this machine has one GPU")
    with pytest.raises(ValueError, match=text):
        made(features=X, **given)


def test_a_cache_that_is_larger_than_the_gpu(tmp_path):
    graph = gnd.Graph.from_edges([0], [1], num_vertices=1 << 20)
    rows = np.lib.format.open_memmap(tmp_path / "x.npy", "w+", np.float32, (1 << 20, 1 << 17))  # 512 GiB, none written
    with pytest.raises(gnd.DeviceError, match=r"cache = '1TB': the cache does not fit on cuda:0: .* cache fewer rows"):
        gnd.loader(graph, [1], device="cuda", features=rows, cache="1TB")


@pytest.mark.usefixtures("two_gpus")
def test_features_on_another_gpu():
    with (
        gnd.features.cached(X, "cuda:1", bytes=0) as x,
        pytest.raises(ValueError, match="features are on cuda:1: expected them on cuda:0, as the batches are"),
    ):
        made(features=x)
