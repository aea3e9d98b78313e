"""Features in other processes, and what remains of them."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from gonextdoor._core import native

from gonextdoor import features

SOURCE = np.arange(3000.0).reshape(1000, 3)


def rows(x: features.Features, ids: list[int]) -> list[list[float]]:
    read: list[list[float]] = x[ids].tolist()
    return read


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers(method: str, tmp_path: pathlib.Path) -> None:
    np.save(tmp_path / "x.npy", SOURCE)
    sources = (SOURCE, tmp_path / "x.npy", [SOURCE[:500], tmp_path / "x.npy"])
    opened = [features.open(source) for source in sources]
    with multiprocessing.get_context(method).Pool(1) as pool:
        for x in opened:
            want = rows(x, [5, 999])
            assert pool.apply_async(rows, (x, [5, 999])).get(timeout=60) == want


def test_a_forked_child_reads_what_it_inherits(tmp_path: pathlib.Path) -> None:
    np.save(tmp_path / "x.npy", SOURCE)
    x = features.open([SOURCE, tmp_path / "x.npy"])
    (tmp_path / "x.npy").unlink()
    pending = x.read_async([1])
    child = os.fork()
    if child == 0:
        code = 1
        try:
            assert x[[999, 1999]].tolist() == [SOURCE[999].tolist()] * 2
            with pytest.raises(RuntimeError, match="before this process was forked"):
                pending.wait()
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert pending.wait().tolist() == [SOURCE[1].tolist()]


def test_pickled_copies(tmp_path: pathlib.Path) -> None:
    np.save(tmp_path / "x.npy", SOURCE)
    x = features.open([tmp_path / "x.npy", SOURCE.copy()], mode="r+", threads=2)
    again = pickle.loads(pickle.dumps(x))
    again.update(np.ones((1, 3)), [0])
    assert x[0].tolist() == [1, 1, 1]  # the file is the same
    typed = pickle.loads(pickle.dumps(features.open({"a": SOURCE})))
    assert typed["a"][[7]].tolist() == [SOURCE[7].tolist()]


def test_nothing_remains(tmp_path: pathlib.Path) -> None:
    def living() -> tuple[int, int]:
        gc.collect()
        return native.call("Living", 6), len(os.listdir("/proc/self/fd"))

    np.save(tmp_path / "x.npy", SOURCE)
    (tmp_path / "bad.npy").write_text("no array")
    before = living()
    for _ in range(50):
        x = features.open([tmp_path / "x.npy", SOURCE])
        assert x[[0, 1999]].shape == (2, 3)
        x.read_async(np.zeros(100_000, np.int64))  # dropped at once
        x.read_async([1]).wait()
        with pytest.raises(ValueError, match=r"\.npy format"):
            features.open(tmp_path / "bad.npy")
        with pytest.raises(TypeError):
            features.open([tmp_path / "x.npy", SOURCE.astype(int)])
    del x
    assert living() == before


def test_the_interpreter_ends_during_a_read() -> None:
    code = (
        "import numpy as np; from gonextdoor import features; x = features.open(np.ones((100_000, 256), np.float32)); "
        "reads = [x.read_async(np.arange(100_000)) for _ in range(3)]; print('begun')"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stdout, run.stderr) == (0, "begun\n", "")


def test_ctrl_c_ends_a_wait(tmp_path: pathlib.Path) -> None:
    """A read of a pipe would block for ever; a wait that is interrupted leaves the read as it is."""
    x = features.open(SOURCE)
    read = x.read_async([1])
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    finished = type(read)._finished
    try:
        type(read)._finished = lambda self, milliseconds: False  # as if it never ended
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            read.wait()
    finally:
        type(read)._finished = finished
        timer.join()
    assert read.wait().tolist() == [SOURCE[1].tolist()]


def test_threads_read_and_update_at_once() -> None:
    """A row is never seen half updated."""
    source = np.zeros((64, 4096))
    x = features.open(source)
    stop, torn = threading.Event(), []

    def look() -> None:
        while not stop.is_set():
            got = x[[3]]
            if got.min() != got.max():
                torn.append(got)

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    for i in range(200):
        x.update(np.full((1, 4096), float(i)), [3])
    stop.set()
    for thread in threads:
        thread.join()
    assert not torn and x[3].tolist() == [199.0] * 4096
