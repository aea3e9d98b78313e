"""Damaged folders and files, and folders that are cut or changed while they are used: an error, never the process."""

from __future__ import annotations

import os
import pathlib
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import gonextdoor as gnd

HERE = pathlib.Path(__file__).parent


def run(kind: str, count: int, place: pathlib.Path, seed: int = 1) -> list[str]:
    """Runs damage.py and gives a line for each case."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", HERE / "damage.py", kind, str(seed), str(count), place],
        capture_output=True,
        text=True,
        errors="replace",
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 0, f"exit {done.returncode} in the case {lines[-1:]}: {done.stderr[-2000:]}"
    assert len(lines) == count + 1
    return lines[:-1]


def check(lines: list[str], refused: float) -> None:
    odd = [line for line in lines if "ODD" in line]
    assert not odd, odd[:3]
    assert sum("FormatError" in line for line in lines) >= refused * len(lines), "the cases damage too little"


COUNTS = [pytest.param("short", id="short"), pytest.param("full", id="full", marks=pytest.mark.slow)]


@pytest.mark.parametrize("size", COUNTS)
def test_damaged_folders(tmp_path, size):
    pytest.importorskip("llvmlite", reason="no llvmlite for this Python: hooks cannot be compiled")
    check(run("folder", {"short": 120, "full": 10_000}[size], tmp_path), 0.5)


@pytest.mark.parametrize("size", COUNTS)
def test_damaged_npz(tmp_path, size):
    pytest.importorskip("scipy")
    check(run("npz", {"short": 300, "full": 10_000}[size], tmp_path), 0.5)


@pytest.mark.parametrize("size", COUNTS)
def test_folders_that_change_while_they_are_used(tmp_path, size):
    pytest.importorskip("llvmlite", reason="no llvmlite for this Python: hooks cannot be compiled")
    check(run("live", {"short": 40, "full": 1_000}[size], tmp_path), 0.5)


@pytest.fixture
def saved(tmp_path) -> pathlib.Path:
    gnd.rmat(6, 4, weights=(1, 5), seed=1).save(tmp_path / "g")
    return tmp_path / "g"


def test_weights_and_pickles_of_a_damaged_folder(saved):
    data = bytearray((saved / "biases.npy").read_bytes())
    data[131] ^= 64
    (saved / "biases.npy").write_bytes(data)
    graph = gnd.Graph.open(saved)
    for call in (lambda: graph.weights, lambda: pickle.dumps(graph)):
        with pytest.raises(gnd.FormatError, match=r"biases\.npy: the checksum"):
            call()


def test_a_changed_folder_stays_refused(saved):
    graph, other = gnd.Graph.open(saved), gnd.rmat(5, 4, seed=1)
    first = gnd.sample(graph, gnd.apps.DeepWalk(3), seed=1).numpy()
    with open(saved / "indices.npy", "r+b") as file:
        file.seek(128)
        file.write(b"\0")
    for _ in range(2):
        with pytest.raises(
            gnd.FormatError, match=r"indices\.npy was written to after it was opened: open the graph again"
        ):
            gnd.sample(graph, gnd.apps.DeepWalk(3), seed=1)
    gnd.sample(other, gnd.apps.DeepWalk(3), seed=1)
    assert first.shape == (64, 4)


def test_a_new_mode_or_link_is_no_change(saved, tmp_path):
    graph = gnd.Graph.open(saved)
    first = gnd.sample(graph, gnd.apps.DeepWalk(3), seed=1).numpy()
    (saved / "indices.npy").chmod(0o400)
    os.link(saved / "indptr.npy", tmp_path / "linked")
    saved.rename(tmp_path / "moved")
    assert np.array_equal(gnd.sample(graph, gnd.apps.DeepWalk(3), seed=1).numpy(), first)
    gnd.rmat(6, 4, weights=(1, 5), seed=2).save(tmp_path / "moved")  # the old files live on in the mapping
    assert np.array_equal(gnd.sample(graph, gnd.apps.DeepWalk(3), seed=1).numpy(), first)


def test_a_forked_child_notices_a_change(saved):
    program = """
import os, sys
import gonextdoor as gnd
graph = gnd.Graph.open(sys.argv[1])
gnd.sample(graph, gnd.apps.DeepWalk(3), seed=1)
with open(sys.argv[1] + "/indices.npy", "r+b") as file:
    if os.fork() == 0:
        file.truncate(200)
        try:
            gnd.sample(graph, gnd.apps.DeepWalk(3), seed=1)
        except gnd.FormatError as error:
            os._exit(0 if "became shorter" in str(error) else 2)
        os._exit(1)
    sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program, saved], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_faulthandler_may_be_enabled_later(saved):
    """It takes the signals of faults, and hands on what is ours."""
    pytest.importorskip("llvmlite", reason="no llvmlite for this Python: hooks cannot be compiled")
    program = """
import faulthandler, os, sys
import numpy as np
import gonextdoor as gnd
sys.path.insert(0, sys.argv[2])
from damage import HOOKED
gnd.rmat(14, 8, seed=1).save(sys.argv[1])
graph = gnd.Graph.open(sys.argv[1])
gnd.sample(graph, HOOKED, seed=1)
faulthandler.enable()
import threading
cut = threading.Timer(0.02, lambda: os.truncate(sys.argv[1] + "/indices.npy", 200))
cut.start()
try:
    for _ in range(200):
        gnd.sample(graph, HOOKED, np.arange(16384), seed=1)
except gnd.FormatError as error:
    print("refused", flush=True)
cut.join()
import ctypes
ctypes.string_at(16)  # a fault of another library
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program, saved, HERE], capture_output=True, text=True)
    assert done.stdout.strip() == "refused", done.stderr[-1500:]
    assert done.returncode < 0 or done.returncode == 2, "the other fault was lost"
    assert "SIGSEGV" in done.stderr or "Segmentation fault" in done.stderr


@pytest.mark.parametrize("name", ["graph.json", "indices.npy"])
def test_named_pipes_are_refused(saved, name):
    (saved / name).unlink()
    os.mkfifo(saved / name)
    with pytest.raises(gnd.FormatError, match=f"{name} is a named pipe: expected a regular file"):
        gnd.Graph.open(saved)


def test_a_silent_pipe_hears_an_interrupt(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    program = f"import gonextdoor as gnd; print('ready', flush=True); gnd.read({str(tmp_path / 'pipe.txt')!r})"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.readline()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=20)
    assert "KeyboardInterrupt" in error


def test_the_longest_name(tmp_path):
    graph = gnd.rmat(4, 4, seed=1)
    for _ in range(2):
        graph.save(tmp_path / ("n" * 255))
    assert os.listdir(tmp_path) == ["n" * 255]
    assert gnd.Graph.open(tmp_path / ("n" * 255)).num_edges == graph.num_edges


def test_the_next_save_removes_what_a_killed_one_left(tmp_path):
    program = """
import os, signal, sys, threading
import gonextdoor as gnd
graph = gnd.rmat(16, 16, seed=1)
threading.Thread(target=graph.save, args=(sys.argv[1],), daemon=True).start()
while not any(name.endswith(".partial") for name in os.listdir(os.path.dirname(sys.argv[1]))):
    pass
os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", program, tmp_path / "g"])
    left = [name for name in os.listdir(tmp_path) if name.endswith(".partial")]
    if not left:
        pytest.skip("the save was done before it was killed")
    gnd.rmat(4, 4, seed=1).save(tmp_path / "other")
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".partial")]


LIMITED = """
import resource, sys
import numpy as np
import gonextdoor as gnd
graph = gnd.rmat(16, 16, seed=1)
small = gnd.rmat(5, 4, seed=1)
gnd.sample(small, gnd.apps.DeepWalk(3))
used = int(open("/proc/self/status").read().split("VmSize:")[1].split()[0]) * 1024
resource.setrlimit(resource.RLIMIT_AS, (used + (int(sys.argv[2]) << 20),) * 2)
calls = {
    "snowball": lambda: gnd.sample(graph, gnd.apps.Snowball(3), np.arange(500)),
    "ladies": lambda: gnd.sample(graph, gnd.apps.LADIES([500, 500]), np.arange(64000).reshape(-1, 64)),
    "saint": lambda: gnd.sample(graph, gnd.apps.GraphSAINT("edge", budget=2000), 1000),
}
try:
    calls[sys.argv[1]]()
    print("fine")
except MemoryError as error:
    print("MemoryError")
gnd.sample(small, gnd.apps.DeepWalk(3))
print("alive")
"""


@pytest.mark.parametrize("spare", [64, 200])
@pytest.mark.parametrize("app", ["snowball", "ladies", "saint"])
def test_results_that_grow_are_refused_in_time(app, spare):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LIMITED, app, str(spare)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-800:]
    said, after = done.stdout.split()
    assert after == "alive" and (said == "MemoryError" or spare > 64)


WIDE = """
import resource, sys
import numpy as np
import gonextdoor as gnd
sys.path.insert(0, sys.argv[1])
from damage import wide
graph = gnd.rmat(8, 6, weights=(1, 5), seed=1)
resource.setrlimit(resource.RLIMIT_AS, (4 << 30,) * 2)
for count, width in ((20, 2**20), (200, 2**20)):
    app = gnd.App(sample_size=wide, steps=3, replace=True, params={"width": width})
    try:
        gnd.sample(graph, app, np.arange(count), seed=1)
    except MemoryError as error:
        assert "growing samples need" in str(error), error
    else:
        raise AssertionError("not refused")
print("alive")
"""


def test_a_hook_with_many_picks_is_refused_in_time():
    pytest.importorskip("llvmlite", reason="no llvmlite for this Python: hooks cannot be compiled")
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", WIDE, HERE], capture_output=True, text=True)
    assert done.stdout.strip() == "alive", done.stderr[-800:]
