"""torchdata's StatefulDataLoader: epochs continue at any batch, with and without workers, by both kinds of data set."""

import pytest
import torch
from gonextdoor.pyg import NeighborLoader, NeighborSampler
from pyg_data import asked, flat
from torch.utils.data import IterableDataset, get_worker_info

pytest.importorskip(
    "torchdata.stateful_dataloader", reason="torchdata has it from 0.8 on; GraphBolt of DGL 2.1 needs 0.7.1"
)
from torchdata.stateful_dataloader import StatefulDataLoader

WORKERS = [0, 2]
TAKEN = 3


def resumed(make, key):
    """All batches of an epoch, and those of an epoch that begins in one loader and continues in another."""
    whole = [key(batch) for batch in make()]
    loader = make()
    batches = iter(loader)
    begun = [key(next(batches)) for _ in range(TAKEN)]
    other = make()
    other.load_state_dict(loader.state_dict())
    return whole, begun + [key(batch) for batch in other]


@pytest.mark.parametrize("count", WORKERS)
def test_a_sampler_in_collate_fn(count):
    """torchdata has the order of the ids, and the sampler names a batch by the epoch and its ids."""
    data = flat()

    def make():
        sampler = NeighborSampler(data, [4, 3], seed=3)
        sampler.set_epoch(2)
        collate = Collate(sampler)
        order = torch.Generator().manual_seed(1)
        return StatefulDataLoader(range(300), 32, True, collate_fn=collate, num_workers=count, generator=order)

    whole, again = resumed(make, lambda out: (out.node.tolist(), out.edge.tolist()))
    assert whole == again and len(whole) == 10


class Collate:
    """Samples a list of ids."""

    def __init__(self, sampler):
        self.sampler = sampler

    def __call__(self, ids):
        return self.sampler.sample_from_nodes(asked(ids))


class Epochs(IterableDataset):
    """A loader of this package as a data set whose state is the loader's. Each worker takes the batches of a rank."""

    def __init__(self, data):
        self.data, self.loader, self.state = data, None, None

    def __iter__(self):
        info = get_worker_info()
        rank = {} if info is None else {"rank": info.id, "world": info.num_workers}
        self.loader = NeighborLoader(self.data, [4, 3], batch_size=25, seed=3, shuffle=True, **rank)
        if self.state is not None:
            self.loader.load_state_dict(self.state)
            self.state = None
        return iter(self.loader)

    def state_dict(self):
        return self.loader.state_dict()

    def load_state_dict(self, state):
        self.state = state


@pytest.mark.parametrize("count", WORKERS)
def test_a_loader_as_data_set(count):
    data = flat()
    key = lambda batch: (batch.n_id.tolist(), batch.e_id.tolist())  # noqa: E731
    whole, again = resumed(lambda: StatefulDataLoader(Epochs(data), None, num_workers=count), key)
    alone = [key(batch) for batch in NeighborLoader(data, [4, 3], batch_size=25, seed=3, shuffle=True)]
    assert whole == again == alone and len(whole) == 12
