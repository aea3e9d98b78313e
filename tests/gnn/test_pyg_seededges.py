"""LinkNeighborLoader with exclude_seed_edges: batches without the edges between the ends of their links."""

import os

import numpy as np
import pytest
import torch
from gonextdoor.pyg import LinkNeighborLoader, NeighborSampler, tensors
from gonextdoor.pyg.seededges import edges_between
from pyg_data import asked, flat, typed
from torch_geometric.data import HeteroData
from torch_geometric.nn import SAGEConv
from torch_geometric.sampler import BaseSampler

import gonextdoor as gnd

CITES, WRITES, REV = ("paper", "cites", "paper"), ("author", "writes", "paper"), ("paper", "rev_writes", "author")
MODES = ["self", "reverse"]


def parallel():
    """A graph whose edges occur twice, some of them with their reverse, and loops."""
    data = flat(60, 500)
    once = data.edge_index
    ends = torch.cat([once, once[:, 100:400].flip(0), once, torch.tensor([[5], [5]])], 1)
    data.edge_index, data.edge_attr = ends, torch.arange(ends.size(1))
    return data


def left_out(edge_index, links, mode, back=None):
    """Ids of the edges that a batch may not have: those of the links' type, and of the type that leads back."""
    pairs = set(zip(*links.tolist(), strict=True))
    turned = {(v, u) for u, v in pairs} if mode == "reverse" else set()
    if back is None:
        return {i for i, ends in enumerate(zip(*edge_index.tolist(), strict=True)) if ends in pairs | turned}, set()
    found = [[i for i, ends in enumerate(zip(*one.tolist(), strict=True)) if ends in some]
             for one, some in ((edge_index, pairs), (back, turned))]  # fmt: skip
    return set(found[0]), set(found[1])


def reached(edge_index, out, seeds, hops):
    """The ids of all edges that lead to the seeds in some hops."""
    taken, nodes = set(), set(seeds)
    for _ in range(hops):
        fresh = {i for i, (_, v) in enumerate(zip(*edge_index.tolist(), strict=True)) if v in nodes and i not in out}
        taken, nodes = taken | fresh, nodes | {int(edge_index[0, i]) for i in fresh}
    return taken


@pytest.mark.parametrize("mode", [False, *MODES])
@pytest.mark.parametrize("subgraph_type", ["directional", "induced"])
def test_all_other_edges_are_there(mode, subgraph_type):
    data = parallel()
    options = {"batch_size": 150, "subgraph_type": subgraph_type, "neg_sampling": "binary", "seed": 1}
    loader = LinkNeighborLoader(data, [-1, -1], exclude_seed_edges=mode, **options)
    for batch in loader:
        links = data.edge_index[:, batch.input_id]
        out = left_out(data.edge_index, links, mode)[0] if mode else set()
        seeds = batch.n_id[batch.edge_label_index.reshape(-1)].tolist()
        wanted = reached(data.edge_index, out, seeds, 2)
        if subgraph_type == "induced":
            inside = set(batch.n_id.tolist())
            ends = enumerate(zip(*data.edge_index.tolist(), strict=True))
            wanted = {i for i, (u, v) in ends if u in inside and v in inside and i not in out}
        assert set(batch.e_id.tolist()) == wanted and bool(mode) == bool(out)
        assert torch.equal(batch.n_id[batch.edge_index], data.edge_index[:, batch.e_id])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("backward", [False, True])
def test_batches_are_those_of_the_core_without_these_edges(mode, backward):
    data, direction = parallel(), "out" if backward else "in"
    options = {"sample_direction": "backward"} if backward else {}
    sampler = NeighborSampler(data, [2, 3], seed=3, **options)
    loader = LinkNeighborLoader(
        data, None, neighbor_sampler=sampler, batch_size=30, exclude_seed_edges=mode, shuffle=True, prefetch=3
    )
    index = loader.input_data[torch.arange(30)]
    out = sampler.sample_from_edges(index, exclude_seed_edges=mode, batch_seed=9)
    ids = sorted(left_out(data.edge_index, data.edge_index[:, :30], mode)[0])
    graph = gnd.Graph.from_edges(*data.edge_index.numpy(), num_vertices=60)
    core = gnd.NeighborSampler(graph, [2, 3], direction=direction)
    wanted = core.sample(np.unique(data.edge_index[:, :30].numpy()), 9, exclude=ids)
    assert out.edge.tolist() == wanted.edges.tolist() and out.node.tolist() == wanted.nodes.tolist()
    for batch in loader:
        ids = left_out(data.edge_index, data.edge_index[:, batch.input_id], mode)[0]
        assert ids and not ids & set(batch.e_id.tolist()) and len(batch.e_id)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("kind", "back"), [(WRITES, REV), (REV, WRITES), (CITES, None)], ids=str)
def test_types(kind, back, mode):
    data = typed()
    links = (kind, data[kind].edge_index[:, :300])
    loader = LinkNeighborLoader(
        data, [-1, -1], links, batch_size=25, exclude_seed_edges=mode, neg_sampling="triplet", seed=1, disjoint=True
    )
    plain = LinkNeighborLoader(data, [-1, -1], links, batch_size=25, neg_sampling="triplet", seed=1, disjoint=True)
    found = set()
    for batch, whole in zip(loader, plain, strict=True):
        turned = data[back].edge_index if back else None
        out, backwards = left_out(data[kind].edge_index, links[1][:, batch[kind].input_id], mode, turned)
        assert out and not out & set(batch[kind].e_id.tolist())
        assert bool(out & set(whole[kind].e_id.tolist()))
        if back and mode == "reverse":
            assert backwards and not backwards & set(batch[back].e_id.tolist())
        found |= set(batch[back or CITES].e_id.tolist())
    if back and mode == "self":
        assert found & left_out(data[kind].edge_index, links[1], "reverse", data[back].edge_index)[1]


def test_the_reverse_type_of_another_name():
    data = typed()
    data["paper", "written_by", "author"].edge_index = data[REV].edge_index
    del data[REV]
    loader = LinkNeighborLoader(data, [-1], WRITES, batch_size=900, exclude_seed_edges="reverse", seed=1)
    batch = next(iter(loader))
    assert batch[WRITES].e_id.tolist() == batch["paper", "written_by", "author"].e_id.tolist() == []
    assert batch[CITES].e_id.numel()


def test_links_of_a_type_without_edges():
    data = typed()
    links = ("author", "reads", "paper"), data[REV].edge_index.flip(0)[:, :40]
    plain = LinkNeighborLoader(data, [3], links, batch_size=40, seed=1)
    same = LinkNeighborLoader(data, [3], links, batch_size=40, seed=1, exclude_seed_edges="self")
    assert next(iter(plain))[REV].e_id.tolist() == next(iter(same))[REV].e_id.tolist()
    out = LinkNeighborLoader(data, [-1], links, batch_size=40, seed=1, exclude_seed_edges="reverse")
    ids = left_out(torch.empty(2, 0), links[1], "reverse", data[REV].edge_index)[1]
    assert ids and not ids & set(next(iter(out))[REV].e_id.tolist())


def test_workers_and_states(workers):
    data = parallel()
    options = {"batch_size": 200, "shuffle": True, "seed": 2, "exclude_seed_edges": "reverse"}
    batches = [batch.e_id.tolist() for batch in LinkNeighborLoader(data, [3, 2], **options, prefetch=0)]
    loader = LinkNeighborLoader(data, [3, 2], **options, **workers)
    assert [batch.e_id.tolist() for batch in loader] == batches
    state = loader.state_dict()
    with pytest.raises(ValueError, match="exclude_seed_edges"):
        LinkNeighborLoader(data, [3, 2], **{**options, "exclude_seed_edges": "self"}).load_state_dict(state)


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", [None, WRITES], ids=["one", "writes"])
def test_on_a_gpu(kind, mode, monkeypatch):
    if not torch.cuda.is_available() or "GONEXTDOOR_LIBCUDA" in os.environ:  # the driver is the emulated one
        monkeypatch.setattr(tensors, "_tensor", lambda arena: torch.from_numpy(np.asarray(arena)))
    data = parallel() if kind is None else typed()
    options = {"batch_size": 50, "seed": 2, "exclude_seed_edges": mode, "edge_label_index": kind}
    here, there = (LinkNeighborLoader(data, [4, 3], device=device, **options) for device in ("cpu", "cuda"))
    for one, other in zip(here, there, strict=True):
        for part in one.edge_types if kind else [None]:
            mine, theirs = (batch[part] if part else batch for batch in (one, other))
            assert torch.equal(mine.e_id, theirs.e_id.cpu()) and torch.equal(mine.edge_index, theirs.edge_index.cpu())


def test_a_compiled_step():
    """A step that torch compiles gets the same batches and gives the same scores."""
    data, conv = parallel(), SAGEConv(1, 4)
    loader = LinkNeighborLoader(
        data, [4], batch_size=100, seed=1, exclude_seed_edges="reverse", neg_sampling="binary", prefetch=2
    )

    def step(x, edge_index, links):
        hidden = conv(x, edge_index)
        return (hidden[links[0]] * hidden[links[1]]).sum(-1)

    def epoch(function):
        return [function(batch.x, batch.edge_index, batch.edge_label_index) for batch in loader]

    loader.set_epoch(0)
    wanted = epoch(step)
    loader.set_epoch(0)
    found = epoch(torch.compile(step, backend="eager", dynamic=True))
    assert len(found) == len(wanted) and all(map(torch.equal, found, wanted))


def test_edges_between():
    random = np.random.default_rng(4)
    for vertices, edges in ((1, 0), (3, 40), (50, 400)):
        src, dst = random.integers(0, vertices, (2, edges))
        graph = gnd.Graph.from_edges(src, dst, num_vertices=vertices)
        rows, ends = random.integers(0, vertices, (2, 200))
        wanted = [i for u, v in zip(rows, ends, strict=True) for i in np.flatnonzero((src == u) & (dst == v))]
        assert sorted(edges_between(graph, rows, ends).tolist()) == sorted(wanted)
        own = random.permutation(edges) + (1 << 40)  # ids of another width
        named = gnd.Graph.from_csr(graph.indptr, graph.indices, edge_ids=own, num_vertices=vertices)
        places = np.isin(graph.edge_ids, wanted)
        assert sorted({*edges_between(named, rows, ends).tolist()}) == sorted(named.edge_ids[places])
    assert edges_between(graph, rows[:0], ends[:0]).tolist() == []


class Other(BaseSampler):
    """Somebody else's sampler."""

    def sample_from_nodes(self, index):
        raise NotImplementedError

    def sample_from_edges(self, index, neg_sampling=None):
        raise NotImplementedError


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"exclude_seed_edges": "both"}, ValueError, "exclude_seed_edges = 'both': expected False, 'self'"),
        ({"exclude_seed_edges": True}, TypeError, "exclude_seed_edges = True: expected"),
        ({"exclude_seed_edges": None}, TypeError, "exclude_seed_edges = None: expected"),
        ({"neighbor_sampler": Other()}, ValueError, "the given neighbor_sampler is not one of gonextdoor.pyg"),
    ],
)
def test_refusals(options, error, text):
    with pytest.raises(error, match=text):
        LinkNeighborLoader(flat(), [2], **{"exclude_seed_edges": "self", **options})


def test_refused_by_the_sampler():
    with pytest.raises(ValueError, match=r"'self' with subgraph_type = 'bidirectional'.*pass 'reverse'"):
        next(iter(LinkNeighborLoader(flat(), [2], exclude_seed_edges="self", subgraph_type="bidirectional")))
    with pytest.raises(ValueError, match="expected links; the batch has nodes"):
        NeighborSampler(flat(), [2]).sample_many([asked([1])], exclude_seed_edges="self")


def test_no_reverse_type_and_several():
    data = HeteroData()
    data["a"].num_nodes = data["b"].num_nodes = 3
    ends = torch.tensor([[0, 1], [1, 2]])
    data["a", "to", "b"].edge_index = ends
    options = {"edge_label_index": ("a", "to", "b"), "exclude_seed_edges": "reverse"}
    with pytest.raises(ValueError, match=r"no type of edges leads back; name the reverse type \('b', 'rev_to', 'a'\)"):
        LinkNeighborLoader(data, [2], **options)
    data["b", "x", "a"].edge_index = data["b", "y", "a"].edge_index = ends
    with pytest.raises(ValueError, match=r"2 types lead back, \('b', 'x', 'a'\), \('b', 'y', 'a'\); name the reverse"):
        LinkNeighborLoader(data, [2], **options)
    data["b", "rev_to", "a"].edge_index = ends.flip(0)
    batch = next(iter(LinkNeighborLoader(data, [-1], **options, batch_size=2)))
    assert batch["b", "rev_to", "a"].num_edges == batch["a", "to", "b"].num_edges == 0 < batch["b", "x", "a"].num_edges
