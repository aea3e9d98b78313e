"""Graphs in folders and in a file system that fails, for tests of ranges."""

import shutil
import threading

import fsspec
import pytest
from fsspec.implementations.local import LocalFileSystem

import gonextdoor as gnd


class Flaky(LocalFileSystem):
    """The files of this machine, of which every n-th read fails. ``every`` is n, 0 for none."""

    protocol = "flaky"
    every = 0
    reads = 0
    lock = threading.Lock()

    @classmethod
    def _strip_protocol(cls, path):
        return super()._strip_protocol(path.removeprefix("flaky://"))

    def _open(self, path, mode="rb", block_size=None, **kwargs):
        if mode == "rb":
            with Flaky.lock:
                Flaky.reads += 1
                fails = Flaky.every and Flaky.reads % Flaky.every == 0
            if fails:
                raise OSError(f"read {Flaky.reads} fails")
        return super()._open(path, mode, block_size, **kwargs)


@pytest.fixture
def flaky(monkeypatch):
    fsspec.register_implementation("flaky", Flaky, clobber=True)
    monkeypatch.setattr("gonextdoor.storage.reading.FIRST_PAUSE", 1e-4)
    Flaky.every = Flaky.reads = 0
    return Flaky


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """The cache folder of a test, and no graphs that were opened before."""
    monkeypatch.setenv("GONEXTDOOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("gonextdoor.partition.anygraph._graphs", {})
    return tmp_path / "cache"


@pytest.fixture
def another(folder, tmp_path):
    """A copy of the folder of a partitioned graph, to be damaged."""
    return shutil.copytree(folder, tmp_path / "parts")


@pytest.fixture(scope="module")
def graph():
    return gnd.rmat(8, 8, seed=1)


@pytest.fixture(scope="module")
def uri(graph, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranges") / "graph"
    graph.save(folder)
    return str(folder)
