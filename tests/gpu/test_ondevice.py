"""Samples in GPU memory equal those of the CPU, are shared with other libraries without a copy, and are freed."""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import consumer
import corpus
import daily
import numpy as np
import pytest
from gonextdoor._core import native
from gonextdoor.samples.host import HostResult

import gonextdoor as gnd

pytestmark = pytest.mark.usefixtures("gpu")

WALK, PPR = gnd.apps.DeepWalk(7), gnd.apps.PPR(0.3)
BOTH = pytest.mark.parametrize("app", [WALK, PPR], ids=["one width", "ragged"])


@pytest.fixture
def graph() -> gnd.Graph:
    return corpus.graph()


def pair(graph: gnd.Graph, app: gnd.apps.SamplingApp, **options: object) -> tuple[gnd.Samples, gnd.Samples]:
    there = gnd.sample(graph, app, seed=4, device="cuda", **options)  # type: ignore[arg-type]
    return there, gnd.sample(graph, app, seed=4, device="cpu", **options)  # type: ignore[arg-type]


@BOTH
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_everything_is_as_on_the_cpu(graph: gnd.Graph, app: gnd.apps.SamplingApp, dtype: type) -> None:
    there, here = pair(graph, app, edges=True, repeat=5, dtype=dtype)
    assert (there.device, here.device) == ("cuda:0", "cpu")
    assert len(there) == len(here)
    assert there.ragged == here.ragged
    assert repr(there).replace("cuda:0", "cpu") == repr(here)
    for name in ("numpy", "visit_counts"):
        got, want = getattr(there, name)(), getattr(here, name)()
        assert got.dtype == want.dtype
        assert np.array_equal(got, want)
    for name in ("values", "offsets", "edges", "edge_values", "lengths", "roots"):
        got, want = getattr(there, name), getattr(here, name)
        assert got.dtype == want.dtype, name
        assert np.array_equal(got, want), name
    assert all(map(np.array_equal, there.steps, here.steps))
    stats = there.stats
    assert stats["seconds"] > 0
    assert {k: v for k, v in stats.items() if "second" not in k} == {
        k: v for k, v in here.stats.items() if "second" not in k
    }


@pytest.mark.parametrize("rows", [1, 31, 33, 1000])
def test_lengths_and_counts_are_made_on_the_card(rows: int) -> None:
    graph, roots = corpus.directed(), np.arange(rows) % 4
    there, here = pair(graph, gnd.apps.DeepWalk(50), roots=roots)
    assert np.array_equal(there.lengths, here.lengths)
    there, _ = pair(graph, gnd.apps.DeepWalk(50), roots=roots)
    assert np.array_equal(there.visit_counts(), here.visit_counts())
    assert there.stats["edges"] == here.stats["edges"]


@pytest.mark.parametrize("length", [0, 1, 127, 128, 300])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_rows_of_all_widths(graph: gnd.Graph, length: int, dtype: type) -> None:
    there, here = pair(graph, gnd.apps.DeepWalk(length), repeat=3, dtype=dtype, edges=True)
    assert np.array_equal(there, here)
    assert np.array_equal(there.edges, here.edges)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_roots_come_without_the_rest(graph: gnd.Graph, dtype: type) -> None:
    there, here = pair(graph, gnd.apps.MultiIndependent(30), roots=[[3, 4], [5, 6], [7, 0]], repeat=2, dtype=dtype)
    assert there.roots.dtype == dtype
    assert np.array_equal(there.roots, here.roots)
    assert there._result._values is None  # type: ignore[union-attr]
    there.numpy()
    assert np.shares_memory(there.roots, there.numpy())


def test_results_of_several_pieces() -> None:
    graph = gnd.rmat(9, 4, seed=1)
    there, here = pair(graph, gnd.apps.DeepWalk(60), repeat=100)  # 12.5 MB
    assert np.array_equal(there, here)


@BOTH
@pytest.mark.parametrize("versioned", [False, True])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_dlpack(graph: gnd.Graph, app: gnd.apps.SamplingApp, versioned: bool, dtype: type) -> None:
    there, here = pair(graph, app, edges=True, dtype=dtype)
    arrays = there.on_device
    parts = [(there, here.values if here.ragged else here.numpy())]
    parts.append((arrays.edges, here.edge_values if here.ragged else here.edges))
    if here.ragged:
        parts.append((arrays.offsets, here.offsets))
    for array, want in parts:
        taken = consumer.ImportedTensor(array, versioned=versioned)
        assert taken.dtype == want.dtype
        assert taken.strides[0] == 1
        assert np.array_equal(taken.numpy(), want)
        taken.release()


def test_nothing_is_copied(graph: gnd.Graph) -> None:
    there, _ = pair(graph, WALK)
    one, other = consumer.ImportedTensor(there), consumer.ImportedTensor(there.on_device.vertices, stream=2)
    address = there.__cuda_array_interface__["data"][0]
    assert one.address == other.address == address
    one.release()
    other.release()


def test_tensors_outlive_their_samples(graph: gnd.Graph) -> None:
    there, here = pair(graph, WALK)
    before = native.call("Living", 4)
    taken = [consumer.ImportedTensor(there, stream=stream) for stream in (None, 1, 2, -1)]
    del there
    gc.collect()
    for _ in range(3):  # memory that was given back would be used again
        gnd.sample(graph, WALK, seed=9, device="cuda").numpy()
    for one in taken:
        assert np.array_equal(one.numpy(), here)
    for one in taken:
        one.release()
    assert native.call("Living", 4) == before - 1


def test_a_capsule_that_nobody_takes_gives_back(graph: gnd.Graph) -> None:
    gc.collect()
    before = native.call("Living", 4)
    there, _ = pair(graph, WALK)
    for version in (None, (1, 0), (2, 0), (0, 8)):
        there.__dlpack__(max_version=version)
    del there
    gc.collect()
    assert native.call("Living", 4) == before


def test_what_a_consumer_may_ask(graph: gnd.Graph) -> None:
    there, here = pair(graph, WALK)
    assert there.__dlpack_device__() == (2, 0)
    assert np.array_equal(np.from_dlpack(Copied(there)), here)
    with pytest.raises(ValueError, match="stream = 0: expected 1"):
        there.__dlpack__(stream=0)
    for stream in (-2, "a", True, 1.5):
        with pytest.raises(TypeError, match="stream = "):
            there.__dlpack__(stream=stream)
    with pytest.raises(BufferError, match="copy = True"):
        there.__dlpack__(copy=True)
    with pytest.raises(BufferError, match="copy = False"):
        there.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError, match="dl_device"):
        there.__dlpack__(dl_device=(2, 1))


class Copied:
    """The answer to a consumer that requests the CPU's memory, as NumPy does."""

    def __init__(self, samples: gnd.Samples) -> None:
        self.samples = samples

    def __dlpack__(self, **_: object) -> object:
        return self.samples.__dlpack__(dl_device=(1, 0))

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


@BOTH
def test_cuda_array_interface(graph: gnd.Graph, app: gnd.apps.SamplingApp) -> None:
    there, here = pair(graph, app)
    face = there.__cuda_array_interface__
    want = here.values if here.ragged else here.numpy()
    assert (face["shape"], face["typestr"], face["version"]) == (want.shape, "<i4", 3)
    stride = face["strides"][-1] // 4 if want.ndim == 2 else 0
    flat = consumer.copied(face["data"][0], (stride * want.shape[1]) if want.ndim == 2 else want.size, np.int32)
    got = flat if want.ndim == 1 else flat.reshape(want.shape[1], stride).T[: len(want)]
    assert np.array_equal(got, want)
    assert not hasattr(here, "__cuda_array_interface__")
    with pytest.raises(ValueError, match="on_device: the samples are not on a GPU"):
        _ = here.on_device


def test_arrays_on_the_card_are_arrays(graph: gnd.Graph) -> None:
    there, here = pair(graph, WALK)
    array = there.on_device.vertices
    assert (array.shape, array.dtype, array.device, len(array)) == (here.numpy().shape, np.int32, "cuda:0", len(here))
    assert np.array_equal(array, here)
    assert np.asarray(array, np.int64).dtype == np.int64
    assert repr(array) == f"DeviceArray(shape={array.shape}, dtype=int32, device='cuda:0')"
    with pytest.raises(ValueError, match="copy = False"):
        array.__array__(copy=False)


def test_samples_are_pickled_from_the_host(graph: gnd.Graph) -> None:
    there, here = pair(graph, PPR, edges=True)
    again = pickle.loads(pickle.dumps(there))
    assert np.array_equal(again, here)
    assert np.array_equal(again.edges, here.edges)
    assert again.device == "cuda:0"


@BOTH
def test_exports_come_from_the_host(graph: gnd.Graph, app: gnd.apps.SamplingApp) -> None:
    there, here = pair(graph, app)
    assert list(there.sentences()) == list(here.sentences())


@BOTH
def test_no_rows(graph: gnd.Graph, app: gnd.apps.SamplingApp) -> None:
    there, here = pair(graph, app, roots=[], edges=True)
    assert there.numpy().shape == here.numpy().shape
    assert there.edges.shape == here.edges.shape
    assert there.visit_counts().sum() == 0
    taken = consumer.ImportedTensor(there)
    assert taken.shape[0] == 0
    taken.release()


@BOTH
@pytest.mark.usefixtures("two_gpus")
def test_several_gpus_share_the_rows(graph: gnd.Graph, app: gnd.apps.SamplingApp) -> None:
    here = gnd.sample(graph, app, [3, 5, 7], repeat=33, seed=4, first_id=9, edges=True, device="cpu")
    there = gnd.sample(graph, app, [3, 5, 7], repeat=33, seed=4, first_id=9, edges=True, device=["cuda:0", "cuda:1"])
    assert there.device == "cuda:0,cuda:1"
    assert np.array_equal(there, here)
    assert np.array_equal(there.edges, here.edges)
    assert len(gnd.sample(graph, app, [], device=["cuda:0", "cuda:1"])) == 0


@pytest.mark.usefixtures("two_gpus")
def test_the_other_gpu(graph: gnd.Graph) -> None:
    there = gnd.sample(graph, WALK, seed=4, device="cuda:1")
    assert there.device == "cuda:1"
    assert there.__dlpack_device__() == (2, 1)
    assert np.array_equal(there, gnd.sample(graph, WALK, seed=4, device="cpu"))
    assert gnd.sample(graph, WALK, seed=4, device=["cuda:1"]).device == "cuda:1"


def test_what_the_environment_says_of_auto(graph: gnd.Graph, gpus: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for value, device in [(gpus[-1], gpus[-1]), ("cuda", "cuda:0"), ("cpu", "cpu"), ("", "cpu")]:
        monkeypatch.setenv("GONEXTDOOR_DEVICE", value)
        assert gnd.sample(graph, WALK).device == device
    monkeypatch.setenv("GONEXTDOOR_DEVICE", "gpu")
    with pytest.raises(ValueError, match="GONEXTDOOR_DEVICE = 'gpu'"):
        gnd.sample(graph, WALK)


def test_auto_takes_the_gpu_where_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GONEXTDOOR_DEVICE")
    graph = gnd.rmat(6, 4, seed=1)
    few, many = (
        gnd.sample(graph, WALK, seed=1),
        gnd.sample(graph, gnd.apps.DeepWalk(80), repeat=5000, seed=1, threads=1),
    )
    assert (few.device, many.device) == ("cpu", "cuda:0")


@pytest.mark.parametrize("app", corpus.APPS, ids=repr)
def test_every_app_runs_on_a_gpu(app: gnd.apps.SamplingApp) -> None:
    there, here = pair(corpus.graph(weighted=True), app, roots=corpus.roots(app, 0, 30))
    assert there.device == "cuda:0"
    assert np.array_equal(there.values, here.values)


# A walk that no part of a graph is enough for.
UNDIVIDED = gnd.apps.Node2Vec(p=2, q=1, length=20, weighted="computed")


@pytest.mark.usefixtures("small_card")
def test_auto_does_without_a_gpu_that_fails(graph: gnd.Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    emulated = consumer.driver()
    monkeypatch.setenv("GONEXTDOOR_DEVICE", "cuda")
    gnd.sample(graph, WALK)  # uploads the graph
    launches = emulated.emulated_calls(b"launch", 0)
    emulated.emulated_inject(b"launch", 0, ctypes.c_uint64(launches + 1), 999)
    with pytest.warns(RuntimeWarning, match='device = "auto": sampling on the CPU instead, since'):
        assert gnd.sample(graph, WALK).device == "cpu"
    assert gnd.sample(graph, WALK).device == "cuda:0"


def test_devices_that_are_not_there(graph: gnd.Graph) -> None:
    for device in ("cuda:62", "cuda:99999999999999999999", ["cuda:0", "cuda:62"]):
        with pytest.raises(gnd.DeviceError, match=r"this process sees .* GPU.*, cuda:0"):
            gnd.sample(graph, WALK, device=device)  # type: ignore[arg-type]
    for device in ("cuda:", "cuda:-1", "cuda:x", "gpu", ["cuda:0", "cuda:0"], ["cpu", "cuda:0"], ["auto", "cuda"], []):
        with pytest.raises((ValueError, TypeError), match="device = "):
            gnd.sample(graph, WALK, device=device)  # type: ignore[arg-type]


def test_a_graph_knows_what_it_takes(graph: gnd.Graph) -> None:
    assert gnd.Graph.from_edges([0], [1]).device_bytes == {}
    gnd.sample(graph, WALK, device="cuda").numpy()
    taken = graph.device_bytes
    assert list(taken) == ["cuda:0"]
    assert taken["cuda:0"] > 4 * graph.num_edges
    graph.release_device()
    assert graph.device_bytes == {}
    assert np.array_equal(*pair(graph, WALK))


def test_nextdoor_on_a_gpu(graph: gnd.Graph) -> None:
    finals = []
    for device in ("cpu", "cuda"):
        sampler = gnd.NextDoor(graph, WALK, seed=3, device=device)
        sampler.doSampling()
        sampler.doSampling()
        assert sampler.samples.device.startswith(device)
        finals.append(sampler.getFinalSamples())
    assert np.array_equal(*finals)


@pytest.fixture
def small_card():
    """A GPU whose memory holds the graph and little more."""
    if os.environ.get("GONEXTDOOR_TEST_DEVICE") == "cuda":
        pytest.skip("only the emulated driver has a card of another size")
    emulated = consumer.driver()
    emulated.emulated_get.restype = ctypes.c_longlong
    before = emulated.emulated_get(b"memory")

    def limit(size: int) -> None:
        emulated.emulated_set(b"memory", ctypes.c_longlong(size))

    yield limit
    limit(before)


@pytest.mark.parametrize("edges", daily.share([False, True], 2))
def test_what_the_card_has_no_room_for_comes_to_the_host(small_card, edges: bool) -> None:
    graph = gnd.rmat(8, 4, seed=1)
    small_card(4 << 20)
    there, here = pair(graph, gnd.apps.DeepWalk(100), repeat=100, edges=edges)  # 10 MB
    assert there.device == "cuda:0"
    assert isinstance(there._result, HostResult)
    assert np.array_equal(there, here)
    small_card(2 << 20)
    there, here = pair(graph, gnd.apps.PPR(0.02), repeat=60, edges=True)  # 3 MB, of edges 6 MB
    assert there.device == "cuda:0"
    assert np.array_equal(there, here)
    assert np.array_equal(there.edge_values, here.edge_values)


def test_a_graph_without_room_is_sampled_by_the_cpu(small_card) -> None:
    graph = gnd.rmat(12, 16, weights=(1.0, 2.0), seed=1)
    for size, drawn in ((1 << 18, "cpu"), (1 << 26, "cuda:0")):
        small_card(size)  # other programs have the rest
        there, here = pair(graph, UNDIVIDED)
        assert (there.device, there.drawn_on) == ("cuda:0", drawn)
        assert np.array_equal(there, here)


def test_a_forked_child_has_no_samples_on_the_card(graph: gnd.Graph) -> None:
    there, here = pair(graph, WALK)
    fetched = gnd.sample(graph, WALK, seed=4, device="cuda")
    fetched.numpy()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        said = b"nothing"
        try:
            assert np.array_equal(fetched, here)
            there.numpy()
        except gnd.DeviceError as why:
            said = str(why).encode()
        except BaseException as other:
            said = repr(other).encode()
        os.write(write, said)
        os._exit(0)
    os.close(write)
    with open(read, "rb") as pipe:
        said = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    assert b"take samples.numpy() before the fork" in said
    assert np.array_equal(there, here)


def test_threads_have_their_own_samples(graph: gnd.Graph) -> None:
    want = [gnd.sample(graph, WALK, seed=seed, device="cpu").numpy() for seed in range(4)]

    def work(seed: int) -> bool:
        return all(np.array_equal(gnd.sample(graph, WALK, seed=seed, device="cuda"), want[seed]) for _ in range(10))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))
