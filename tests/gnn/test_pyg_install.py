"""PyG's own loaders and models on this package's operators: gonextdoor.pyg.install()."""

import functools
import gc
import subprocess
import sys
import types

import daily
import gonextdoor.pyg
import numpy as np
import pytest
import torch
from gonextdoor.neighbor.sampler import NeighborSampler
from gonextdoor.pyg import ops, walks
from gonextdoor.pyg.cache import TensorCache
from torch_geometric.data import Data, HeteroData
from torch_geometric.loader import LinkNeighborLoader, NeighborLoader
from torch_geometric.nn import Node2Vec
from torch_geometric.transforms import RootedRWSubgraph
from torch_geometric.utils import dropout_path, k_hop_subgraph

FLAGS = ("WITH_PYG_LIB", "WITH_METIS", "WITH_EDGE_TIME_NEIGHBOR_SAMPLE", "WITH_WEIGHTED_NEIGHBOR_SAMPLE")


@pytest.fixture(scope="module", autouse=True)
def installed():
    """For this file's tests alone."""
    modules = [m for name, m in list(sys.modules.items()) if name.startswith("torch_geometric")]
    before = [(m, flag, vars(m)[flag]) for m in modules for flag in FLAGS if flag in vars(m)]
    assert gonextdoor.pyg.install()
    assert gonextdoor.pyg.install()
    yield
    for module, flag, value in before:
        setattr(module, flag, value)


@pytest.fixture(scope="module")
def data(edges):
    return edges.pyg()


@pytest.fixture(scope="module")
def hetero(typed_edges):
    return typed_edges.pyg()


@pytest.mark.parametrize("number", [0, 2])
def test_neighbor_loader(data, number):
    torch.manual_seed(1)
    batches = list(NeighborLoader(data, [5, 3], torch.arange(1000), batch_size=256, num_workers=number))
    for batch in batches:
        assert torch.equal(data.edge_index[:, batch.e_id], batch.n_id[batch.edge_index])
        assert torch.equal(batch.n_id[: batch.batch_size], batch.input_id)
        assert sum(batch.num_sampled_nodes) == len(batch.n_id) and sum(batch.num_sampled_edges) == len(batch.e_id)
        assert int(batch.edge_index[1].bincount().max()) <= 5


@pytest.mark.parametrize("number", [0, 2])
def test_induced_subgraphs_have_all_edges_among_their_nodes(data, hetero, number):
    options = {"batch_size": 100, "subgraph_type": "induced", "num_workers": number}
    for batch in NeighborLoader(data, [5, 3], torch.arange(300), **options):
        assert torch.equal(data.edge_index[:, batch.e_id], batch.n_id[batch.edge_index])
        assert int(torch.isin(data.edge_index, batch.n_id).all(0).sum()) == batch.num_edges == len(batch.e_id.unique())
    for batch in NeighborLoader(hetero, [5, 3], ("item", torch.arange(300)), **options):
        for kind in hetero.edge_types:
            whole, ends = hetero[kind].edge_index, (batch[kind[0]].n_id, batch[kind[2]].n_id)
            placed = torch.stack([ends[i][batch[kind].edge_index[i]] for i in (0, 1)])
            assert torch.equal(whole[:, batch[kind].e_id], placed)
            assert int((torch.isin(whole[0], ends[0]) & torch.isin(whole[1], ends[1])).sum()) == placed.size(1)
    with pytest.raises(ValueError, match="disjoint"):
        next(iter(NeighborLoader(data, [5], disjoint=True, subgraph_type="induced")))


@pytest.mark.parametrize("method", daily.share(["fork", "spawn"], 2, test="install"))
def test_batches_do_not_depend_on_the_number_of_workers(data, method):
    def run(epochs=2, **options):
        torch.manual_seed(1)
        loader = NeighborLoader(data, [5, 3], batch_size=256, **options)
        return [batch.e_id.clone() for _ in range(epochs) for batch in loader]

    two, three = run(num_workers=2), run(num_workers=3)
    assert len(two) == len(three) and all(map(torch.equal, two, three))
    assert all(map(torch.equal, two, run(epochs=1, num_workers=2, multiprocessing_context=method)))
    assert not torch.equal(two[0], two[len(two) // 2])  # a second epoch is a fresh one
    assert all(map(torch.equal, run(), run()))


def test_all_neighbours(data):
    batch = next(iter(NeighborLoader(data, [-1, -1], torch.tensor([3, 50, 9]), batch_size=3)))
    nodes, _, _, kept = k_hop_subgraph(torch.tensor([3, 50, 9]), 2, data.edge_index, num_nodes=data.num_nodes)
    assert torch.equal(batch.n_id.sort().values, nodes)
    assert set(batch.e_id.tolist()) <= set(kept.nonzero().view(-1).tolist())
    near = torch.isin(data.edge_index[1], torch.tensor([3, 50, 9]))
    assert set(near.nonzero().view(-1).tolist()) <= set(batch.e_id.tolist())


@pytest.mark.parametrize("negatives", [None, "binary", "triplet"])
def test_link_neighbor_loader(data, negatives):
    loader = LinkNeighborLoader(data, [4, 2], data.edge_index[:, :200], neg_sampling=negatives, batch_size=50)
    for batch in loader:
        assert torch.equal(data.edge_index[:, batch.e_id], batch.n_id[batch.edge_index])


@pytest.mark.parametrize("number", [0, 2])
def test_hetero(hetero, number):
    loader = NeighborLoader(hetero, [4, 2], ("item", torch.arange(100)), batch_size=40, num_workers=number)
    for batch in loader:
        for kind in hetero.edge_types:
            edge = batch[kind]
            ends = torch.stack([batch[kind[0]].n_id[edge.edge_index[0]], batch[kind[2]].n_id[edge.edge_index[1]]])
            assert torch.equal(hetero[kind].edge_index[:, edge.e_id], ends)
            assert len(edge.num_sampled_edges) == 2
        assert torch.equal(batch["item"].n_id[: batch["item"].batch_size], batch["item"].input_id)
    by_type = {kind: [2, 1] for kind in hetero.edge_types} | {("user", "follows", "user"): [0, 3]}
    batch = next(iter(NeighborLoader(hetero, by_type, "user", batch_size=30)))
    assert batch["user", "follows", "user"].num_sampled_edges[0] == 0


@pytest.mark.parametrize("strategy", ["uniform", "last"])
def test_by_time(data, hetero, strategy):
    loader = NeighborLoader(
        data, [4, 4], torch.arange(100), input_time=torch.full((100,), 500), time_attr="edge_time",
        temporal_strategy=strategy, batch_size=50,
    )  # fmt: skip
    for batch in loader:
        assert bool((batch.edge_time <= 500).all()) and len(batch.batch) == len(batch.n_id)
    typed = NeighborLoader(hetero, [4, 4], "item", time_attr="time", temporal_strategy=strategy, batch_size=50)
    for batch in typed:
        times = hetero["item"].time[batch["item"].input_id]
        for kind in ("user", "item"):
            assert bool((batch[kind].time <= times[batch[kind].batch]).all())


def test_by_weight():
    edge_index = torch.stack([torch.arange(1, 4), torch.zeros(3, dtype=torch.int64)])
    data = Data(edge_index=edge_index, edge_weight=torch.tensor([1.0, 2.0, 0.0]), num_nodes=4)
    torch.manual_seed(0)
    loader = NeighborLoader(data, [1], torch.zeros(1, dtype=torch.int64), weight_attr="edge_weight")
    counts = torch.zeros(3)
    for _ in range(1500):
        counts[next(iter(loader)).e_id] += 1
    assert counts[2] == 0 and abs(float(counts[1]) / 1500 - 2 / 3) < 0.05  # four standard errors


def test_repeated_seeds(data):
    batch = next(iter(NeighborLoader(data, [3], torch.tensor([5, 7, 5, 5]), batch_size=4)))
    assert batch.n_id[:4].tolist() == [5, 7, 5, 5]
    assert torch.equal(data.edge_index[:, batch.e_id], batch.n_id[batch.edge_index])


def test_the_operator_itself(data):
    """As pyg-lib has it: rows lead away from the seeds unless csc says otherwise."""
    rowptr = torch.tensor([0, 2, 3, 3])
    col = torch.tensor([1, 2, 0])
    row, ends, node, edge, nodes, counts = torch.ops.pyg.neighbor_sample(rowptr, col, torch.tensor([0]), [-1, -1])
    assert node.tolist() == [0, 1, 2] and row.tolist() == [0, 0, 1] and ends.tolist() == [1, 2, 0]
    assert edge.tolist() == [0, 1, 2] and nodes == [1, 2, 0] and counts == [2, 1]
    out = torch.ops.pyg.neighbor_sample(rowptr, col, torch.tensor([0]), [-1, -1], csc=True, return_edge_id=False)
    assert out[0].tolist() == [1, 2, 0] and out[1].tolist() == [0, 0, 1] and out[3] is None
    small = torch.ops.pyg.neighbor_sample(rowptr.int(), col.int(), torch.tensor([0]), [-1])
    assert small[0].dtype == small[2].dtype == torch.int32
    trees = torch.ops.pyg.neighbor_sample(rowptr, col, torch.tensor([0, 1]), [-1], disjoint=True)
    assert trees[2].tolist() == [[0, 0], [1, 1], [0, 1], [0, 2], [1, 0]]
    with pytest.raises(NotImplementedError, match="directed = False"):
        torch.ops.pyg.neighbor_sample(rowptr, col, torch.tensor([0]), [1], directed=False)
    with pytest.raises(ValueError, match="disjoint = False"):
        torch.ops.pyg.neighbor_sample(rowptr, col, torch.tensor([0]), [1], node_time=torch.zeros(3, dtype=torch.long))
    with pytest.raises(IndexError, match="7"):
        torch.ops.pyg.neighbor_sample(rowptr, col, torch.tensor([7]), [1])


def test_what_is_kept_of_tensors():
    made = []
    kept = TensorCache(2)

    def make():
        made.append(None)
        return len(made)

    def get(tensor):
        return kept.get([tensor], (), make)

    a = torch.arange(4)
    both = torch.arange(8).view(2, 4)
    assert get(a) == get(a) == 1
    assert get(both[1]) == get(both[1]) == 2  # another view of the same memory each time
    a.add_(1)
    assert get(a) == 3  # changed
    assert get(both[1]) == 2
    del both
    gc.collect()
    for _ in range(50):
        fresh = torch.arange(8).view(2, 4)  # may get the memory of one that is gone
        assert get(fresh[1]) > len(made) - 1
    assert len(kept) <= 2


def test_operators_keep_what_they_made(data, monkeypatch):
    rowptr, col = torch.tensor([0, 2, 3, 3]), torch.tensor([1, 2, 0])
    made = []
    monkeypatch.setattr(
        ops, "NeighborSampler", lambda *args, **options: made.append(args) or NeighborSampler(*args, **options)
    )
    for _ in range(3):
        torch.ops.pyg.neighbor_sample(rowptr, col, torch.tensor([0]), [1])
    assert len(made) == 1
    col[0] = 2
    torch.ops.pyg.neighbor_sample(rowptr, col, torch.tensor([0]), [1])
    torch.ops.pyg.neighbor_sample(rowptr, col, torch.tensor([0]), [2])
    assert len(made) == 3
    del rowptr, col
    gc.collect()
    for _ in range(3):  # tensors that are made for each call take each other's memory
        row, ends, *_ = torch.ops.pyg.neighbor_sample(
            torch.tensor([0, 1, 1]), torch.tensor([1]), torch.tensor([0]), [1]
        )
        assert row.tolist() == [0] and ends.tolist() == [1]
    assert len(made) == 6


def test_graphs_go_with_their_tensors():
    gc.collect()
    row = torch.arange(101)
    col = torch.arange(100)
    walks.random_walk(row, col, torch.tensor([0]), 3)
    held = len(walks._graphs)
    col[0] = 5
    assert walks.random_walk(row, col, torch.tensor([0]), 1).tolist() == [[0, 5]]  # sees the change
    assert len(walks._graphs) <= held + 1


# ---- walks


@pytest.fixture(scope="module")
def csr(edges):
    order = np.argsort(edges.src, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(edges.src, minlength=edges.vertices))])
    return torch.from_numpy(indptr), torch.from_numpy(edges.dst[order])


@pytest.mark.parametrize("p, q", [(1.0, 1.0), (0.5, 2.0)])
def test_walks_follow_edges(csr, p, q):
    rowptr, col = csr
    start = torch.arange(2000)
    out = torch.ops.pyg.random_walk(rowptr, col, start, 10, p, q)
    assert out.shape == (2000, 11) and out.dtype == torch.int64 and torch.equal(out[:, 0], start)
    ends = torch.repeat_interleave(torch.arange(2000), rowptr.diff()) * 2000 + col
    src, dst = out[:, :-1].reshape(-1), out[:, 1:].reshape(-1)
    dead = rowptr.diff()[src] == 0
    assert bool(dead.any()) and torch.equal(src[dead], dst[dead])  # they stay
    assert bool(torch.isin((src * 2000 + dst)[~dead], ends).all())
    padded = gonextdoor.pyg.random_walk(rowptr, col, start, 10, p, q, dead_ends="pad")
    assert bool((padded < 0).any()) and bool((rowptr.diff()[padded[padded[:, -1] < 0, 0]] >= 0).all())
    assert gonextdoor.pyg.random_walk(rowptr.int(), col.int(), start.int(), 2, p, q).dtype == torch.int32


def test_walks_by_weight_and_by_p():
    rowptr, col = torch.tensor([0, 2, 3, 4]), torch.tensor([1, 2, 0, 0])
    weights = torch.tensor([3.0, 1.0, 1.0, 1.0])
    start = torch.zeros(20000, dtype=torch.int64)
    out = gonextdoor.pyg.random_walk(rowptr, col, start, 1, weights=weights, seed=1)
    assert abs(float((out[:, 1] == 1).double().mean()) - 0.75) < 0.015
    # from 0 over 1 back to 0: 1 is the vertex before, with bias 1/p; 2 is no neighbour of 1, with 1/q
    out = gonextdoor.pyg.random_walk(rowptr, col, start + 1, 2, 0.25, 1.0, seed=1)
    assert abs(float((out[:, 2] == 1).double().mean()) - 0.8) < 0.015
    assert torch.equal(out, gonextdoor.pyg.random_walk(rowptr, col, start + 1, 2, 0.25, 1.0, seed=1))


REFUSED = [
    ({"start": torch.tensor([5])}, IndexError, r"start\[0\] = 5"),
    ({"start": torch.tensor([[0]])}, ValueError, r"start: expected shape"),
    ({"start": [0]}, TypeError, r"start: expected a tensor"),
    ({"col": torch.tensor([0.5])}, TypeError, r"col: dtype torch.float32"),
    ({"walk_length": -1}, ValueError, r"walk_length = -1"),
    ({"p": 0.0}, ValueError, r"p = 0"),
    ({"weights": torch.ones(3)}, ValueError, r"weights has 3 elements"),
    ({"weights": -torch.ones(1)}, ValueError, r"weights"),
    ({"dead_ends": "loop"}, ValueError, r"dead_ends = 'loop'"),
    ({"seed": -1}, ValueError, r"seed = -1"),
]


@pytest.mark.parametrize("change, kind, text", REFUSED, ids=[case[2] for case in REFUSED])
def test_walks_refuse(change, kind, text):
    given = {"rowptr": torch.tensor([0, 1, 1]), "col": torch.tensor([1]), "start": torch.tensor([0]), "walk_length": 3}
    with pytest.raises(kind, match=text):
        gonextdoor.pyg.random_walk(**(given | change))


@pytest.fixture(scope="module")
def groups():
    """Which group each node is in, and all edges within groups."""
    group = torch.arange(60) // 20
    edge_index = torch.combinations(torch.arange(60)).t()
    edge_index = edge_index[:, group[edge_index[0]] == group[edge_index[1]]]
    return group, torch.cat([edge_index, edge_index.flip(0)], 1)


def test_node2vec_in_workers(groups, workers):
    group, edge_index = groups
    model = Node2Vec(edge_index, 8, walk_length=6, context_size=4, walks_per_node=4, p=0.5, q=2.0)
    for positive, _ in model.loader(batch_size=20, shuffle=True, **workers):
        assert bool((group[positive] == group[positive[:, :1]]).all())


def test_node2vec_learns(groups):
    torch.manual_seed(0)
    _, edge_index = groups
    model = Node2Vec(edge_index, 8, walk_length=6, context_size=4, walks_per_node=4, p=0.5, q=2.0)
    optimizer = torch.optim.Adam(model.parameters(), 0.05)
    first = last = None
    for _ in range(25):
        for positive, negative in model.loader(batch_size=20, shuffle=True):
            loss = model.loss(positive, negative)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            first, last = loss.item() if first is None else first, loss.item()
    assert last < first
    model.random_walk_fn = functools.partial(gonextdoor.pyg.random_walk, weights=torch.rand(edge_index.size(1)))
    assert model.sample([0, 1])[0].shape[1] == 4


def test_other_users_of_walks(data):
    small = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), x=torch.rand(4, 2), num_nodes=4)
    out = RootedRWSubgraph(walk_length=2)(small)
    assert out.n_sub_batch.unique().tolist() == [0, 1, 2, 3]
    left, mask = dropout_path(data.edge_index, p=0.3)
    assert 0 < left.size(1) < data.num_edges and int(mask.sum()) == left.size(1)


def test_pyg_without_it_says_what_it_lacks():
    code = (
        "import torch, warnings; warnings.simplefilter('ignore')\n"
        "from torch_geometric.nn import Node2Vec\n"
        "try:\n    Node2Vec(torch.tensor([[0], [1]]), 2, 3, 2)\n"
        "except ImportError: print('none')\n"
        "import gonextdoor.pyg\n"
        "print(gonextdoor.pyg.install(), Node2Vec(torch.tensor([[0], [1]]), 2, 3, 2))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == ["none", "True Node2Vec(2, 2)"], done.stderr


def test_pyg_lib_stays_in_use(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyg_lib", types.ModuleType("pyg_lib"))
    with pytest.warns(UserWarning, match="pyg-lib is installed, and"):
        assert not gonextdoor.pyg.install()


def test_copies_of_the_flags_in_modules_that_were_imported_before():
    """RelBench's loader copies one when it is imported."""
    copied = "from torch_geometric.typing import WITH_PYG_LIB, WITH_EDGE_TIME_NEIGHBOR_SAMPLE\n"
    program = f"""
import sys, types
registered, loaded, other = map(types.ModuleType, ("registered", "loaded", "other"))
for module in (registered, loaded):  # importlib.util.module_from_spec leaves it to the program to register one
    exec({copied!r}, vars(module))
other.WITH_PYG_LIB = "a text"
sys.modules["registered"] = registered
{copied}
assert not WITH_PYG_LIB and not registered.WITH_PYG_LIB
import gonextdoor.pyg
assert gonextdoor.pyg.install()
for module in (sys.modules["__main__"], registered, loaded):
    assert module.WITH_PYG_LIB is True and module.WITH_EDGE_TIME_NEIGHBOR_SAMPLE is True
assert other.WITH_PYG_LIB == "a text"
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_times_without_edges_are_the_seeds_alone():
    none = torch.empty(2, 0, dtype=torch.long)
    data = Data(edge_index=none, num_nodes=4, t=none[0])
    loader = NeighborLoader(data, [2], torch.tensor([1]), input_time=torch.tensor([5]), time_attr="t")
    assert next(iter(loader)).n_id.tolist() == [1]
    hetero = HeteroData()
    hetero["a"].t, hetero["a"].num_nodes, hetero["b"].num_nodes = torch.arange(4), 4, 3
    hetero["b", "to", "b"].edge_index = torch.tensor([[0], [1]])
    moment = torch.zeros(3, dtype=torch.long)
    loader = NeighborLoader(hetero, [2], input_nodes="b", input_time=moment, time_attr="t", batch_size=3)
    assert next(iter(loader))["b"].n_id.tolist() == [0, 1, 2, 0]
