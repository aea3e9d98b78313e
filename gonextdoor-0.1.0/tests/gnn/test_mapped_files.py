"""The loaders for PyG and DGL over features in mapped files: their values, and files that are truncated meanwhile."""

import subprocess
import sys

import dgl
import numpy as np
import pytest
import torch
from gonextdoor.dgl import DataLoader, PGSampler
from gonextdoor.features.mapped import mapped_rows
from gonextdoor.pyg import NeighborLoader
from torch_geometric.data import Data

ROWS, WIDTH = 20_000, 64  # 5 MB, many pages
KINDS = ["pyg", "pyg without threads", "pyg in a worker", "pyg with a memmap", "dgl"]


def table(path, dtype=np.float32):
    array = np.arange(ROWS * WIDTH).reshape(ROWS, WIDTH).astype(dtype)
    np.save(path, array)
    return array


def loader_of(kind, x):
    """A loader over a ring."""
    ends = torch.arange(ROWS), torch.arange(1, ROWS + 1) % ROWS
    if kind == "dgl":
        graph = dgl.graph(ends)
        graph.ndata["x"] = x if torch.is_tensor(x) else torch.from_numpy(x)
        sampler = PGSampler([2], seed=1, prefetch_node_feats=["x"])
        return graph, DataLoader(graph, torch.arange(ROWS), sampler, batch_size=500)
    more = {"prefetch": 0} if kind == "pyg without threads" else {"num_workers": 1} if kind == "pyg in a worker" else {}
    data = Data(x=x, edge_index=torch.stack(ends))
    return data, NeighborLoader(data, [2], batch_size=500, seed=1, **more)


def opened(kind, path):
    array = np.load(path, mmap_mode="r+")
    return array if kind == "pyg with a memmap" else torch.from_numpy(array)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_those_of_the_file(kind, tmp_path):
    whole = torch.from_numpy(table(tmp_path / "x.npy"))
    _, loader = loader_of(kind, opened(kind, tmp_path / "x.npy"))
    for batch in loader:
        ids, rows = (batch[0], batch[2][0].srcdata["x"]) if kind == "dgl" else (batch.n_id, batch.x)
        assert rows.dtype == torch.float32 and torch.equal(rows, whole[ids])


@pytest.mark.parametrize("kind", ["pyg", "dgl"])
def test_bfloat16_of_a_file(kind, tmp_path):
    table(tmp_path / "x.npy", np.int16)
    x = opened(kind, tmp_path / "x.npy").view(torch.bfloat16)
    _, loader = loader_of(kind, x)
    batch = next(iter(loader))
    ids, rows = (batch[0], batch[2][0].srcdata["x"]) if kind == "dgl" else (batch.n_id, batch.x)
    assert rows.dtype == torch.bfloat16 and torch.equal(rows.view(torch.int16), x[ids].view(torch.int16))


TRUNCATED = """
import os, sys
import test_mapped_files as tests
kind, path = sys.argv[1:]
tests.table(path)
_, loader = tests.loader_of(kind, tests.opened(kind, path))
epoch = iter(loader)
next(epoch)
os.truncate(path, 1000)
try:
    for batch in epoch:
        pass
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_shrinks_is_an_error(kind, tmp_path):
    """The process continues, and nothing else is reported at its end."""
    command = [sys.executable, "-W", "ignore", "-c", TRUNCATED, kind, str(tmp_path / "x.npy")]
    run = subprocess.run(command, capture_output=True, text=True, cwd=__file__.rpartition("/")[0], timeout=120)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("FormatError ") and "truncated" in run.stdout, run.stdout
    assert kind == "pyg in a worker" or not run.stderr, run.stderr


def test_other_tensors_are_not_in_files(tmp_path):
    table(tmp_path / "x.npy")
    mapped = opened("pyg", tmp_path / "x.npy")
    assert mapped_rows(mapped) is not None and mapped_rows(mapped[5:, :7]) is not None
    assert mapped_rows(torch.zeros(5, 3)) is None
    assert mapped_rows(mapped.t()) is None
    assert mapped_rows(mapped[0, 0]) is None
    assert mapped_rows(mapped[:0]) is None
    assert mapped_rows(torch.eye(3).to_sparse()) is None
