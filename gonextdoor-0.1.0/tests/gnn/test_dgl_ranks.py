"""DGL's loader in two processes of torch.distributed: each draws the batches of its part on its GPU."""

import pytest
import torch
from ranks import of_ranks

pytestmark = pytest.mark.usefixtures("two_gpus")

PROGRAM = """
import dgl
from gonextdoor.dgl import PGSampler
from gonextdoor.neighbor import device as arenas
made, devices = arenas.ArenaArray.__init__, set()
def seen(self, held, id, first, count):
    devices.add(id)
    made(self, held, id, first, count)
arenas.ArenaArray.__init__ = seen
draw = torch.Generator().manual_seed(5)
g = dgl.graph((torch.randint(200, (2000,), generator=draw), torch.randint(200, (2000,), generator=draw)))
def batches_of(device):
    sampler = PGSampler([3, 4], seed=1, device=device)
    loader = dgl.dataloading.DataLoader(g, torch.arange(200), sampler, batch_size=10, use_ddp=True)
    return sampler, list(loader)
(_, here), (sampler, there) = batches_of("cpu"), batches_of("cuda")
same, result = len(here) == len(there), []
for ours, theirs in zip(there, here):
    same &= torch.equal(ours[0], theirs[0]) and torch.equal(ours[1], theirs[1])
    for one, other in zip(ours[2], theirs[2]):
        same &= torch.equal(one.edata[dgl.EID], other.edata[dgl.EID])
    result.append(ours[1])
result = sampler.device, sorted(devices), same, result
"""


def test_each_rank_draws_its_part_on_its_gpu(tmp_path):
    nodes = []
    for rank, (device, used, same, batches) in enumerate(of_ranks(PROGRAM, tmp_path)):
        assert (device, used) == (f"cuda:{rank}", [rank])
        assert same
        assert len(batches) == 10
        nodes += batches
    assert torch.equal(torch.cat(nodes).sort().values, torch.arange(200))
