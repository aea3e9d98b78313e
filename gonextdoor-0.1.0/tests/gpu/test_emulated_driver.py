"""The emulated driver itself: what it must notice, and correct kernels run as on a GPU."""

import ctypes
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "kernels" / "host"))
import build  # noqa: E402

OK, INVALID_VALUE, OUT_OF_MEMORY, INVALID_IMAGE, NOT_FOUND, ILLEGAL, TIMEOUT, FAILED = 0, 1, 2, 200, 500, 700, 702, 719

KERNELS = r"""
#include "core/draw.cuh"
#include "core/group.cuh"
using namespace nd;
struct Args { u64* out; const u64* in; u64 n; };
ND_KERNEL(scan, Args) {
  u64 i = thread_of_grid();
  u64 x = Warp::scan(i < a.n ? a.in[i] : 0);
  if (i < a.n) a.out[i] = x;
}
ND_KERNEL(turned, Args) {
  ND_SHARED(u64, tile, 256);
  tile[thread_index()] = a.in[thread_of_grid()];
  if (a.n) sync_block();
  a.out[thread_of_grid()] = tile[block_size() - 1 - thread_index()];
}
ND_KERNEL(rounds, Args) {  // of a whole grid: each adds what all have added before
  for (u64 round = 0; round < a.n; round++) {
    add_atomic(a.out + round, 1 + (round ? a.out[round - 1] : 0));
    sync_grid(nullptr);
  }
}
ND_KERNEL(handed_on, Args) {  // each block waits for the one that began before
  if (thread_index()) return;
  u64 b = add_atomic(a.out + a.n, 1);
  if (b) while (read_shared_by_all(a.out + b - 1) != b) {}
  fence();
  swap_atomic(a.out + b, 0, b + 1);
}
ND_KERNEL(over, Args) { if (thread_of_grid() < a.n) a.out[thread_of_grid()] = 1; }
ND_KERNEL(missing, Args) { if (thread_index() % 2) sync_block(); else ballot(~0u, true); }
ND_KERNEL(stranger, Args) { ballot(1u, true); }
ND_KERNEL(endless, Args) { while (*(const volatile u64*)a.out == 0) {} }
ND_KERNEL(divides, Args) { a.out[0] = 5 / (a.n - 1); }
ND_KERNEL(runs_over_shared, Args) { ND_SHARED(u32, few, 4); few[4 + thread_index()] = 1; }
ND_KERNEL(drawn, Args) {  // words, then bounds; indices and fractions
  u64 i = thread_of_grid();
  if (i >= a.n) return;
  u64 word = a.in[i], n = a.in[a.n + i];
  Below b = below(word, n);
  Below32 c = below(word, (u32)n);
  a.out[i] = b.index, a.out[a.n + i] = b.fraction;
  a.out[2 * a.n + i] = c.index, a.out[3 * a.n + i] = c.fraction, a.out[4 * a.n + i] = second(word);
}
ND_KERNEL_OF(64, small, Args) { a.out[0] = block_size(); }
"""


class Args(ctypes.Structure):
    _fields_ = [("out", ctypes.c_uint64), ("in_", ctypes.c_uint64), ("n", ctypes.c_uint64)]


class Driver:
    def __init__(self, path):
        self.cu = ctypes.CDLL(str(path))
        assert self.cu.cuInit(0) == OK
        self.context = ctypes.c_void_p()
        self.ok("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), 0)
        self.ok("cuCtxPushCurrent_v2", self.context)
        self.module = ctypes.c_void_p()

    def ok(self, name, *arguments):
        code = getattr(self.cu, name)(*arguments)
        assert code == OK, f"{name} gave {code}"

    def load(self, image):
        return self.cu.cuModuleLoadData(ctypes.byref(self.module), image)

    def array(self, values):
        a = np.ascontiguousarray(values, np.uint64)
        at = ctypes.c_uint64()
        self.ok("cuMemAlloc_v2", ctypes.byref(at), a.nbytes)
        self.ok("cuMemcpyHtoD_v2", at, ctypes.c_void_p(a.ctypes.data), a.nbytes)
        return at

    def fetch(self, at, n):
        a = np.empty(n, np.uint64)
        self.ok("cuMemcpyDtoH_v2", ctypes.c_void_p(a.ctypes.data), at, a.nbytes)
        return a

    def launch(self, name, args, blocks=1, threads=256, cooperative=False):
        f = ctypes.c_void_p()
        code = self.cu.cuModuleGetFunction(ctypes.byref(f), self.module, name.encode())
        if code:
            return code
        given = (ctypes.c_void_p * 1)(ctypes.addressof(args))
        shape = [ctypes.c_uint(x) for x in (blocks, 1, 1, threads, 1, 1, 0)]
        if cooperative:
            code = self.cu.cuLaunchCooperativeKernel(f, *shape, None, given)
        else:
            code = self.cu.cuLaunchKernel(f, *shape, None, given, None)
        return code or self.cu.cuCtxSynchronize()

    def message(self):
        self.cu.emulated_message.restype = ctypes.c_char_p
        return self.cu.emulated_message().decode()


@pytest.fixture(scope="module")
def libcuda():
    try:
        return build.build()
    except build.NoCompilerError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def image(libcuda):
    nvrtc, program, size = ctypes.CDLL(str(libcuda.parent / "libnvrtc.so.12")), ctypes.c_void_p(), ctypes.c_size_t()
    headers = {p.relative_to(build.KERNELS).as_posix(): p.read_bytes() for p in build.KERNELS.glob("core/*.cuh")}
    names = (ctypes.c_char_p * len(headers))(*(n.encode() for n in headers))
    sources = (ctypes.c_char_p * len(headers))(*headers.values())
    made = nvrtc.nvrtcCreateProgram(ctypes.byref(program), KERNELS.encode(), b"test.cu", len(headers), sources, names)
    assert made == OK
    options = (ctypes.c_char_p * 3)(b"-arch=sm_90", b"-std=c++17", b"-fmad=false")
    compiled = nvrtc.nvrtcCompileProgram(program, len(options), options)
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    assert compiled == OK, log.value.decode()
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    cubin = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, cubin)
    return cubin.raw


@pytest.fixture
def driver(libcuda, image):
    d = Driver(libcuda)
    d.ok("cuDevicePrimaryCtxReset_v2", 0)
    for name, value in (("memory", 1 << 30), ("seed", 1), ("seconds", 60), ("fail", 0)):
        d.ok("emulated_set", name.encode(), ctypes.c_uint64(value))
    assert d.load(image) == OK
    yield d
    d.ok("cuDevicePrimaryCtxReset_v2", 0)


@pytest.mark.parametrize("seed", range(4))
def test_kernels_run_in_any_order(driver, seed):
    driver.ok("emulated_set", b"seed", ctypes.c_uint64(seed))
    n = 5000
    x = np.arange(n, dtype=np.uint64) * 7 % 1000
    out, given = driver.array(np.zeros(n)), driver.array(x)
    assert driver.launch("scan", Args(out.value, given.value, n), blocks=20) == OK
    for lo in range(0, n, 32):
        assert (driver.fetch(out, n)[lo : lo + 32] == np.cumsum(x[lo : lo + 32])).all()

    out, given = driver.array(np.zeros(2048)), driver.array(np.arange(2048))
    assert driver.launch("turned", Args(out.value, given.value, 1), blocks=8) == OK
    assert (driver.fetch(out, 2048) == np.arange(2048).reshape(8, 256)[:, ::-1].ravel()).all()

    out = driver.array(np.zeros(3))
    assert driver.launch("rounds", Args(out.value, 0, 3), blocks=6, cooperative=True) == OK
    t = 6 * 256
    assert driver.fetch(out, 3).tolist() == [t, t * (1 + t), t * (1 + t * (1 + t))]

    out = driver.array(np.zeros(101))
    assert driver.launch("handed_on", Args(out.value, 0, 100), blocks=100) == OK
    assert (driver.fetch(out, 100) == np.arange(1, 101)).all()


def test_indices_and_fractions_match_the_contract(driver):
    edges = [0, 1, 2, 2**31, 2**32 - 2, 2**32 - 1, 2**32, 2**32 + 1, 2**63, 2**64 - 1]
    words = [*edges, *(int(x) for x in np.random.default_rng(1).integers(0, 2**64, 200, np.uint64))]
    pairs = [(w, n) for w in words for n in (0, 1, 3, 2**16 + 1, 2**31 - 1, 2**32 - 1)]
    pairs += [
        (-(-(k << 64) // n) - d, n) for n in (7, 2**32 - 1) for k in (1, 5, n - 1) for d in (0, 1)
    ]  # where k begins
    n = len(pairs)
    given = driver.array([w for w, _ in pairs] + [n for _, n in pairs])
    out = driver.array(np.zeros(5 * n))
    assert driver.launch("drawn", Args(out.value, given.value, n), blocks=-(-n // 256)) == OK
    got = driver.fetch(out, 5 * n).reshape(5, n)
    for i, (w, bound) in enumerate(pairs):
        index, fraction = w * bound >> 64, (w * bound & (2**64 - 1)) >> 32
        want = [index, fraction, index, fraction, (w * 0x9E3779B97F4A7C15 & (2**64 - 1)) >> 32]
        assert got[:, i].tolist() == want, (w, bound)


def test_a_barrier_that_is_missing_is_seen(driver):
    right = np.arange(256)[::-1]
    out, given = driver.array(np.zeros(256)), driver.array(np.arange(256))
    assert driver.launch("turned", Args(out.value, given.value, 0)) == OK
    assert (driver.fetch(out, 256) != right).any()


@pytest.mark.parametrize(
    ("kernel", "n", "code", "words"),
    [
        ("over", 104, ILLEGAL, "thread 102: touched memory that is not there"),
        ("missing", 0, TIMEOUT, "waits forever: 128 threads at a warp operation, 128 at the block's barrier"),
        ("stranger", 0, FAILED, "a warp operation whose mask does not include it"),
        ("rounds", 2, FAILED, "the launch is not cooperative"),
        ("divides", 1, FAILED, "divided by zero"),
        ("runs_over_shared", 0, ILLEGAL, "wrote past an array of shared memory"),
        ("endless", 1, TIMEOUT, "took too long"),
    ],
)
def test_faults_are_errors(driver, image, kernel, n, code, words):
    if kernel == "endless":
        driver.ok("emulated_set", b"seconds", ctypes.c_uint64(0))
    driver.ok("emulated_set", b"seed", ctypes.c_uint64(0))
    out = driver.array(np.zeros(102))
    args = Args(out.value, 0, n)
    assert driver.launch(kernel, args) == code
    assert words in driver.message()
    assert driver.launch("over", args) == code  # as on a GPU: the context is lost
    driver.ok("cuDevicePrimaryCtxReset_v2", 0)
    assert driver.load(image) == OK
    out = driver.array(np.zeros(1))
    assert driver.launch("small", Args(out.value, 0, 0), threads=64) == OK
    assert driver.fetch(out, 1) == 64


def test_launches_that_a_card_refuses(driver):
    out = driver.array(np.zeros(300))
    args = Args(out.value, 0, 0)
    assert driver.launch("small", args, threads=128) == 701
    assert driver.launch("small", args, threads=2000) == INVALID_VALUE
    assert driver.launch("small", args, blocks=0) == INVALID_VALUE
    assert driver.launch("rounds", args, blocks=1000, cooperative=True) == 720
    assert driver.launch("unknown", args) == NOT_FOUND
    assert driver.load(b"no image at all") == INVALID_IMAGE


def test_memory_is_limited_and_comes_back(driver):
    at = ctypes.c_uint64()
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    driver.ok("emulated_set", b"memory", ctypes.c_uint64(1 << 20))
    assert driver.cu.cuMemAlloc_v2(ctypes.byref(at), 2 << 20) == OUT_OF_MEMORY
    driver.ok("cuMemAllocAsync", ctypes.byref(at), 1 << 20, None)
    driver.ok("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    assert (free.value, total.value) == (0, 1 << 20)
    driver.ok("cuMemFreeAsync", at, None)
    driver.ok("cuMemAllocAsync", ctypes.byref(at), 1 << 20, None)
    assert driver.cu.cuMemFree_v2(ctypes.c_uint64(at.value + 16)) == INVALID_VALUE
    driver.ok("cuMemFree_v2", at)
    driver.ok("emulated_set", b"fail", ctypes.c_uint64(driver.cu.emulated_get(b"allocations") + 2))
    driver.ok("cuMemAlloc_v2", ctypes.byref(at), 100)
    assert driver.cu.cuMemAlloc_v2(ctypes.byref(at), 100) == OUT_OF_MEMORY
    driver.ok("cuMemAlloc_v2", ctypes.byref(at), 100)


def test_memory_after_its_end(driver):
    out = driver.array(np.zeros(256))
    driver.ok("cuMemFree_v2", out)
    assert driver.launch("over", Args(out.value, 0, 1)) == ILLEGAL


def test_uses_of_an_event_complete_in_any_order(driver):
    """An event is complete after its last use, also if that is in another stream and ends before the first."""
    called = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    orders = set()
    for _ in range(20):
        gate, order = threading.Event(), []
        wait = called(lambda _, gate=gate: gate.wait())
        note = [called(lambda _, i=i, order=order: order.append(i)) for i in range(2)]
        streams, event = [ctypes.c_void_p() for _ in range(3)], ctypes.c_void_p()
        for stream in streams:
            driver.ok("cuStreamCreate", ctypes.byref(stream), 1)
        driver.ok("cuEventCreate", ctypes.byref(event), 2)
        driver.ok("cuLaunchHostFunc", streams[2], wait, None)  # nothing else runs until the gate is open
        for i in range(2):
            driver.ok("cuLaunchHostFunc", streams[i], note[i], None)
            driver.ok("cuEventRecord", event, streams[i])
        gate.set()
        for stream in streams:
            driver.ok("cuStreamSynchronize", stream)
        driver.ok("cuEventQuery", event)
        driver.ok("cuEventSynchronize", event)
        orders.add(tuple(order))
        for stream in streams:
            driver.ok("cuStreamDestroy_v2", stream)
        driver.ok("cuEventDestroy_v2", event)
    assert orders == {(0, 1), (1, 0)}


def test_another_process_says_so(libcuda):
    code = f"""
import ctypes, os
cu = ctypes.CDLL({str(libcuda)!r})
assert cu.cuInit(0) == 0
if child := os.fork():
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
n = ctypes.c_int()
os._exit(cu.cuDeviceGetCount(ctypes.byref(n)))
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 3
