"""The loaders for PyG in two processes of torch.distributed: each draws the batches of its part on its GPU."""

import pytest
import torch
from gonextdoor.pyg import LinkNeighborLoader, NeighborLoader
from pyg_data import flat
from ranks import of_ranks

pytestmark = pytest.mark.usefixtures("two_gpus")

GIVEN = {"num_neighbors": [4, 3], "batch_size": 8, "seed": 3, "divide": "ranks"}
# Without a GPU, torch cannot read the memory of an emulated one, and gets copies.
PROGRAM = """
import numpy as np
from gonextdoor.pyg import LinkNeighborLoader, NeighborLoader, tensors
from pyg_data import flat
devices = set()
def copied(arena):
    devices.add(arena.device)
    return torch.from_numpy(np.asarray(arena))
if not torch.cuda.is_available():
    tensors._tensor = copied
data = flat()
result = []
for loader in (
    NeighborLoader(data, device="cuda", **GIVEN),
    LinkNeighborLoader(data, edge_label_index=data.edge_index[:, :200], device="cuda", **GIVEN),
):
    dicts = [batch.to_dict().items() for batch in loader]
    batches = [{name: part.cpu() for name, part in items if torch.is_tensor(part)} for items in dicts]
    result.append((loader._sampler.device, sorted(devices), batches))
"""


def loaders_of(rank, world):
    data = flat()
    given = {**GIVEN, "divide": None, "rank": rank, "world": world}
    return (
        NeighborLoader(data, **given),
        LinkNeighborLoader(data, edge_label_index=data.edge_index[:, :200], **given),
    )


def test_each_rank_draws_its_part_on_its_gpu(tmp_path):
    ranks = of_ranks(f"GIVEN = {GIVEN!r}\n{PROGRAM}", tmp_path)
    nodes, links = [], []
    for rank, (of_nodes, of_links) in enumerate(ranks):
        for (device, used, batches), loader in zip((of_nodes, of_links), loaders_of(rank, 2), strict=True):
            assert device == f"cuda:{rank}"
            assert used in ([f"cuda:{rank}"], [])  # none are seen on a real GPU
            for ours, theirs in zip(batches, loader, strict=True):
                assert ours.keys() == {name for name, part in theirs.to_dict().items() if torch.is_tensor(part)}
                assert all(torch.equal(part, theirs[name]) for name, part in ours.items())
        nodes += [batch["n_id"][: len(batch["input_id"])] for batch in of_nodes[2]]
        links += [batch["n_id"][batch["edge_label_index"]] for batch in of_links[2]]
    assert torch.equal(torch.cat(nodes).sort().values, torch.arange(300))
    want = {tuple(edge) for edge in flat().edge_index[:, :200].T.tolist()}
    assert {tuple(edge) for edge in torch.cat(links, 1).T.tolist()} == want
