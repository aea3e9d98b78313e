"""A GPU and the processes and threads that use it, on the machine's own GPU or the emulated driver."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOOK = """import json, os, sys, threading, time
from gonextdoor._core import native
def look(): return json.loads(native.call("Doctor"))
"""
CHILD = """
pid = os.fork()
if pid == 0:
    start = time.monotonic()
    seen = look()
    print(len(seen['Devices']), seen['Reason'], flush=True)
    os._exit(0 if time.monotonic() - start < 20 else 1)
assert os.waitpid(pid, 0)[1] == 0
"""


@pytest.fixture(scope="module")
def driver() -> dict[str, str]:
    """The environment of processes that are to find a GPU."""
    if os.environ.get("GONEXTDOOR_TEST_DEVICE") == "cuda":
        return {}
    script = ROOT / "kernels" / "host" / "build.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    if done.returncode == 3:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    return {"GONEXTDOOR_LIBCUDA": done.stdout.strip()}


def run(program: str, driver: dict[str, str], **more: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **driver, **more}
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", LOOK + program]
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=120)


def test_the_doctor_tries_every_gpu(driver: dict[str, str]) -> None:
    done = run("import gonextdoor.cli as c; raise SystemExit(c.main(['doctor']))", driver)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert any(line.startswith("ok     GPU driver   speaks CUDA 1") for line in lines)
    assert any(line.startswith("ok     cuda:0 ") and line.endswith("; works") for line in lines)
    (files, *codes) = [line for line in lines if line.startswith("ok     kernels ")]
    assert re.search(r" \d+ files for (sm|compute)_\d", files)
    assert len(codes) == sum(" cuda:" in line and line.endswith("; works") for line in lines)
    for i, line in enumerate(codes):
        assert f" cuda:{i}: " in line
        assert re.search(
            r"machine code of this build \(sm_\d+a?\), loaded in \d|compiled from PTX \(compute_70\) by", line
        )


def test_a_gpu_that_does_not_work_is_a_fault(driver: dict[str, str]) -> None:
    if not driver:
        pytest.skip("a real GPU works")
    done = run(
        "import gonextdoor.cli as c; raise SystemExit(c.main(['doctor']))", driver, GONEXTDOOR_HOST_MEMORY="1000"
    )
    assert done.returncode == 1
    assert "FAULT  cuda:0       GPU out of memory: 40000 bytes are needed at once" in done.stdout


def test_a_child_forked_after_a_call_is_refused_at_once(driver: dict[str, str]) -> None:
    done = run(f"assert look()['Devices']\n{CHILD}\nprint(look()['Reason'] or 'works')", driver)
    assert done.returncode == 0, done.stderr
    child, parent = done.stdout.splitlines()
    assert child.startswith("0 the GPU was used before this process was forked")
    assert "'spawn'" in child
    assert parent == "works"


def test_a_child_of_a_child_is_refused_too(driver: dict[str, str]) -> None:
    program = "assert look()['Devices']\npid = os.fork()\nif pid: sys.exit(os.waitpid(pid, 0)[1])\n"
    done = run(f"{program}{CHILD}", driver)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("0 the GPU was used before")


def test_a_child_forked_before_any_call_may_use_the_gpu(driver: dict[str, str]) -> None:
    done = run(
        f"import gonextdoor as g\ng.sample(g.rmat(6, 4, seed=1), g.apps.DeepWalk(5), seed=1).numpy()\n{CHILD}", driver
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] != "0"


def test_a_child_forked_after_another_library_used_the_gpu_is_refused(driver: dict[str, str]) -> None:
    library = driver.get("GONEXTDOOR_LIBCUDA", "libcuda.so.1")
    use = f"import ctypes\ncuda, n = ctypes.CDLL({library!r}), ctypes.c_int()\nassert cuda.cuInit(0) == 0\n"
    use += "assert cuda.cuDeviceGetCount(ctypes.byref(n)) == 0"
    done = run(f"{use}{CHILD}", driver)
    assert done.returncode == 0, done.stderr
    assert "start workers by 'spawn'" in done.stdout


def test_spawned_workers_use_the_gpu(driver: dict[str, str], tmp_path: pathlib.Path) -> None:
    file = tmp_path / "workers.py"
    file.write_text(
        f"{LOOK}import multiprocessing\n"
        "def work(_): return bool(look()['Devices']) and not any(d['Reason'] for d in look()['Devices'])\n"
        "if __name__ == '__main__':\n"
        "    assert work(0)\n"
        "    with multiprocessing.get_context('spawn').Pool(2) as pool: print(pool.map(work, range(4)))\n"
    )
    done = subprocess.run(
        [sys.executable, file], capture_output=True, text=True, env={**os.environ, **driver}, timeout=120
    )
    assert done.stdout == "[True, True, True, True]\n", done.stderr


def test_threads_use_one_gpu(driver: dict[str, str]) -> None:
    program = """
seen = []
def work():
    for _ in range(5): seen.append(look())
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
print(len(seen), {d['Reason'] for s in seen for d in s['Devices']}, {s['Reason'] for s in seen})
"""
    done = run(program, driver)
    assert done.stdout == "20 {''} {''}\n", done.stderr
