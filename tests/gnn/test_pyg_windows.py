"""Time windows of the nodes and links of loaders: input_start_time, input_end_time and strict.

Random programs with them are in test_pyg_programs.py.
"""

import os

import numpy as np
import pytest
import torch
from gonextdoor.pyg import LinkNeighborLoader, NeighborLoader, NeighborSampler, tensors
from pyg_data import asked, flat, typed
from torch_geometric.data import Data
from torch_geometric.sampler import BaseSampler

LOW = torch.iinfo(torch.int64).min
NODES, END = torch.arange(60), torch.arange(60) % 7 + 60
START = torch.arange(60) % 50 + 9


def data():
    made = flat()
    made.t = torch.arange(3000) * 17 % 91
    return made


def loader(options, **more):
    given = {"time_attr": "t", "batch_size": 16, "seed": 3, "input_start_time": START, "input_end_time": END}
    return NeighborLoader(data(), [4, -1], NODES, **{**given, **options, **more})


def trees(batch):
    """The tree of each edge, that of its destination."""
    return batch.batch[batch.edge_index[1]]


@pytest.mark.parametrize("strategy", ["uniform", "last"])
@pytest.mark.parametrize("strict", [False, True])
def test_every_hop_is_in_the_window(strategy, strict):
    whole, count, deep = data(), 0, 0
    for batch in loader({"temporal_strategy": strategy, "strict": strict}):
        times, first, last = whole.t[batch.e_id], START[batch.input_id], END[batch.input_id] - int(strict)
        tree = trees(batch)
        assert bool(((first[tree] <= times) & (times <= last[tree])).all())
        assert torch.equal(batch.seed_time, END[batch.input_id])
        # Each seed takes 4 edges of its window, or all; "last" takes the latest.
        for seed, node in enumerate(batch.n_id[: batch.batch_size]):
            here = whole.t[whole.edge_index[1] == node]
            here = here[(first[seed] <= here) & (here <= last[seed])].sort().values
            mine = times[batch.edge_index[1] == seed].sort().values
            assert len(mine) == min(4, len(here))
            if strategy == "last":
                assert torch.equal(mine, here[-4:])
        count, deep = count + len(tree), deep + batch.num_sampled_edges[1]
    assert count and deep


def test_by_hand():
    """Vertex 0 has edges of the times 1 to 5, and each of their sources one of the time before."""
    ends = torch.tensor([[1, 2, 3, 4, 5, 6, 6, 6, 6, 6], [0, 0, 0, 0, 0, 1, 2, 3, 4, 5]])
    graph = Data(edge_index=ends, t=torch.tensor([1, 2, 3, 4, 5, 0, 1, 2, 3, 4]), num_nodes=7)

    def taken(start, end, **options):
        start, end = (None if time is None else torch.tensor([time]) for time in (start, end))
        nodes = {"input_nodes": torch.tensor([0]), "time_attr": "t"}
        made = NeighborLoader(graph, [-1, -1], input_start_time=start, input_end_time=end, **nodes, **options)
        return sorted(graph.t[next(iter(made)).e_id].tolist())

    assert taken(2, 4) == [2, 2, 3, 3, 4] and taken(2, 4, strict=True) == [2, 2, 3]
    assert taken(4, 4) == [4] and taken(LOW, 2) == taken(None, 2) == [0, 1, 1, 2]
    assert taken(None, 2, strict=True) == [0, 1] and taken(6, 9) == [] and taken(LOW, LOW) == []
    assert taken(LOW, torch.iinfo(torch.int64).max) == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5]


@pytest.mark.parametrize("mode", [None, "binary", "triplet"])
@pytest.mark.parametrize("kind", [None, ("author", "writes", "paper")], ids=["one", "writes"])
def test_links(kind, mode):
    """Both ends of a link and its negative links have its window."""
    graph = data() if kind is None else typed()
    if kind is not None:
        for each in graph.edge_types:
            graph[each].t = torch.arange(graph[each].edge_index.size(1)) * 17 % 91
    links = (graph if kind is None else graph[kind]).edge_index[:, :60]
    given = {
        "edge_label_index": links if kind is None else (kind, links),
        "time_attr": "t",
        "batch_size": 20,
        "seed": 3,
    }
    options = {"input_start_time": START, "input_end_time": END, "neg_sampling": mode, "strict": True}
    count = 0
    for batch in LinkNeighborLoader(graph, [5, 5], **given, **options):
        ids = batch.input_id if kind is None else batch[kind].input_id
        for each in [None] if kind is None else batch.edge_types:
            part, to = (batch, batch) if each is None else (batch[each], batch[each[2]])
            times, tree = (graph if each is None else graph[each]).t[part.e_id], to.batch[part.edge_index[1]]
            assert bool(((START[ids][tree] <= times) & (times < END[ids][tree])).all())
            count += len(times)
        shown = batch if kind is None else batch[kind if mode != "triplet" else "author"]
        shown = shown.seed_time if mode == "triplet" else shown.edge_label_time
        assert torch.equal(shown, END[ids].repeat(2 if mode == "binary" else 1))
    assert count > 500


def test_times_of_the_nodes_are_the_ends():
    """Without input_time; edges have the times of their sources."""
    graph = typed()
    graph["paper"].t, graph["author"].t = torch.arange(200) % 37, torch.arange(90) % 37
    start = graph["paper"].t - 4
    options = {"input_nodes": "paper", "time_attr": "t", "batch_size": 50, "input_start_time": start}
    found = 0
    for strict in (False, True):
        for batch in NeighborLoader(graph, [-1, -1], **options, strict=strict, seed=1):
            roots = graph["paper"].t[batch["paper"].n_id[:50]]
            for kind in ("paper", "author"):
                own, trees = graph[kind].t[batch[kind].n_id], batch[kind].batch
                fresh = slice(50 if kind == "paper" else 0, None)
                assert bool(((roots[trees] - 4 <= own) & (own <= roots[trees] - int(strict)))[fresh].all())
                found += len(own)
    assert found > 1000
    with pytest.raises(ValueError, match=r"input_start_time\[3\] = 9: the window ends at 3, before it begins"):
        start[3] = 9
        NeighborLoader(graph, [2], **options)


def test_other_ways_to_the_same_batches(workers):
    """Workers, threads, a given sampler, a call, and a sampler of the core with the windows as lengths."""
    wanted = [batch.e_id.tolist() for batch in loader({})]
    sampler = NeighborSampler(data(), [4, -1], time_attr="t", seed=3)
    for options in (workers, {"prefetch": 3}, {"input_end_time": None, "input_time": END}):
        assert [batch.e_id.tolist() for batch in loader({}, **options)] == wanted
    given = NeighborLoader(
        data(), None, NODES, neighbor_sampler=sampler, input_start_time=START, input_end_time=END, batch_size=16
    )
    assert [batch.e_id.tolist() for batch in given] == wanted
    first = sampler.sample_from_nodes(asked(NODES[:16], END[:16]), start_time=START[:16], batch_seed=5)
    core = sampler.core_sampler().sample(
        NODES[:16].numpy(), 5, times=END[:16].numpy(), time_window=(END - START)[:16].numpy()
    )
    assert first.edge.tolist() == core.edges.tolist()
    called = given([5, 40])
    assert bool((START[[5, 40]][trees(called)] <= data().t[called.e_id]).all()) and len(called.e_id)


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("strategy", ["uniform", "last"])
def test_on_a_gpu(strategy, monkeypatch):
    if not torch.cuda.is_available() or "GONEXTDOOR_LIBCUDA" in os.environ:  # the driver is the emulated one
        monkeypatch.setattr(tensors, "_tensor", lambda arena: torch.from_numpy(np.asarray(arena)))
    options = {"temporal_strategy": strategy, "strict": True}
    for one, other in zip(loader(options), loader(options, device="cuda"), strict=True):
        assert torch.equal(one.e_id, other.e_id.cpu()) and torch.equal(one.n_id, other.n_id.cpu())


class Other(BaseSampler):
    """Somebody else's sampler."""

    def sample_from_nodes(self, index):
        raise NotImplementedError

    def sample_from_edges(self, index, neg_sampling=None):
        raise NotImplementedError


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"input_start_time": END + 1}, ValueError, r"input_start_time\[0\] = 61: the window ends at 60, before it"),
        (
            {"input_start_time": END, "strict": True},
            ValueError,
            r"= 60: the window ends at 60, which strict = True leaves",
        ),
        ({"input_start_time": START[1:]}, ValueError, "input_start_time has 59 elements: expected 60, one per node"),
        ({"input_end_time": END[1:]}, ValueError, "the ends of the windows has 59 elements: expected 60, one per node"),
        (
            {"input_start_time": START.view(2, -1)},
            ValueError,
            r"input_start_time: expected shape \(n,\), got \(2, 30\)",
        ),
        ({"input_start_time": START * 0.5}, TypeError, "input_start_time: expected an array of ints, got float32"),
        ({"input_start_time": np.full(60, "NaT", "M8[s]")}, TypeError, "input_start_time: expected an array of ints"),
        ({"input_time": END}, ValueError, "input_time and input_end_time: both are the ends of the windows; pass only"),
        ({"time_attr": None}, ValueError, "'time_attr' is not set, but input_time is"),
        ({"time_attr": None, "input_end_time": None}, ValueError, "'time_attr' is not set, but input_start_time is"),
        ({"time_attr": None, "strict": True, "input_end_time": None}, ValueError, "strict = True without time_attr"),
        ({"strict": 1}, TypeError, "strict = 1"),
        (
            {"neighbor_sampler": Other(), "seed": None},
            ValueError,
            "input_start_time: the given neighbor_sampler is not",
        ),
        ({"input_end_time": None}, ValueError, "the seeds have no times, and the edges have times, nodes have none"),
    ],
)
def test_refusals(options, error, text):
    with pytest.raises(error, match=text):
        loader({}, **options)


def test_refused_for_links_and_by_samplers():
    with pytest.raises(ValueError, match="edge_label_time and input_end_time: both are the ends"):
        LinkNeighborLoader(data(), [2], time_attr="t", edge_label_time=END, input_end_time=END)
    with pytest.raises(ValueError, match="input_start_time has 60 elements: expected 3000, one per link"):
        LinkNeighborLoader(data(), [2], time_attr="t", edge_label_time=data().t, input_start_time=START)
    with pytest.raises(ValueError, match="strict = True: the given neighbor_sampler has its own"):
        loader({"neighbor_sampler": NeighborSampler(data(), [2], time_attr="t"), "seed": None, "strict": True})
    with pytest.raises(ValueError, match="start_times has 1 elements: expected 2, one per batch"):
        NeighborSampler(data(), [2], time_attr="t").sample_many([asked([1], [4])] * 2, start_times=[[1]])
    with pytest.raises(ValueError, match="input_start_time is set, but the sampler has no time_attr"):
        NeighborSampler(data(), [2]).sample_from_nodes(asked([1]), start_time=[1])
    with pytest.raises(ValueError, match=r"input_end_time\[0\] = -2\^63: no time is earlier"):
        NeighborSampler(data(), [2], time_attr="t", strict=True).sample_from_nodes(asked([1], [LOW]))


def test_states_of_other_windows_are_refused():
    state = loader({}).state_dict()
    loader({}).load_state_dict(state)
    for options, name in (
        ({"input_start_time": START - 1}, "input_start_time"),
        ({"input_start_time": None}, "input_start_time"),
        ({"input_end_time": END + 1}, "input_time"),
        ({"strict": True}, "strict"),
    ):
        with pytest.raises(ValueError, match=rf"state is of another loader: it has (no )?{name}"):
            loader({}, **options).load_state_dict(state)
        with pytest.raises(ValueError, match=rf"this loader has (no )?{name}"):
            loader({}).load_state_dict(loader({}, **options).state_dict())
    given = {"time_attr": "t", "edge_label_index": data().edge_index[:, :60], "seed": 3, "input_start_time": START}
    links = LinkNeighborLoader(data(), [2], edge_label_time=END, **given)
    with pytest.raises(ValueError, match="it has edge_label_time"):
        LinkNeighborLoader(data(), [2], edge_label_time=END + 1, **given).load_state_dict(links.state_dict())
