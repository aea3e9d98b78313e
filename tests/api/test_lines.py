"""Samples as text, written by the core: the text of every kind of samples, complete files, interrupts, full disks."""

from __future__ import annotations

import errno
import gzip
import io
import itertools
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import corpus
import daily
import pytest
from gonextdoor.samples import lines

import gonextdoor as gnd

SUFFIXES = pytest.mark.parametrize("suffix", [".txt", ".txt.gz", ".txt.zst", ".GZ"])


@pytest.fixture(scope="module")
def walks() -> gnd.Samples:
    return gnd.sample(gnd.rmat(12, 8, seed=1), gnd.apps.DeepWalk(40), repeat=5, seed=1)


def plain(samples: gnd.Samples) -> bytes:
    """The text, the slow way."""
    names = samples.vertex_names
    rows = ([v if names is None else names[v] for v in row if v >= 0] for row in samples.numpy().tolist())
    return "".join(" ".join(map(str, row)) + "\n" for row in rows).encode()


def unpacked(path: pathlib.Path) -> bytes:
    if path.suffix.lower() == ".gz":
        return gzip.decompress(path.read_bytes())
    if path.suffix == ".zst":
        zstandard = pytest.importorskip("zstandard")
        with zstandard.open(path, "rb") as file:  # stops after the first frame
            text: bytes = file.read()
            return text
    return path.read_bytes()


def with_names(names: list[Any]) -> gnd.Graph:
    networkx = pytest.importorskip("networkx")
    return gnd.Graph.from_networkx(networkx.Graph(list(itertools.pairwise(names))))


@SUFFIXES
@pytest.mark.parametrize("app", corpus.APPS, ids=corpus.names)
def test_every_app(app: gnd.apps.SamplingApp, suffix: str, tmp_path: pathlib.Path) -> None:
    graph = corpus.graph(200, 600, symmetric=False)
    samples = gnd.sample(graph, app, corpus.many(app), seed=1)
    samples.to_linesentence(tmp_path / f"walks{suffix}")
    assert unpacked(tmp_path / f"walks{suffix}") == plain(samples)
    assert os.listdir(tmp_path) == [f"walks{suffix}"]


@SUFFIXES
@pytest.mark.parametrize("names", [["é", "日本語", "x" * 5000, "a\u200bb", "-1"], [-7, 2**40, 3, -(2**63), 2**63 - 1]])
def test_names(names: list[Any], suffix: str, tmp_path: pathlib.Path) -> None:
    samples = gnd.sample(with_names(names), gnd.apps.DeepWalk(9), seed=1)
    samples.to_linesentence(tmp_path / f"walks{suffix}")
    assert unpacked(tmp_path / f"walks{suffix}") == plain(samples)
    assert set(plain(samples).decode().split()) == set(map(str, names))


@SUFFIXES
def test_many_blocks(walks: gnd.Samples, suffix: str, tmp_path: pathlib.Path) -> None:
    for name in ("a", "b"):
        walks.to_linesentence(tmp_path / f"{name}{suffix}")
    assert unpacked(tmp_path / f"a{suffix}") == plain(walks)
    assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()
    assert list(walks.sentences()) == [line.split() for line in plain(walks).decode().splitlines()]


@SUFFIXES
def test_no_samples(suffix: str, tmp_path: pathlib.Path) -> None:
    samples = gnd.sample(corpus.graph(), gnd.apps.DeepWalk(3), [], seed=1)
    samples.to_linesentence(tmp_path / f"none{suffix}")
    assert unpacked(tmp_path / f"none{suffix}") == b""


def test_int64(tmp_path: pathlib.Path) -> None:
    samples = gnd.sample(corpus.graph(), gnd.apps.DeepWalk(3), seed=1, dtype="int64")
    samples.to_linesentence(tmp_path / "wide")
    assert (tmp_path / "wide").read_bytes() == plain(samples)


@pytest.mark.parametrize("bad", ["New York", "", "a\u00a0b", "a\x1cb", "tab\t"])
def test_names_that_are_no_words_are_refused(bad: str, tmp_path: pathlib.Path) -> None:
    samples = gnd.sample(with_names(["Rome", bad]), gnd.apps.DeepWalk(1), seed=1)
    (tmp_path / "walks.txt").write_text("before")
    with pytest.raises(ValueError, match=r"vertex_names\[1\] = '.*white space.*parquet"):
        samples.to_linesentence(tmp_path / "walks.txt")
    assert (tmp_path / "walks.txt").read_text() == "before"
    assert os.listdir(tmp_path) == ["walks.txt"]


@pytest.mark.usefixtures("gpu")
def test_samples_on_a_gpu(tmp_path: pathlib.Path) -> None:
    for app in (gnd.apps.DeepWalk(7), gnd.apps.PPR(0.3)):
        samples = gnd.sample(corpus.graph(), app, seed=4, device="cuda")
        assert samples.device == "cuda:0"
        samples.to_linesentence(tmp_path / "walks")
        assert (tmp_path / "walks").read_bytes() == plain(samples)


@SUFFIXES
def test_a_full_disk_leaves_nothing(walks: gnd.Samples, suffix: str, small_disk: pathlib.Path) -> None:
    with pytest.raises(OSError, match="No space left") as caught:
        for i in range(100):
            walks.to_linesentence(small_disk / f"{i}{suffix}")
    assert caught.value.errno == errno.ENOSPC
    assert str(caught.value.filename).startswith(str(small_disk))
    assert not [name for name in os.listdir(small_disk) if name.startswith(".")]


def test_a_device_that_is_full(walks: gnd.Samples) -> None:
    with pytest.raises(OSError, match="No space left"):
        walks.to_linesentence("/dev/full")


def test_a_pipe(walks: gnd.Samples, tmp_path: pathlib.Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    walks.to_linesentence(tmp_path / "pipe")
    reader.join()
    assert read == [plain(walks)]


def test_a_pipe_that_is_closed(walks: gnd.Samples) -> None:
    end, begin = os.pipe()
    os.close(end)
    with open(begin, "wb", buffering=0) as pipe, pytest.raises(BrokenPipeError):
        lines.write(walks, pipe)


PROGRAM = """
import sys, time, gonextdoor as gnd
samples = gnd.sample(gnd.rmat(14, 8, seed=1), gnd.apps.DeepWalk(300), repeat=10, seed=1)
print("ready", flush=True)
try:
    while True:
        samples.to_linesentence(sys.argv[1])
except KeyboardInterrupt:
    print("interrupted", len(samples), flush=True)
"""


@pytest.fixture
def child() -> Iterator[Any]:
    children = []

    def start(path: pathlib.Path) -> subprocess.Popen[str]:
        command = [sys.executable, "-u", "-c", PROGRAM, str(path)]
        children.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        assert children[0].stdout.readline() == "ready\n"
        return children[0]

    yield start
    for process in children:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("name", daily.share(["walks.txt", "walks.txt.gz", "walks.txt.zst", "pipe"], 4))
def test_an_interrupt_leaves_the_file_before(child: Any, name: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / name
    if name == "pipe":
        os.mkfifo(path)
        holder = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # open for reading, but never read
    process = child(path)
    time.sleep(0.7)
    before = None if name == "pipe" or not path.exists() else path.read_bytes()
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert out == "interrupted 163840\n", err
    assert time.monotonic() - began < 5
    assert not [left for left in os.listdir(tmp_path) if left != name]
    if before is not None:
        assert path.read_bytes() == before
    if name == "pipe":
        os.close(holder)


def test_the_command_line_writes_the_same(walks: gnd.Samples, tmp_path: pathlib.Path) -> None:
    walks.graph.save(tmp_path / "graph")
    command = [sys.executable, "-m", "gonextdoor", "walk", str(tmp_path / "graph"), "--length", "40", "--repeat", "5"]
    for target in ("-", str(tmp_path / "w.txt"), str(tmp_path / "w.txt.gz")):
        done = subprocess.run([*command, "--seed", "1", "-q", "-o", target], capture_output=True, check=True)
        if target == "-":
            assert done.stdout == plain(walks)
        else:
            assert unpacked(pathlib.Path(target)) == plain(walks)


def test_a_file_without_a_descriptor_is_refused(walks: gnd.Samples) -> None:
    with pytest.raises(io.UnsupportedOperation):
        lines.write(walks, io.BytesIO())
