"""gonextdoor.pyg.NeighborSampler with device="cuda": the batches of the CPU, on the GPU."""

import os

import numpy as np
import pytest
import torch
from gonextdoor._core import native
from gonextdoor.device.devices import as_torch_means
from gonextdoor.pyg import LinkNeighborLoader, NeighborLoader, NeighborSampler, tensors
from pyg_data import flat, typed
from torch_geometric.sampler import EdgeSamplerInput, NegativeSampling, NodeSamplerInput

pytestmark = pytest.mark.usefixtures("gpu")
EMULATED = not torch.cuda.is_available() or "GONEXTDOOR_LIBCUDA" in os.environ


@pytest.fixture(autouse=True)
def taken_over(monkeypatch):
    """Without a GPU, torch cannot read the memory of an emulated one, and gets copies."""
    if EMULATED:
        monkeypatch.setattr(tensors, "_tensor", lambda arena: torch.from_numpy(np.asarray(arena)))


def data(kind):
    made = flat() if kind is None else typed()
    if kind is None:
        made.weight, made.time = torch.rand(3000) + 0.1, torch.arange(3000) % 91
    return made


def parts(out):
    """Everything of a batch as lists."""
    fields = [out.node, out.row, out.col, out.edge, out.batch, out.num_sampled_nodes, out.num_sampled_edges]
    return [x.tolist() if hasattr(x, "tolist") else parts_of(x) for x in fields]


def parts_of(x):
    return {k: v.tolist() if hasattr(v, "tolist") else v for k, v in x.items()} if isinstance(x, dict) else x


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (None, {}),
        (None, {"replace": True}),
        (None, {"weight_attr": "weight"}),
        (None, {"disjoint": True}),
        (None, {"time_attr": "time"}),
        (None, {"time_attr": "time", "temporal_strategy": "last"}),
        (None, {"subgraph_type": "bidirectional"}),
        (None, {"subgraph_type": "induced"}),
        (None, {"sample_direction": "backward"}),
        ("paper", {}),
        ("paper", {"disjoint": True}),
    ],
    ids=str,
)
def test_the_same_as_on_the_cpu(kind, options):
    held = data(kind)
    here, there = (NeighborSampler(held, [4, 3], device=device, **options) for device in ("cpu", "cuda"))
    seeds = [3, 9, 3, 60, 11, 9]
    time = torch.arange(20, 26) if "time_attr" in options else None
    index = NodeSamplerInput(None, torch.tensor(seeds), time, kind)
    assert parts(here.sample_from_nodes(index, batch_seed=5)) == parts(there.sample_from_nodes(index, batch_seed=5))
    many = [here.sample_many([index] * 3, [1, 2, 3]), there.sample_many([index] * 3, [1, 2, 3])]
    assert [parts(out) for out in many[0]] == [parts(out) for out in many[1]]


@pytest.mark.parametrize("mode", ["binary", "triplet"])
@pytest.mark.parametrize("kind", [None, ("author", "writes", "paper")])
def test_links(kind, mode):
    held = data(kind)
    edges = (held if kind is None else held[kind]).edge_index[:, :20]
    index = EdgeSamplerInput(None, edges[0], edges[1], None, None, kind)
    outs = []
    for device in ("cpu", "cuda"):
        sampler = NeighborSampler(held, [4, 3], device=device)
        outs.append(sampler.sample_from_edges(index, NegativeSampling(mode, 2), batch_seed=5))
    assert parts(outs[0]) == parts(outs[1])
    for mine, theirs in zip(outs[0].metadata, outs[1].metadata, strict=True):
        assert (mine is None and theirs is None) or torch.equal(mine, theirs)


def test_tensors_lie_on_the_card():
    if EMULATED:
        pytest.skip("torch sees no GPU here, or the driver is the emulated one")
    out = NeighborSampler(data(None), [4, 3], device="cuda").sample_from_nodes(NodeSamplerInput(None, torch.arange(9)))
    assert all(part.is_cuda for part in (out.node, out.row, out.col, out.edge))


@pytest.mark.usefixtures("two_gpus")
def test_two_gpus_draw_in_turn():
    held = data(None)
    held.x = torch.arange(len(held.x)).reshape(-1, 1) if "x" in held else torch.arange(held.num_nodes).reshape(-1, 1)
    given = {"num_neighbors": [4, 3], "batch_size": 7, "seed": 3, "shuffle": True}
    loaders = [NeighborLoader(held, device=device, **given) for device in ("cpu", ["cuda:0", "cuda:1"])]
    batches = 0
    for _ in range(2):
        torch.manual_seed(1)
        here = list(loaders[0])
        torch.manual_seed(1)
        for one, other in zip(here, loaders[1], strict=True):
            assert torch.equal(one.n_id, other.n_id.cpu())
            assert torch.equal(one.edge_index, other.edge_index.cpu())
            assert torch.equal(one.x, other.x.cpu())
            assert torch.equal(one.input_id, other.input_id.cpu())
            if not EMULATED:
                assert {part.device.type for part in (other.x, other.n_id, other.input_id)} == {"cuda"}
            batches += 1
    assert batches > 4


@pytest.mark.usefixtures("two_gpus")
@pytest.mark.parametrize("prefetch", [None, 0, 6])
@pytest.mark.parametrize("negative", [None, "binary"])
def test_two_gpus_draw_links_in_turn(prefetch, negative):
    held = data(None)
    given = {"num_neighbors": [4, 3], "batch_size": 50, "seed": 3, "neg_sampling": negative}
    given["edge_label_index"] = held.edge_index[:, :1000]
    drawn = []
    for where in ({"device": "cpu"}, {"device": ["cuda:0", "cuda:1"], "prefetch": prefetch}):
        torch.manual_seed(1)
        drawn.append(list(LinkNeighborLoader(held, **given, **where)))
    assert len(drawn[0]) == 20
    for one, other in zip(*drawn, strict=True):
        for name, part in one.to_dict().items():
            if torch.is_tensor(part):
                assert torch.equal(part, other[name].cpu()), name


def test_a_call_has_batches_for_each_gpu():
    held = data(None)
    for device, ahead in (("cuda:0", 16), (["cuda:0"], 16), (["cuda:0", "cuda:1"], 32)):
        if device != ["cuda:0", "cuda:1"] or native.call("DeviceCount") > 1:
            assert NeighborLoader(held, [2], device=device)._prefetch == ahead


def test_cuda_is_the_gpu_of_the_rank(monkeypatch):
    monkeypatch.setattr(torch.distributed, "is_initialized", lambda: True)
    monkeypatch.setenv("LOCAL_RANK", "1")
    assert as_torch_means("cuda") == "cuda:1"
    assert as_torch_means(torch.device("cuda", 0)) == "cuda:0"
    assert as_torch_means(["cuda:1", torch.device("cpu")]) == ["cuda:1", "cpu"]
    monkeypatch.setattr(torch.distributed, "is_initialized", lambda: False)
    assert as_torch_means("cuda") in ("cuda", f"cuda:{torch.cuda.current_device() if torch.cuda.is_available() else 0}")
