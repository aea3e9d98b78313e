"""gonextdoor.dgl.DataLoader draws batches in a pipeline: those of its serial loop, bit for bit."""

import threading

import dgl
import pytest
import torch
from dgl_blocks import edges_of
from gonextdoor.dgl import DataLoader, PGSampler, with_features

FEATURES = {"prefetch_node_feats": ["x"], "prefetch_labels": ["y"], "prefetch_edge_feats": ["w"]}


@pytest.fixture(scope="module")
def g(edges):
    return edges.dgl()


def vertices(g, ids=None, sampler=None, **given):
    ids = torch.arange(500) if ids is None else ids
    return DataLoader(g, ids, sampler or PGSampler([3, 4], seed=9, **FEATURES), batch_size=40, shuffle=True, **given)


def links(g, negative=None, prefetch_labels=("w",), **given):
    sampler = dgl.dataloading.as_edge_prediction_sampler(
        PGSampler([3, 4], seed=9, prefetch_node_feats=["x"]),
        exclude="self",
        negative_sampler=negative,
        prefetch_labels=list(prefetch_labels),
    )
    return DataLoader(g, torch.arange(500), sampler, batch_size=40, shuffle=True, **given)


def shown(batch):
    """A batch as its vertices, edges and the rows of its features, which can be compared."""
    *graphs, blocks = batch
    rows = []
    for graph in [one for one in graphs if isinstance(one, dgl.DGLGraph)] + blocks:
        rows += [graph.edges(order="eid", etype=etype)[0].tolist() for etype in graph.canonical_etypes]
        rows += [graph.edges(order="eid", etype=etype)[1].tolist() for etype in graph.canonical_etypes]
        frames = [*graph._node_frames, *graph._edge_frames]
        rows += [{name: frame[name].tolist() for name in sorted(frame.keys())} for frame in frames]
    ids = [one if isinstance(one, dict) else {"": one} for one in graphs if not isinstance(one, dgl.DGLGraph)]
    return [{kind: part.tolist() for kind, part in one.items()} for one in ids], rows


@pytest.mark.parametrize("made", [vertices, links])
@pytest.mark.parametrize("prefetch, budget", [(1, None), (5, None), (None, None), (None, 1), (16, 100_000)])
def test_batches_are_those_of_the_serial_loop(g, made, prefetch, budget):
    loader, serial = made(g, prefetch=prefetch, prefetch_bytes=budget), made(g, prefetch=0)
    for _ in range(2):
        batches = 0
        for batch, other in zip(loader, serial, strict=True):
            assert shown(batch) == shown(other)
            assert torch.equal(batch[-1][0].srcdata["x"], g.ndata["x"][batch[0]])
            batches += 1
        assert batches == 13
    stats = loader.stats()
    assert stats.batches == 26 and stats.held_bytes == 0 and stats.seconds["draw"] > 0


def test_batches_are_those_of_workers(g):
    workers = vertices(g, num_workers=2, multiprocessing_context="fork")
    for batch, other in zip(vertices(g), workers, strict=True):
        assert shown(batch) == shown(other)
    assert workers.stats().batches == 0, "workers are not a pipeline"


def test_batches_are_those_of_dgls_iterator(g):
    """The iterator that DGL's class would make without a pipeline."""
    loader, plain = vertices(g), vertices(g)
    plain._piped = False
    found, wanted = [*loader], [*plain]
    assert len(found) == 13 and list(map(shown, found)) == list(map(shown, wanted))


def test_vertices_that_repeat_in_a_batch(g):
    ids = torch.arange(500) // 7
    for batch, other in zip(vertices(g, ids), vertices(g, ids, prefetch=0), strict=True):
        assert shown(batch) == shown(other)
        assert len(set(batch[1].tolist())) < len(batch[1])


def test_several_types(typed_edges):
    g = typed_edges.dgl()
    ids = {"item": torch.arange(30), "user": torch.arange(5, 45)}

    def loader(**given):
        sampler = PGSampler([2, 2], seed=1, prefetch_node_feats={"user": ["x"]})
        return DataLoader(g, ids, sampler, batch_size=8, shuffle=True, **given)

    for batch, other in zip(loader(), loader(prefetch=0), strict=True):
        assert shown(batch) == shown(other)
        assert torch.equal(batch[2][0].srcnodes["user"].data["x"], g.nodes["user"].data["x"][batch[0]["user"]])


def test_features_that_numpy_lacks(g):
    """Those of bfloat16, and those of gonextdoor.features."""
    g = g.clone()
    g.ndata["x"] = g.ndata["x"].to(torch.bfloat16)
    for inputs, _, blocks in vertices(g):
        assert torch.equal(blocks[0].srcdata["x"], g.ndata["x"][inputs])
    stored = torch.rand(g.num_nodes(), 3)
    for inputs, _, blocks in vertices(with_features(g, ndata={"x": stored})):
        assert torch.equal(blocks[0].srcdata["x"], stored[inputs])


class Counting(PGSampler):
    """A sampler that is not PGSampler itself, and counts the threads that are in it."""

    inside = most = 0

    def sample_blocks(self, g, seed_nodes, exclude_eids=None):
        Counting.inside += 1
        Counting.most = max(Counting.most, Counting.inside)
        made = super().sample_blocks(g, seed_nodes, exclude_eids)
        Counting.inside -= 1
        return made


def test_other_samplers_are_called_by_one_thread(g):
    """Also while two epochs are in progress."""
    loader = vertices(g, sampler=Counting([3, 4], seed=9, **FEATURES))
    wanted, first = vertices(g), iter(loader)
    found = [next(first)]
    for batch, other in zip(loader, first, strict=False):
        assert shown(batch) != shown(other)
        found.append(other)
    assert list(map(shown, found)) == list(map(shown, wanted))
    assert Counting.most == 1


def test_negative_samplers_draw_in_the_calling_thread(g):
    """They use torch's generator, which the training uses too."""
    seen = set()

    def negative(graph, ids):
        seen.add(threading.current_thread())
        return torch.randint(100, (len(ids),)), torch.randint(100, (len(ids),))

    torch.manual_seed(4)
    first = [shown(batch) for batch in links(g, negative, prefetch_labels=())]
    assert seen == {threading.main_thread()}
    torch.manual_seed(4)
    assert first == [shown(batch) for batch in links(g, negative, prefetch_labels=())]
    assert len(list(links(g, negative, prefetch_labels=(), prefetch=3))) == 13
    assert len(seen) == 2, "prefetch=3 starts a thread"


@pytest.mark.parametrize("prefetch", [0, 4])
def test_a_batch_that_cannot_be_drawn(g, prefetch):
    ids = torch.arange(500)
    ids[130] = 10**9
    loader = DataLoader(g, ids, PGSampler([3], seed=1), batch_size=40, prefetch=prefetch)
    epoch = iter(loader)
    assert len([next(epoch) for _ in range(3)]) == 3
    with pytest.raises(IndexError, match=r"batch 3 of epoch 0: seed_nodes\[10\] = 1000000000") as error:
        next(epoch)
    assert isinstance(error.value, dgl.DGLError) and isinstance(error.value.__cause__, IndexError)


def test_memory_is_bounded_by_the_budget(g):
    sizes = []
    loader = vertices(g, prefetch=0)
    for _ in loader:
        sizes.append(loader.stats().bytes - sum(sizes))
    rows = [sum(part.srcdata["x"].nbytes for part in blocks[:1]) for _, _, blocks in vertices(g)]
    assert all(size > part for size, part in zip(sizes, rows, strict=True))
    budget = 3 * max(sizes)
    for limit in (budget, None):
        loader = vertices(g, prefetch=16, prefetch_bytes=limit)
        for _ in loader:
            threading.Event().wait(0.005)
        peak = loader.stats().peak_bytes
        assert peak <= budget + max(sizes) if limit else peak > budget + max(sizes)


@pytest.mark.parametrize(
    "given, error, text",
    [
        ({"prefetch": 2, "num_workers": 1}, ValueError, "prefetch = 2 with num_workers = 1: pass only one of them"),
        ({"prefetch_bytes": 9, "num_workers": 1}, ValueError, "prefetch_bytes = 9 with num_workers = 1"),
        ({"prefetch": -1}, ValueError, "prefetch = -1"),
        ({"prefetch_bytes": 0}, ValueError, "prefetch_bytes = 0"),
        ({"prefetch": "all"}, TypeError, "prefetch"),
    ],
)
def test_bad_arguments_are_refused(g, given, error, text):
    with pytest.raises(error, match=text) as caught:
        vertices(g, **given)
    assert isinstance(caught.value, dgl.DGLError)


def test_blocks_on_a_gpu_have_no_pipeline(g, monkeypatch):
    """DGL's own class, without a GPU: the loader decides by its device."""
    made = dgl.dataloading.DataLoader.__init__

    def on_gpu(self, *args, **given):
        made(self, *args, **given)
        self.device = torch.device("cuda:0")

    monkeypatch.setattr(dgl.dataloading.DataLoader, "__init__", on_gpu)
    assert not vertices(g)._piped
    with pytest.raises(dgl.DGLError, match=r"prefetch = 2 with blocks on cuda:0.*leave prefetch out"):
        vertices(g, prefetch=2)


def test_features_that_are_not_prefetched(g):
    """They are gathered when the caller reads them."""
    loader = vertices(g, sampler=PGSampler([3, 4], seed=9))
    for inputs, _, blocks in loader:
        assert edges_of(blocks[0])
        assert torch.equal(blocks[0].srcdata["x"], g.ndata["x"][inputs])
        assert torch.equal(blocks[0].edata["w"], g.edata["w"][blocks[0].edata[dgl.EID]])
