"""A GPU of several that fails during a call: an error that names it, nothing leaked, and the next call right."""

import ctypes
import itertools
import os
import subprocess
import sys

import daily
import numpy as np
import pytest
from gonextdoor._core import native

import gonextdoor as gnd

UNKNOWN = 999  # CUDA_ERROR_UNKNOWN: unlike the faults of kernels, it leaves the context as it is
OUT_OF_MEMORY = 2


class Emulated:
    """The emulated driver, which counts the calls of each device and can make one fail."""

    def __init__(self):
        self.driver = ctypes.CDLL(os.environ["GONEXTDOOR_LIBCUDA"])
        for name in ("emulated_calls", "emulated_get", "emulated_regions"):
            getattr(self.driver, name).restype = ctypes.c_uint64

    def calls(self, kind, device):
        return self.driver.emulated_calls(kind.encode(), device)

    def fail(self, kind, device, number, error):
        assert self.driver.emulated_inject(kind.encode(), device, ctypes.c_uint64(number), error) == 0

    def regions(self):
        return self.driver.emulated_regions()


@pytest.fixture
def emulated(two_gpus):
    if "GONEXTDOOR_LIBCUDA" not in os.environ or os.environ.get("GONEXTDOOR_TEST_DEVICE") == "cuda":
        pytest.skip("only the emulated driver can be made to fail")
    return Emulated()


@pytest.fixture(scope="module")
def devices(gpu):
    """All emulated devices, three at most."""
    return [f"cuda:{id}" for id in range(min(3, native.call("DeviceCount")))]


@pytest.fixture(scope="module")
def graph():
    return gnd.rmat(6, 5, weights=(1.0, 3.0), seed=2)


def arrays(samples):
    return [samples.numpy(), samples.edges]


def shards(graph, devices):
    return arrays(gnd.sample(graph, gnd.apps.DeepWalk(5), repeat=3, seed=4, device=devices, edges=True))


def ragged(graph, devices):
    samples = gnd.sample(graph, gnd.apps.PPR(0.3), repeat=3, seed=4, device=devices, edges=True)
    return [*arrays(samples), samples.offsets]


def layered(graph, devices):
    samples = gnd.sample(graph, gnd.apps.LADIES(sizes=[5, 4]), 12, repeat=2, seed=4, device=devices)
    return [samples.numpy(), samples.offsets, samples.parents]


def visits(graph, devices):
    return [gnd.visit_counts(graph, gnd.apps.Node2Vec(0.5, 2.0, 6), repeat=3, seed=4, device=devices)]


def ends(graph, devices):
    return [gnd.end_points(graph, gnd.apps.DeepWalk(5), repeat=3, seed=4, device=devices)]


def batches(graph, devices):
    sampler = gnd.NeighborSampler(graph, [4, 3], weighted=True, device=devices)
    drawn = sampler.draw_many([[i, i + 20, i + 40] for i in range(7)], list(range(7)))
    return [
        np.asarray(part)
        for batch in drawn
        for part in (batch.split(batch.arena).nodes[0], batch.split(batch.arena).row[0])
    ]


def moved(graph, devices):
    samples = gnd.sample(graph, gnd.apps.PPR(0.3), repeat=3, seed=4, device=devices, edges=True)
    return arrays(samples if samples.device == "cpu" else samples.on(devices[-1]))


CALLS = [shards, ragged, layered, visits, ends, batches, moved]


def settled(graph, emulated):
    """The number of pieces of memory on all devices without those of the graph."""
    graph.release_device()
    return emulated.regions()


def chosen(calls):
    """Numbers of calls: the first, one in the middle and the last."""
    return sorted({min(calls, 1), calls // 2, calls} - {0})


@pytest.mark.parametrize(
    ("kind", "several", "call"),
    daily.share(itertools.product(["allocation", "copy", "launch"], [2, 3], CALLS), 14, "failures"),
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_gpu_that_fails(graph, emulated, devices, kind, several, call):
    if several > len(devices):
        pytest.skip(f"the emulated driver has {len(devices)} devices")
    devices, want = devices[:several], call(graph, "cpu")
    failed = 0
    for device in range(several) if several == 2 else [several - 1]:
        call(graph, devices)
        held, before = settled(graph, emulated), emulated.calls(kind, device)
        call(graph, devices)
        for number in chosen(emulated.calls(kind, device) - before):
            graph.release_device()
            emulated.fail(kind, device, emulated.calls(kind, device) + number, UNKNOWN)
            try:
                got = call(graph, devices)
            except gnd.DeviceError as why:
                failed += 1
                assert f"cuda:{device}: " in str(why)
                assert "CUDA_ERROR_UNKNOWN" in str(why) or "999" in str(why)
            else:  # fewer calls than before
                assert all(np.array_equal(one, other) for one, other in zip(got, want, strict=True))
            emulated.fail(kind, device, 0, 0)
            assert settled(graph, emulated) <= held
            assert all(np.array_equal(one, other) for one, other in zip(call(graph, devices), want, strict=True))
    assert failed


# The emulated memory is so small, and the batches differ so much, that a call has many short launches.
# The expected times are those of real GPUs, so every call is taken for one that Ctrl-C can stop.
INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
import gonextdoor as gnd
from gonextdoor._core import running
running.LONG = 0
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts jobs in the background without it
graph, devices = gnd.rmat(6, 5, seed=1), sys.argv[2].split(",")
app = gnd.apps.DeepWalk(40)
def batches(repeat):
    many = range(8 * repeat)
    sampler = gnd.NeighborSampler(graph, [3, 3], device=devices)
    drawn = sampler.draw_many([[i % 50] for i in many], list(many), exclude=[[i % 300] for i in many])
    return np.concatenate([np.asarray(batch.split(batch.arena).nodes[0]) for batch in drawn[:8]])
calls = {
    "sample": lambda repeat: gnd.sample(graph, app, repeat=repeat, seed=1, device=devices, progress=False).numpy(),
    "visits": lambda repeat: gnd.visit_counts(graph, app, repeat=repeat, seed=1, device=devices),
    "batches": batches,
}
call, part, repeat = calls[sys.argv[1]], int(sys.argv[3]), int(sys.argv[4])
small = call(1)
begin = time.monotonic()
call(part)
whole = (time.monotonic() - begin) * repeat / part
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begin = time.monotonic()
try:
    call(repeat)
except KeyboardInterrupt:
    early = time.monotonic() - begin < whole / 2
    print("interrupted", early, np.array_equal(call(1), small))
"""


@pytest.mark.parametrize(
    ("call", "part", "repeat"),
    daily.share([("sample", 500, 20_000), ("visits", 500, 20_000), ("batches", 1, 100)], 3, "interrupts"),
)
def test_an_interrupt_stops_all_gpus(emulated, devices, call, part, repeat):
    command = [sys.executable, "-c", INTERRUPTED, call, ",".join(devices), str(part), str(repeat)]
    env = {**os.environ, "GONEXTDOOR_HOST_MEMORY": "1000000"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=env)
    assert done.stdout == "interrupted True True\n", done.stdout + done.stderr


@pytest.mark.parametrize(
    ("app", "repeat", "least", "several"),  # least: bytes without which no sample can be made
    daily.share(
        [
            (app, repeat, least, several)
            for several in (2, 3)
            for app, repeat, least in (
                (gnd.apps.DeepWalk(40), 60, 400_000),
                (gnd.apps.PPR(0.05), 60, 400_000),
                (gnd.apps.LADIES(sizes=[30, 30]), 4, 600_000),
            )
        ],
        6,
        "results",
    ),
    ids=repr,
)
def test_results_larger_than_the_memory_of_several_gpus(emulated, devices, graph, app, repeat, least, several):
    given = {"repeat": repeat, "seed": 3, "edges": True}
    here = gnd.sample(graph, app, device="cpu", **given)
    size, before = here.numpy().nbytes + here.edges.nbytes, emulated.driver.emulated_get(b"memory")
    graph.release_device()
    try:
        emulated.driver.emulated_set(b"memory", ctypes.c_uint64(max(size // (2 * several), least)))
        there = gnd.sample(graph, app, device=devices[:several], **given)
        assert there.shards == (there,)  # on the host
    finally:
        emulated.driver.emulated_set(b"memory", ctypes.c_uint64(before))
    assert there.device == ",".join(devices[:several])
    assert np.array_equal(there.numpy(), here.numpy())
    assert np.array_equal(there.edges, here.edges)
    assert np.array_equal(there.offsets, here.offsets)
    assert len(gnd.sample(graph, app, device=devices[:several], **given).shards) == several  # there is room again
