"""Samples on several GPUs: their shards, copies to the host, and counts."""

import numpy as np
import pytest

import gonextdoor as gnd

BOTH = ["cuda:0", "cuda:1"]
APPS = [
    gnd.apps.DeepWalk(7),
    gnd.apps.PPR(0.3),
    gnd.apps.KHop([3, 2]),
    gnd.apps.Layer(4, 9),
    gnd.apps.LADIES(sizes=[5, 4]),
    gnd.apps.ForestFire(0.5),
]
ROWS = [(None, 1), ([3, 5, 7], 33), ([9], 50), ([1, 2], 1), ([4], 1), (17, 3)]

pytestmark = pytest.mark.usefixtures("two_gpus")


@pytest.fixture(scope="module")
def graph():
    return gnd.rmat(7, 6, weights=(1.0, 3.0), seed=2)


def pair(graph, app, **given):
    """The samples of two GPUs and of the CPU."""
    return (gnd.sample(graph, app, seed=4, first_id=9, device=device, **given) for device in (BOTH, "cpu"))


def same_layers(there, here):
    assert np.array_equal(there.parents, here.parents)
    assert there.records == here.records
    if here.records:
        for sample in (0, len(here) - 1):
            ours, theirs = there.subgraph(sample), here.subgraph(sample)
            assert np.array_equal(ours.edge_ids, theirs.edge_ids)
            assert np.array_equal(ours.src, theirs.src)
            assert np.array_equal(ours.dst, theirs.dst)


@pytest.mark.parametrize("app", APPS, ids=lambda app: type(app).__name__)
@pytest.mark.parametrize(("roots", "repeat"), ROWS)
def test_two_gpus_give_the_samples_of_the_cpu(graph, app, roots, repeat):
    there, here = pair(graph, app, roots=roots, repeat=repeat, edges=True)
    assert there.device == "cuda:0,cuda:1"
    assert np.array_equal(there.roots, here.roots)
    assert np.array_equal(there.numpy(), here.numpy())
    assert np.array_equal(there.edges, here.edges)
    assert np.array_equal(there.offsets, here.offsets)
    assert np.array_equal(there.lengths, here.lengths)
    assert np.array_equal(there.visit_counts(), here.visit_counts())
    assert there.stats["edges"] == here.stats["edges"]
    if here.layered:
        same_layers(there, here)


@pytest.mark.parametrize("repeat", [1, 3])
@pytest.mark.parametrize(
    "app", [gnd.apps.DeepWalk(3), gnd.apps.PPR(0.5), gnd.apps.KHop([2]), gnd.apps.MultiIndependent(2)], ids=repr
)
@pytest.mark.parametrize("dtype", [np.int64, np.uint32])
def test_each_gpu_gets_the_roots_of_its_rows(graph, app, repeat, dtype):
    """Roots of 64 kB and more are copied through pinned memory. A root may have rows on both GPUs."""
    shape = (17_001, 2) if isinstance(app, gnd.apps.MultiIndependent) else 17_001
    roots = np.random.default_rng(1).integers(0, graph.num_vertices, shape).astype(dtype)
    there, here = pair(graph, app, roots=roots, repeat=repeat)
    assert len(there.shards) == 2
    assert np.array_equal(there.numpy(), here.numpy())
    assert np.array_equal(there.roots, here.roots)


@pytest.mark.parametrize("at", [0, 8_400, 8_600, 16_999])
def test_a_root_that_is_no_vertex_is_named(graph, at):
    roots = np.zeros(17_000, np.int64)
    roots[at] = roots[16_999] = graph.num_vertices
    with pytest.raises(IndexError, match=rf"roots\[{at}\] = 128: the graph has 128 vertices"):
        gnd.sample(graph, gnd.apps.DeepWalk(3), roots, device=BOTH)
    assert gnd.sample(graph, gnd.apps.DeepWalk(3), roots[1:2], device=BOTH).device == "cuda:0,cuda:1"


@pytest.mark.parametrize("app", APPS, ids=lambda app: type(app).__name__)
def test_shards_are_ranges_of_the_rows(graph, app):
    there, here = pair(graph, app, repeat=3)
    first, second = there.shards
    assert [shard.device for shard in there.shards] == BOTH
    assert (first.first_id, second.first_id) == (9, 9 + len(first))
    assert len(first) + len(second) == len(here)
    assert first.on_device.vertices.device == "cuda:0"
    assert second.on_device.vertices.device == "cuda:1"
    assert np.array_equal(np.concatenate([first.values, second.values]), here.values)
    again = gnd.sample(graph, app, repeat=3, seed=4, first_id=9, device="cpu")[len(first) :]
    assert np.array_equal(second.numpy(), again[:, : second.numpy().shape[1]])


@pytest.mark.parametrize("app", APPS, ids=lambda app: type(app).__name__)
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_samples_are_copied_between_gpus(graph, app, dtype):
    there, here = pair(graph, app, repeat=3, edges=True, dtype=dtype)
    for device in BOTH:
        one = there.on(device)
        assert one.device == device
        assert one.on_device.vertices.device == device
        assert one.first_id == there.first_id
        assert np.array_equal(one.numpy(), here.numpy())
        assert np.array_equal(one.offsets, here.offsets)
        assert np.array_equal(one.edges, here.edges)
        if here.layered:
            same_layers(one, here)
        moved = one.on(BOTH[device == BOTH[0]])
        assert moved.device != device
        assert np.array_equal(moved.values, here.values)
        assert np.array_equal(moved.on("cpu").values, here.values)
    assert there.on("cpu").device == "cpu"


def test_on_names_one_device(graph):
    there, here = pair(graph, APPS[0])
    for wrong in ("auto", BOTH, "tpu", 3):
        with pytest.raises(ValueError, match="device = "):
            there.on(wrong)
    with pytest.raises(gnd.DeviceError, match="cuda:9"):
        there.on("cuda:9")
    with pytest.raises(ValueError, match="in host memory; sample with device="):
        here.on("cuda:0")


def test_samples_of_one_device_are_one_shard(graph):
    for device in ("cpu", "cuda:1"):
        samples = gnd.sample(graph, APPS[0], seed=1, device=device)
        assert samples.shards == (samples,)


def test_one_array_on_a_gpu_is_refused_with_the_remedy(graph):
    there, _ = pair(graph, APPS[0])
    with pytest.raises(ValueError, match=r"on cuda:0,cuda:1: read samples.shards\[i\].on_device"):
        _ = there.on_device
    assert there.__dlpack_device__() == (1, 0)


def test_no_rows_and_one_row(graph):
    assert len(gnd.sample(graph, APPS[0], [], device=BOTH)) == 0
    one = gnd.sample(graph, APPS[0], [5], seed=1, device=BOTH)
    assert np.array_equal(one, gnd.sample(graph, APPS[0], [5], seed=1, device="cpu"))


@pytest.mark.parametrize("app", APPS, ids=lambda app: type(app).__name__)
def test_both_gpus_count(graph, app):
    for repeat in (1, 7):
        there, here = (
            gnd.visit_counts(graph, app, repeat=repeat, seed=3, first_id=5, device=device) for device in (BOTH, "cpu")
        )
        assert np.array_equal(there, here)
        there, here = (
            gnd.end_points(graph, app, [3, 8], repeat=repeat, seed=3, device=device) for device in (BOTH, "cpu")
        )
        assert np.array_equal(there, here)


def test_random_roots_and_64_bits(graph):
    for roots in (40, np.arange(100, dtype=np.int64)):
        there, here = pair(graph, APPS[0], roots=roots, repeat=3, dtype=np.int64)
        assert there.numpy().dtype == np.int64
        assert np.array_equal(there, here)


def test_samples_of_two_gpus_are_saved_and_pickled(graph, tmp_path):
    import pickle

    there, here = pair(graph, APPS[1], edges=True)
    there.save(tmp_path / "walks.npz")
    loaded = gnd.Samples.load(tmp_path / "walks.npz")
    assert np.array_equal(loaded.values, here.values)
    assert np.array_equal(pickle.loads(pickle.dumps(there._result)).values, here.values)
