"""PyG's HGTLoader on this package's operator: gonextdoor.pyg.install()."""

import daily
import gonextdoor.pyg
import numpy as np
import pytest
import torch
from gonextdoor.pyg.hgt import hgt_sample
from torch_geometric.loader import HGTLoader
from torch_geometric.sampler import hgt_sampler


@pytest.fixture(scope="module", autouse=True)
def installed():
    before = hgt_sampler.WITH_TORCH_SPARSE
    gonextdoor.pyg.install()
    hgt_sampler.WITH_TORCH_SPARSE = True
    yield
    hgt_sampler.WITH_TORCH_SPARSE = before


@pytest.fixture(scope="module")
def hetero(typed_edges):
    return typed_edges.pyg()


@pytest.mark.parametrize("options", daily.share([{}, {"num_workers": 2, "multiprocessing_context": "spawn"}], 2))
def test_loader(hetero, options):
    loader = HGTLoader(hetero, [20, 30], ("item", torch.arange(120)), batch_size=40, **options)
    for batch in loader:
        assert batch["item"].batch_size == 40 and torch.equal(batch["item"].n_id[:40], batch["item"].input_id)
        assert len(batch["user"].n_id) == 50 and len(batch["item"].n_id) == 40 + 30  # no item before the first users
        for kind in hetero.edge_types:
            edge, whole = batch[kind], hetero[kind].edge_index
            ends = torch.stack([batch[kind[0]].n_id[edge.edge_index[0]], batch[kind[2]].n_id[edge.edge_index[1]]])
            assert torch.equal(whole[:, edge.e_id], ends)
            among = torch.isin(whole[0], batch[kind[0]].n_id) & torch.isin(whole[1], batch[kind[2]].n_id)
            assert int(among.sum()) == len(edge.e_id) == len(edge.e_id.unique())
            assert torch.equal(batch[kind[0]].x, hetero[kind[0]].x[batch[kind[0]].n_id])


def test_batches_do_not_depend_on_the_number_of_workers(hetero):
    def run(workers):
        torch.manual_seed(2)
        loader = HGTLoader(hetero, [20, 30], "item", batch_size=100, num_workers=workers)
        return [batch["user"].n_id.clone() for batch in loader]

    assert all(map(torch.equal, run(2), run(3)))


def chances(budgets, wanted):
    """The exact chances of the sets that successive draws by squared budgets take."""
    found = {}

    def draw(taken, chance):
        if len(taken) == wanted:
            found[frozenset(taken)] = found.get(frozenset(taken), 0) + chance
            return
        total = sum(b * b for i, b in enumerate(budgets) if i not in taken)
        for i, b in enumerate(budgets):
            if i not in taken:
                draw([*taken, i], chance * b * b / total)

    draw([], 1.0)
    return found


def test_chances_are_the_squared_budgets():
    """Three papers, cited by authors' seeds of in-degrees 1, 2 and 3: budgets 11/6, 5/6 and 1/3."""
    colptr = {"p__cites__a": torch.tensor([0, 1, 3, 6])}
    row = {"p__cites__a": torch.tensor([0, 0, 1, 0, 1, 2])}
    torch.manual_seed(1)
    counts = {}
    for _ in range(3000):
        node, *_ = hgt_sample(colptr, row, {"a": torch.arange(3)}, {"a": [0], "p": [2]}, 1)
        took = frozenset(node["p"].tolist())
        counts[took] = counts.get(took, 0) + 1
    wanted = chances([11 / 6, 5 / 6, 1 / 3], 2)
    assert set(counts) == set(wanted)
    chi = sum((counts[s] - 3000 * p) ** 2 / (3000 * p) for s, p in wanted.items())
    assert chi < 18.4  # 1 in 10,000 for two degrees of freedom


def test_all_where_there_are_no_more(hetero):
    colptr = {"p__cites__a": torch.tensor([0, 1, 3, 6])}
    row = {"p__cites__a": torch.tensor([0, 0, 1, 0, 1, 2])}
    node, rows, cols, edges = hgt_sample(colptr, row, {"a": torch.tensor([2, 0])}, {"a": [9], "p": [9]}, 1)
    assert node["a"].tolist() == [2, 0] and node["p"].tolist() == [0, 1, 2]
    assert edges["p__cites__a"].tolist() == [3, 4, 5, 0]
    assert rows["p__cites__a"].tolist() == [0, 1, 2, 0] and cols["p__cites__a"].tolist() == [0, 0, 0, 1]
    assert np.shape(hetero["user"].x) == (300, 8)
