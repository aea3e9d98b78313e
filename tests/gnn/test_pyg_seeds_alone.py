"""No hops, no types of edges, no edges; and refusals in the words of PyG's arguments."""

import pytest
import torch
from gonextdoor.pyg import LinkNeighborLoader, NeighborLoader, NeighborSampler
from torch_geometric.data import Data, HeteroData
from torch_geometric.loader import LinkNeighborLoader as PygLinkNeighborLoader
from torch_geometric.loader import NeighborLoader as PygNeighborLoader
from torch_geometric.nn import GCN


@pytest.fixture
def unlinked():
    data = HeteroData()
    data["paper"].x, data["author"].x = torch.randn(50, 3), torch.randn(20, 2)
    return data


@pytest.mark.parametrize("options", [{}, {"prefetch": 0}, {"num_workers": 2}, {"disjoint": True}], ids=str)
def test_no_hops_are_the_seeds_alone(edges, options):
    data = edges.pyg()
    seen = []
    for batch in NeighborLoader(data, [], torch.arange(0, 1000, 3), batch_size=100, **options):
        assert torch.equal(batch.x, data.x[batch.n_id]) and len(batch.n_id) == batch.batch_size
        assert batch.num_edges == 0 and batch.num_sampled_nodes == [batch.batch_size]
        assert batch.num_sampled_edges == []
        seen += batch.n_id.tolist()
    assert seen == list(range(0, 1000, 3))


def test_no_hops_of_links_and_types(edges, typed_edges):
    data = edges.pyg()
    for batch in LinkNeighborLoader(data, [], neg_sampling="binary", batch_size=1000):
        ends = batch.n_id[batch.edge_label_index[:, batch.edge_label > 0]]
        assert torch.equal(ends, data.edge_index[:, batch.input_id])
        assert batch.num_edges == 0
    data = typed_edges.pyg()
    for numbers in ([], {kind: [] for kind in typed_edges.TYPES}):
        for batch in NeighborLoader(data, numbers, "item", batch_size=100):
            assert batch["item"].num_sampled_nodes == [100] and batch["user"].num_nodes == 0
            assert all(batch[kind].num_edges == 0 and batch[kind].num_sampled_edges == [] for kind in typed_edges.TYPES)


def test_all_edges_among_the_seeds(edges):
    data = edges.pyg()
    batch = next(iter(NeighborLoader(data, [], torch.arange(500), batch_size=500, subgraph_type="induced")))
    inside = (data.edge_index < 500).all(0)
    assert sorted(batch.e_id.tolist()) == inside.nonzero().flatten().tolist()


@pytest.mark.parametrize("numbers", [[], [2], [3, -1], {}], ids=str)
@pytest.mark.parametrize("options", [{}, {"subgraph_type": "bidirectional"}, {"disjoint": True}], ids=str)
def test_data_without_types_of_edges(unlinked, numbers, options):
    seen = []
    for batch in NeighborLoader(unlinked, numbers, ("paper", torch.arange(40)), batch_size=16, **options):
        assert batch.edge_types == [] and batch["author"].num_nodes == 0
        assert torch.equal(batch["paper"].x, unlinked["paper"].x[batch["paper"].n_id])
        if options.get("subgraph_type") != "bidirectional":  # whose batches have no counts
            assert batch["paper"].num_sampled_nodes == [batch["paper"].batch_size] + [0] * len(numbers)
        seen += batch["paper"].n_id.tolist()
    assert seen == list(range(40))


@pytest.mark.parametrize("negative", [None, "binary", "triplet"])
def test_links_of_a_type_without_edges(unlinked, negative):
    links = torch.stack([torch.arange(50), torch.arange(50) % 20])
    loader = LinkNeighborLoader(
        unlinked, [], edge_label_index=(("paper", "by", "author"), links), neg_sampling=negative, batch_size=10
    )
    for batch in loader:
        if negative == "triplet":
            assert torch.equal(
                batch["paper"].n_id[batch["paper"].src_index], links[0, batch["paper", "by", "author"].input_id]
            )
            continue
        pair = batch["paper", "by", "author"]
        assert torch.equal(batch["paper"].n_id[pair.edge_label_index[0, :10]], links[0, pair.input_id])
        assert torch.equal(batch["author"].n_id[pair.edge_label_index[1, :10]], links[1, pair.input_id])
    with pytest.raises(ValueError, match=r"'reader'.*: the types of edges are none, those of nodes 'paper', 'author'"):
        LinkNeighborLoader(unlinked, [], edge_label_index=(("paper", "by", "reader"), links), batch_size=10)


def test_numbers_that_are_refused(typed_edges):
    data, kind = typed_edges.pyg(), typed_edges.TYPES[0]
    others = {other: [1, 1] for other in typed_edges.TYPES[1:]}
    cases = [
        ([2, -3], ValueError, r"num_neighbors\[1\] = -3: expected from 0 to 2\^28, or -1 for all"),
        ([2.5], TypeError, r"num_neighbors\[0\] = 2.5"),
        ([[1]], TypeError, r"num_neighbors\[0\] = \[1\]"),
        (3, TypeError, "num_neighbors = 3: expected a list"),
        ({kind: [1, -2], **others}, ValueError, r"num_neighbors\[\('user', 'buys', 'item'\)\]\[1\] = -2"),
        ({kind: 3, **others}, TypeError, r"num_neighbors\[\('user', 'buys', 'item'\)\] = 3: expected a list"),
        ({kind: [1], **others}, ValueError, r"hops must be the same across all types of edges, got lists of 1, 2"),
    ]
    for numbers, error, text in cases:
        for make in (lambda n: NeighborLoader(data, n, "item"), lambda n: NeighborSampler(data, n)):
            with pytest.raises(error, match=text) as caught:
                make(numbers)
            assert "fanout" not in str(caught.value)
    with pytest.raises(ValueError, match="HeteroData without nodes"):
        NeighborSampler(HeteroData(), [1])


def test_pyg_s_models_take_our_loaders(edges):
    data = Data(x=torch.randn(14, 16), edge_index=torch.randint(14, (2, 40)))
    loader, model = NeighborLoader(data, [-1], batch_size=4), GCN(16, 8, num_layers=2).eval()
    assert isinstance(loader, PygNeighborLoader) and issubclass(LinkNeighborLoader, PygLinkNeighborLoader)
    with torch.no_grad():
        theirs = GCN.inference(model, loader), GCN.inference(model, loader, cache=True)
    assert torch.allclose(*theirs) and theirs[0].shape == (14, 8)


def times_without_edges():
    """Data with times in which no choice among edges follows them, with the arguments of a loader."""
    none, none_of_edges = torch.empty(2, 0, dtype=torch.long), torch.empty(0, dtype=torch.long)
    of_edges = Data(edge_index=none, num_nodes=4, t=none_of_edges)
    of_nodes = Data(edge_index=none, num_nodes=4, t=torch.arange(4))
    typed, unlinked = HeteroData(), HeteroData()
    typed["a"].num_nodes = unlinked["a"].num_nodes = 4
    typed["a", "to", "a"].edge_index, typed["a", "to", "a"].t = none, none_of_edges
    unlinked["a"].t, unlinked["b"].num_nodes = torch.arange(4), 3
    unlinked["b", "to", "b"].edge_index = none
    nodes, moment = torch.tensor([1, 2]), torch.tensor([5, 5])
    return {
        "times of edges": (of_edges, nodes, moment),
        "times of nodes": (of_nodes, nodes, moment),
        "types, times of edges": (typed, ("a", nodes), moment),
        "times of a type without edges": (unlinked, ("b", nodes), moment),
        "times of the seeds, which have no edges": (unlinked, ("a", nodes), moment),
    }


@pytest.mark.parametrize("name", times_without_edges())
@pytest.mark.parametrize("strategy", ["uniform", "last"])
def test_times_without_edges_are_the_seeds_alone(name, strategy):
    data, nodes, moment = times_without_edges()[name]
    given = {"time_attr": "t", "temporal_strategy": strategy, "batch_size": 2}
    batch = next(iter(NeighborLoader(data, [2, 2], nodes, moment, **given)))
    kind = None if isinstance(data, Data) else nodes[0]
    store = batch if kind is None else batch[kind]
    assert store.n_id.tolist() == [1, 2] and store.batch.tolist() == [0, 1]
    assert store.seed_time.tolist() == [5, 5] and batch.num_edges == 0


def test_edges_between_nodes_without_times_are_free_of_them():
    data = HeteroData()
    data["a"].t, data["a"].num_nodes, data["b"].num_nodes = torch.arange(4), 4, 3
    data["b", "to", "b"].edge_index = torch.tensor([[0, 1], [1, 2]])
    moment = torch.zeros(3, dtype=torch.long)
    loader = NeighborLoader(data, [2], "b", moment, time_attr="t", batch_size=3)
    batch = next(iter(loader))
    assert batch["b"].n_id.tolist() == [0, 1, 2, 0, 1] and batch["b"].batch.tolist() == [0, 1, 2, 1, 2]
    assert batch["b", "to", "b"].e_id.tolist() == [0, 1]


def test_links_without_edges_have_their_ends_alone():
    none = torch.empty(2, 0, dtype=torch.long)
    data = Data(edge_index=none, num_nodes=4, t=none[0])
    links, times = torch.tensor([[0, 1], [2, 3]]), torch.tensor([5, 5])
    loader = LinkNeighborLoader(data, [2], links, edge_label_time=times, time_attr="t", batch_size=2)
    batch = next(iter(loader))
    assert batch.n_id.tolist() == [0, 1, 2, 3] and batch.edge_label_index.tolist() == [[0, 1], [2, 3]]


def test_weights_if_there_are_as_many_nodes_as_edges():
    edge_index = torch.tensor([[0, 1, 2, 3, 3], [1, 2, 3, 0, 1]])
    data = Data(x=torch.eye(5), edge_index=edge_index, num_nodes=5, w=torch.tensor([0.0, 1.0, 1.0, 1.0, 1.0]))
    batch = next(iter(NeighborLoader(data, [2], torch.tensor([1]), weight_attr="w")))
    assert batch.e_id.tolist() == [4], "the edge of weight 0 is not taken"
    data.w = torch.ones(4)
    with pytest.raises(ValueError, match="weight_attr = 'w': expected an attribute of the edges"):
        NeighborLoader(data, [2], weight_attr="w")
