"""PyG's own loaders in a spawned worker, without pyg-lib and torch-sparse: one process fetches a batch of each."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import sys
import torch
if "install" in sys.argv:
    import gonextdoor.pyg
    gonextdoor.pyg.install()
import torch_geometric.loader as loader
from torch_geometric.data import Data, HeteroData
from torch_geometric.nn import MetaPath2Vec, Node2Vec

edges = torch.arange(4000).view(2, -1) * 7 % 300
data = Data(x=torch.ones(300, 2), edge_index=edges, t=torch.arange(300), num_nodes=300)
typed = HeteroData()
typed["a"].x, typed["b"].x = torch.ones(300, 2), torch.ones(300, 2)
kinds = ("a", "to", "b"), ("b", "from", "a")
for kind, ends in zip(kinds, (edges, edges.flip(0))):
    typed[kind].edge_index = ends

SAINT = {"num_workers": 2, "multiprocessing_context": "spawn"}
W = {**SAINT, "batch_size": 8}


def loaders():
    yield loader.NeighborLoader(data, [3, 2], time_attr="t", **W)
    yield loader.NeighborLoader(data, [3, 2], subgraph_type="induced", **W)
    yield loader.NeighborLoader((typed, typed), [3], input_nodes="a", **W)
    yield loader.LinkNeighborLoader(data, [3], neg_sampling="triplet", **W)
    yield loader.HGTLoader(typed, [4], input_nodes="a", **W)
    yield loader.ShaDowKHopSampler(data, 2, 3, **W)
    yield loader.GraphSAINTRandomWalkSampler(data, 20, 2, num_steps=3, **SAINT)
    yield loader.ClusterLoader(loader.ClusterData(data, 20, log=False), **W)
    yield Node2Vec(edges, 4, 5, 3, p=2.0).loader(**W)
    yield MetaPath2Vec(typed.edge_index_dict, 4, [*kinds], 4, 3).loader(**W)


def fetch(entries):
    from torch.utils.data._utils.fetch import _MapDatasetFetcher  # as torch's workers

    for name, dataset, together, collate, index in entries:
        print(name, type(_MapDatasetFetcher(dataset, together, collate, False).fetch(index)).__name__, flush=True)


def begun(made):
    if hasattr(made, "_begun"):
        made._pass = made._begun()
    return made


if __name__ == "__main__":
    entries = []
    for made in map(begun, loaders()):
        index = next(iter(made._index_sampler))
        entries.append((type(made).__name__, made.dataset, made._auto_collation, made.collate_fn, index))
    worker = torch.multiprocessing.get_context("spawn").Process(target=fetch, args=(entries,))
    worker.start()
    worker.join()
    sys.exit(worker.exitcode)
"""

FETCHED = """NeighborLoader Data
NeighborLoader Data
NeighborLoader HeteroData
LinkNeighborLoader Data
HGTLoader HeteroData
ShaDowKHopSampler DataBatch
GraphSAINTRandomWalkSampler Data
ClusterLoader Data
DataLoader tuple
DataLoader tuple
"""


WAYS = [["-m", "gonextdoor.pyg", "program.py"], pytest.param(["program.py", "install"], marks=pytest.mark.slow)]


@pytest.mark.parametrize("way", WAYS, ids=["module", "install"])
def test_a_spawned_worker_fetches_batches_of_every_loader(way, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    paths = os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))
    command = [sys.executable, "-W", "ignore", *way]
    env = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout == FETCHED, done.stdout + done.stderr
