"""Features that are read to a GPU, which caches some rows: the rows are those of the source."""

import gc
import os

import numpy as np
import pytest
from gonextdoor._core import native
from gonextdoor.device.interop import DEFAULT, DeviceIntegers

import gonextdoor as gnd

pytestmark = pytest.mark.usefixtures("gpu")

RNG = np.random.default_rng(7)
SOURCE = RNG.normal(size=(300, 25)).astype(np.float32)
GRAPH = gnd.rmat(8, seed=1)


def ids(n, high=300):
    return RNG.integers(0, high, n)


@pytest.mark.parametrize("policy", ["frequency", "degree", "lookahead", None, "scores", "object"])
@pytest.mark.parametrize("kept", [0, "9KB", None])
def test_rows_are_those_of_the_source(policy, kept):
    source = SOURCE[:256]
    more, without = {}, policy is None
    if policy == "scores":
        policy = np.arange(256)
    elif policy == "object":
        policy = type("Policy", (), {"place": staticmethod(lambda rows: -rows)})()
    elif policy == "frequency":
        more["counts"] = gnd.features.count_visits([ids(50, 256), ids(60, 256)], 256)
    elif policy == "degree":
        more["graph"] = GRAPH
    with gnd.features.cached(source, "cuda:0", bytes=kept, policy=policy, **more) as x:
        assert len(x) == 256 and x.shape == (256, 25) and x.dtype == np.float32 and x.device == "cuda:0"
        if kept is None:
            assert x.slots == 256 and x.nbytes == SOURCE[:256].nbytes
        elif kept == 0 or without:
            assert x.slots == x.nbytes == 0
        else:
            assert 50 < x.slots < 90 and 8500 < x.nbytes <= 9000
        misses = 0
        for n in (0, 1, 200):
            some = ids(n, 256)
            rows = x.read(some)
            assert rows.shape == (n, 25) and rows.dtype == np.float32 and rows.strides == (100, 4)
            np.testing.assert_array_equal(rows.numpy(), source[some])
            misses += rows.misses
        stats = x.stats()
        assert stats.reads == 3 and sum(stats.rows.values()) == 201 and sum(stats.bytes.values()) == 20100
        assert stats.rows["memory"] == misses and stats.hits == (201 - misses) / 201
        assert misses == 0 if kept is None else misses > 0


def test_ids_of_any_shape_and_type():
    with gnd.features.cached(SOURCE, "cuda:0", bytes="20KB", policy=np.arange(300)) as x:
        for some in ([3, 299], np.array([[1, 2], [3, 3]], np.uint8), np.uint64(7), np.arange(5, dtype=np.int32)):
            np.testing.assert_array_equal(x[some].numpy(), SOURCE[some])


def test_ids_on_the_gpu():
    with gnd.features.cached(SOURCE, "cuda:0", bytes="20KB", policy="lookahead") as x:
        samples = gnd.sample(GRAPH, gnd.apps.DeepWalk(4), roots=64, seed=1, device="cuda:0")
        with pytest.raises(ValueError, match="contiguous"):  # samples are stored column by column
            x.announce(samples)
        nodes = gnd.sample(GRAPH, gnd.apps.PPR(stop=0.3), roots=64, seed=1, device="cuda:0").on_device.vertices
        x.announce(nodes)
        for _ in range(2):
            np.testing.assert_array_equal(x[nodes].numpy(), SOURCE[nodes.numpy()])
        # The loaders for PyG know the addresses of ids that they have on the GPU.
        address = nodes.__cuda_array_interface__["data"][0]
        known = DeviceIntegers(address, nodes.shape, -nodes.dtype.itemsize, DEFAULT, nodes)
        np.testing.assert_array_equal(x[known].numpy(), SOURCE[nodes.numpy()])
        if gpus() > 1:
            with pytest.raises(ValueError, match="cuda:1"):
                x.read(gnd.sample(GRAPH, gnd.apps.PPR(stop=0.3), roots=4, device="cuda:1").on_device.vertices)


def gpus():
    """The number of GPUs."""
    return native.call("DeviceCount")


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int8, np.int64, np.bool_, np.complex64, np.uint16])
def test_dtypes(dtype):
    source = (RNG.integers(0, 100, (40, 3, 2)) % 2).astype(dtype)
    with gnd.features.cached(source, "cuda:0", policy=None) as x:
        rows = x[[39, 0, 39]]
        np.testing.assert_array_equal(rows.numpy(), source[[39, 0, 39]])
        assert rows.shape == (3, 3, 2) and rows.dtype == dtype
        assert rows.__cuda_array_interface__["typestr"] == np.dtype(dtype).str


def test_rows_outlive_the_cache():
    x = gnd.features.cached(SOURCE, "cuda:0", bytes="20KB", policy=np.arange(300))
    some = ids(100)
    rows = x[some]
    pending = x.read_async(some)
    x.close()
    x.close()
    with pytest.raises(ValueError, match="closed"):
        x.read([1])
    np.testing.assert_array_equal(pending.wait().numpy(), SOURCE[some])
    del x, pending
    gc.collect()
    np.testing.assert_array_equal(rows.numpy(), SOURCE[some])


def test_reads_overlap():
    with gnd.features.cached(SOURCE, "cuda:0", bytes="20KB", policy="lookahead") as x:
        batches = [ids(150) for _ in range(20)]
        for batch in batches[:8]:
            x.announce(batch)
        pending = [x.read_async(batch) for batch in batches]
        for batch, one in zip(batches, pending, strict=True):
            np.testing.assert_array_equal(one.wait().numpy(), SOURCE[batch])
            assert one.done()
        assert 0 < x.stats().hits < 1


def misses(batches, x):
    """The rows that are missed in the second half of the batches, which are announced if the cache looks ahead."""
    ahead = 0
    for k, batch in enumerate(batches):
        while x.looks_ahead and ahead < min(k + 59, len(batches)):
            x.announce(batches[ahead])
            ahead += 1
        x.read(batch)
        if k + 1 == len(batches) // 2:
            before = x.stats().rows["memory"]
    return x.stats().rows["memory"] - before


def test_lookahead_misses_fewer_rows_than_any_static_cache():
    """A quarter fewer, if a batch reads about 1 % of the rows."""
    graph = gnd.rmat(13, seed=1)
    sampler, rows = gnd.NeighborSampler(graph, [10, 5]), graph.num_vertices
    seeds = np.random.default_rng(5).permutation(rows)[:960].reshape(240, 4)
    batches = [batch.split(batch.arena).nodes[0] for batch in (sampler.draw(some, k) for k, some in enumerate(seeds))]
    assert 0.008 < np.mean([len(batch) for batch in batches]) / rows < 0.02
    counts, source = gnd.features.count_visits(batches[:120], rows), np.zeros((rows, 4), np.float32)
    slots, found = rows // 10, {}
    for policy in ("frequency", "lookahead"):
        room = 16 * slots + (12 * rows + 32 + 4 * slots if policy == "lookahead" else 4 * rows)
        with gnd.features.cached(source, "cuda:0", bytes=room, policy=policy, counts=counts) as x:
            assert x.slots == slots
            found[policy] = misses(batches, x)
    assert found["lookahead"] < 0.75 * found["frequency"]


def test_batches_that_are_not_read_are_dropped():
    with gnd.features.cached(SOURCE, "cuda:0", bytes="20KB", policy="lookahead") as x:
        for _ in range(3):
            for _ in range(59):
                x.announce(ids(20))
            with pytest.raises(ValueError, match="59 at most"):
                x.announce(ids(20))
            x.forget()
        batch = ids(150)
        np.testing.assert_array_equal(x[batch].numpy(), SOURCE[batch])
    with gnd.features.cached(SOURCE, "cuda:0", bytes="20KB", policy=np.arange(300)) as x:
        x.forget()


@pytest.mark.parametrize("misses", ["copy", "kernel", "both", "measured"])
@pytest.mark.parametrize("policy", [None, "lookahead", np.arange(300)])
def test_missed_rows_are_the_same_in_all_ways(misses, policy):
    kept = 0 if policy is None else "20KB"
    with gnd.features.cached(SOURCE, "cuda:0", bytes=kept, policy=policy, misses=misses) as x:
        assert x.misses == misses or (misses == "measured" and "GB/s" in x.why)
        assert (x.why == "") == (misses != "measured")
        for _ in range(4):
            some = ids(250)
            np.testing.assert_array_equal(x[some].numpy(), SOURCE[some])
        stats = x.stats()
        if x.misses == "both":
            assert 0 < stats.kernel_rows < stats.rows["memory"]
        else:
            assert stats.kernel_share == (x.misses == "kernel")


def test_why_a_kernel_cannot_read_the_rows():
    wide = np.zeros((50, 200), np.float32)
    given = ((wide, "GB/s"), ([wide, wide], "one block"), (wide[:, :4], "16 bytes"), (wide[:, :150], "one block"))
    for source, why in given:
        with gnd.features.cached(source, "cuda:0", bytes=0) as x:
            assert why in x.why
            assert x.misses == "copy" or why == "GB/s"
            np.testing.assert_array_equal(x[[3, 49]].numpy(), np.zeros((2, x.shape[1])))


class Face:
    """An array of a library that has no DLPack, in memory that another array on the GPU keeps."""

    def __init__(self, rows, **changed):
        self.rows, self.dtype = rows, rows.dtype
        self.__cuda_array_interface__ = {**rows.__cuda_array_interface__, **changed}


class Exported:
    """An array of a library that has DLPack alone."""

    def __init__(self, rows, error=None):
        self.rows, self.error, self.dtype = rows, error, rows.dtype

    def __dlpack_device__(self):
        return self.rows.__dlpack_device__()

    def __dlpack__(self, *, stream=None, **version):
        if self.error is not None or version:
            raise self.error or TypeError("max_version")
        return self.rows.__dlpack__(stream=stream)


@pytest.mark.parametrize("misses", ["copy", "both"])
@pytest.mark.parametrize("kept", [0, "20KB", None])
def test_reads_into_an_array_on_the_gpu(misses, kept):
    policy = None if kept == 0 else np.arange(300)
    with gnd.features.cached(SOURCE, "cuda:0", bytes=kept, policy=policy, misses=misses) as x:
        for some in (ids(60), ids(60).reshape(4, 15), np.empty(0, np.int64)):
            memory = x.read(np.zeros(some.shape, int))
            for out in (memory, Face(memory), Exported(memory)):
                assert x.read(some, out) is out
                np.testing.assert_array_equal(memory.numpy(), SOURCE[some])
                other = some[::-1]
                pending = x.read_async(other, out=out)
                assert pending.wait() is out and pending.wait() is out
                np.testing.assert_array_equal(memory.numpy(), SOURCE[other])
        # A read without a wait is complete before the array is given up.
        some = ids(60)
        memory = x.read(np.zeros(60, int))
        x.read_async(some, memory)
        gc.collect()
        np.testing.assert_array_equal(memory.numpy(), SOURCE[some])


def test_part_of_an_array_is_written():
    with gnd.features.cached(SOURCE, "cuda:0", bytes=0) as x:
        memory = x.read(np.zeros(10, int))
        at = memory.__cuda_array_interface__["data"][0]
        part = Face(memory, shape=(6, 25), data=(at + 300, False))  # a multiple of 4 bytes
        x.read(np.arange(6) + 50, part)
        expected = SOURCE[[0, 0, 0, *range(50, 56), 0]]
        np.testing.assert_array_equal(memory.numpy(), expected)


def test_targets_that_do_not_fit():
    with (
        gnd.features.cached(SOURCE, "cuda:0", bytes=0) as x,
        gnd.features.cached(SOURCE.astype(np.float64), "cuda:0") as wide,
    ):
        some = ids(8)
        fit = x.read(some)
        face = fit.__cuda_array_interface__
        for out, error, text in (
            ([0.0] * 8, TypeError, "out: expected an array on cuda:0, got list"),
            (np.zeros((8, 25), np.float32), ValueError, "out: expected an array on cuda:0, got one in this machine"),
            (wide.read(some), TypeError, "out has dtype float64: expected float32"),
            (Face(fit, typestr="<i4"), TypeError, "expected float32"),
            (x.read(some[:5]), ValueError, r"out has shape \(5, 25\): expected \(8, 25\)"),
            (Face(fit, shape=(25, 8)), ValueError, r"out has shape \(25, 8\)"),
            (Face(fit, strides=(4, 32)), ValueError, "contiguous array, got strides"),
            (Face(fit, data=(face["data"][0], True)), ValueError, "read-only"),
            (Exported(fit, BufferError("it has gradients")), ValueError, "it has gradients"),
        ):
            with pytest.raises(error, match=text):
                x.read(some, out)
        np.testing.assert_array_equal(fit.numpy(), SOURCE[some])
        with pytest.raises(IndexError, match=r"ids\[1\] = 300"):
            x.read([0, 300], x.read([0, 1]))
        if gpus() > 1:
            with gnd.features.cached(SOURCE, "cuda:1") as there, pytest.raises(ValueError, match="cuda:1"):
                x.read(some, there.read(some))


def test_several_features_are_read_together():
    other = RNG.normal(size=(100, 7))
    with (
        gnd.features.cached(SOURCE, "cuda:0", bytes="20KB", policy=np.arange(300)) as x,
        gnd.features.cached(other, "cuda:0") as y,
    ):
        both = gnd.features.read_all({"a": x, "b": y}, {"b": [3, 4], "a": [299, 0]})
        np.testing.assert_array_equal(both["a"].numpy(), SOURCE[[299, 0]])
        np.testing.assert_array_equal(both["b"].numpy(), other[[3, 4]])


def test_updates_reach_all_caches():
    source = SOURCE.copy()
    features = gnd.features.open(source)
    caches = [
        gnd.features.cached(features, device, bytes=size, policy=policy, counts=np.arange(300))
        for device, size, policy in (
            ("cuda:0", None, None),
            ("cuda:0", "20KB", "frequency"),
            (f"cuda:{min(1, gpus() - 1)}", "20KB", "lookahead"),
        )
    ]
    every = np.arange(300)
    for x in caches:
        x.read(every)
    caches[0].update(np.full((2, 25), 5, np.float32), [299, 1])
    features.update(np.full((1, 25), 6, np.float32), [298])
    for x in caches:
        for _ in range(2):
            np.testing.assert_array_equal(x[every].numpy(), source)
    assert source[298, 0] == 6
    for x in caches:
        x.close()


def test_dlpack_has_the_rows():
    with gnd.features.cached(SOURCE, "cuda:0", bytes="20KB", policy=np.arange(300)) as x:
        some = ids(50)
        rows = x[some]
        assert rows.__dlpack_device__() == (2, 0)
        np.testing.assert_array_equal(np.from_dlpack(Host(rows)), SOURCE[some])


class Host:
    """An array on a GPU that asks for a copy on the host."""

    def __init__(self, rows):
        self.rows = rows

    def __dlpack__(self, **_):
        return self.rows.__dlpack__(dl_device=(1, 0))

    def __dlpack_device__(self):
        return 1, 0


def test_bad_input():
    with gnd.features.cached(SOURCE, "cuda:0", bytes="20KB", policy=np.arange(300)) as x:
        with pytest.raises(IndexError, match=r"ids\[1\] = 300: there are 300 rows"):
            x.read([0, 300])
        with pytest.raises(IndexError, match=r"ids\[0\] = -1"):
            x.read([-1])
        with pytest.raises(TypeError, match="ints"):
            x.read([0.5])
        with pytest.raises(ValueError, match="lookahead"):
            x.announce([1])
    cached = gnd.features.cached
    for given, error, text in (
        ({"device": "cpu"}, ValueError, r"use gonextdoor\.features\.open"),
        ({"device": "cuda:99"}, gnd.DeviceError, "cuda:99"),
        ({"bytes": "many"}, ValueError, "8GB"),
        ({"bytes": -1}, ValueError, "8GB"),
        ({"bytes": "9KB", "policy": "best"}, ValueError, "frequency"),
        ({"bytes": "9KB", "policy": 3}, TypeError, "policy"),
        ({"bytes": "9KB", "policy": "degree"}, ValueError, "graph="),
        ({"bytes": "9KB", "policy": "degree", "graph": GRAPH}, ValueError, "300 rows"),
        ({"bytes": "9KB", "policy": "frequency"}, ValueError, "count_visits"),
        ({"bytes": "9KB", "policy": np.zeros(3)}, ValueError, "a number per row"),
        ({"bytes": "9KB", "policy": np.full(300, np.nan)}, ValueError, "NaN"),
        ({"misses": "guess"}, ValueError, "misses"),
        ({"bytes": 0, "policy": None, "misses": "kernel"}, None, None),
    ):
        if error is None:
            cached(SOURCE, **given).close()
            continue
        with pytest.raises(error, match=text):
            cached(SOURCE, **given)
    with pytest.raises(ValueError, match="one block of memory"):
        cached([SOURCE, SOURCE], bytes=0, misses="kernel")
    with pytest.raises(IndexError, match=r"batches\[1\]\[0\] = 9"):
        gnd.features.count_visits([[1], [9]], 9)


@pytest.mark.parametrize("policy", [np.arange(300), "lookahead"])
def test_a_file_that_shrinks_or_vanishes(policy, tmp_path):
    """Missed rows that are gone are an error of the read; rows that are there, or in GPU memory, are still read."""
    path = tmp_path / "x.npy"
    np.save(path, SOURCE)
    with gnd.features.cached(path, "cuda:0", bytes="10KB", policy=policy, counts=np.arange(300)) as x:
        path.rename(tmp_path / "other.npy")
        np.testing.assert_array_equal(x[[5, 299]].numpy(), SOURCE[[5, 299]])
        os.truncate(tmp_path / "other.npy", 10_000)
        with pytest.raises(gnd.FormatError, match="truncated"):
            x.read([5, 200])
        for _ in range(2):
            np.testing.assert_array_equal(x[[5, 6]].numpy(), SOURCE[[5, 6]])
        if not isinstance(policy, str):  # its cache was lost with the failed read
            np.testing.assert_array_equal(x[[5, 299]].numpy(), SOURCE[[5, 299]])


def test_a_cache_larger_than_the_gpu_is_refused():
    source = np.zeros((1 << 20, 768), np.float32)  # 3.2 GB that are not touched; the emulated GPU has 2 GiB
    if os.environ.get("GONEXTDOOR_TEST_DEVICE") == "cuda":
        pytest.skip("only an emulated GPU is small enough")
    with pytest.raises(gnd.DeviceError, match="cache fewer rows"):
        gnd.features.cached(source, "cuda:0", bytes="4GB")
