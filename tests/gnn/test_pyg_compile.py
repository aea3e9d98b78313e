"""The operators of the stand-in for pyg-lib under torch.compile."""

import shutil

import pytest
import torch

CALLS_ENTRY_POINTS = hasattr(torch, "_import_device_backends")  # from torch 2.5 on


ROWPTR, COL = torch.tensor([0, 2, 3, 4]), torch.tensor([1, 2, 2, 0])


def mean_of_neighbours(seed):
    row, col, node, edge, nodes, _ = torch.ops.pyg.neighbor_sample(ROWPTR, COL, seed, [2, 2])
    return torch.zeros(node.shape[0]).index_add(0, row, node[col].float()), edge, torch.tensor(nodes[0])


def trees(seed):
    return torch.ops.pyg.neighbor_sample(ROWPTR, COL, seed, [2], disjoint=True, return_edge_id=False)[2].t()


KIND = ("a", "to", "a")


def sums_by_type(seed):
    import pyg_lib

    row, col, node, edge, nodes, edges = pyg_lib.sampler.hetero_neighbor_sample(
        {KIND: ROWPTR}, {KIND: COL}, {"a": seed}, {KIND: [2, 2]}
    )
    ends = node["a"][col[KIND]].float()
    counts = torch.tensor([nodes["a"][0], nodes["a"][2], edges[KIND][1]])
    return torch.zeros(node["a"].shape[0]).index_add(0, row[KIND], ends), edge[KIND] + 1, counts


TRACED = {
    "neighbor_sample": mean_of_neighbours,
    "typed_neighbor_sample": sums_by_type,
    "disjoint": trees,
    "random_walk": lambda seed: torch.ops.pyg.random_walk(ROWPTR, COL, seed, 3) + 1,
    "subgraph": lambda seed: torch.ops.pyg.subgraph(ROWPTR, COL, seed)[1] + 1,
    "metis": lambda seed: torch.ops.pyg.metis(ROWPTR, COL, 2) + seed[0],
}


@pytest.fixture
def dynamo():
    """torch.compile without what it compiled before; its settings are restored."""
    import torch._dynamo.testing

    torch._dynamo.reset()
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        yield torch._dynamo


@pytest.mark.parametrize("name", TRACED)
def test_torch_compile_traces_the_operators(name, pyg_lib, dynamo):
    compiled = torch.compile(TRACED[name], backend="aot_eager", fullgraph=True)
    results = []
    for function in (TRACED[name], compiled):
        torch.manual_seed(0)
        results.append(function(torch.tensor([0, 1])))
    torch.testing.assert_close(*results)


def nodes_by_type(seed):
    return torch.ops.pyg.hetero_neighbor_sample(
        ["a"], [KIND], {"a__to__a": ROWPTR}, {"a__to__a": COL}, {"a": seed}, {"a__to__a": [2]}
    )[2]


def nodes_by_budget(seed):
    return torch.ops.torch_sparse.hgt_sample(
        {"a__to__a": ROWPTR}, {"a__to__a": COL}, {"a": seed}, {"a": [2]}, 1
    )[0]  # fmt: skip


@pytest.mark.parametrize("operator", [nodes_by_type, nodes_by_budget])
def test_operators_on_dicts_break_the_graph(operator, pyg_lib, dynamo):
    """No graph of torch has dicts of results: the operator runs between two graphs, and its code is not traced."""

    def step(seed):
        return operator(seed + 0)["a"] + 1

    with pytest.raises(dynamo.exc.Unsupported, match=operator.__code__.co_names[2]):
        torch.compile(step, backend="eager", fullgraph=True)(torch.tensor([0]))
    dynamo.reset()
    counter = dynamo.testing.CompileCounter()
    assert torch.compile(step, backend=counter)(torch.tensor([0])).tolist() == [1, 2, 3] and counter.frame_count == 2


def typed_step(weight, seed):
    """The loss of a layer over a batch, whose rows of seed nodes are sliced."""
    import pyg_lib

    row, col, node, *_ = pyg_lib.sampler.hetero_neighbor_sample(
        {KIND: ROWPTR}, {KIND: COL}, {"a": seed}, {KIND: [2]}, csc=True
    )
    return layer(weight, row[KIND], col[KIND], node["a"], seed)


def plain_step(weight, seed):
    return layer(weight, *torch.ops.pyg.neighbor_sample(ROWPTR, COL, seed, [2], csc=True)[:3], seed)


def layer(weight, row, col, node, seed):
    x = torch.arange(6.0).view(3, 2)[node] @ weight
    return x.index_add(0, col, x[row])[: seed.shape[0]].square().sum()


def assert_trains(step, **options):
    """The compiled step has the loss and gradients of the step, for two numbers of seed nodes."""
    compiled = torch.compile(step, dynamic=True, **options)
    for seed in (torch.tensor([0, 1]), torch.tensor([2, 0, 0])):
        results = []
        for function in (step, compiled):
            torch.manual_seed(0)
            weight = torch.ones(2, 2, requires_grad=True)
            loss = function(weight, seed)
            results.append((loss.detach(), *torch.autograd.grad(loss, weight)))
        torch.testing.assert_close(*results)


@pytest.mark.parametrize("step", [typed_step, plain_step])
def test_torch_compile_trains_in_one_graph(step, pyg_lib, dynamo):
    assert_trains(step, backend="aot_eager", fullgraph=True)


@pytest.mark.skipif(not CALLS_ENTRY_POINTS, reason="torch before 2.5: inductor fails on sizes that depend on data")
@pytest.mark.skipif(shutil.which("c++") is None, reason="inductor needs a C++ compiler")
def test_inductor_trains_in_one_graph(pyg_lib, dynamo):
    """The gradient of a slice is what inductor may fail on. Each further operation takes seconds of a C++ compiler."""

    def step(weight, seed):
        node = torch.ops.pyg.neighbor_sample(ROWPTR, COL, seed, [2])[2]
        return weight[node][: seed.shape[0]]

    weight = torch.ones(3, requires_grad=True)
    compiled = torch.compile(step, fullgraph=True, dynamic=True)(weight, torch.tensor([0, 1]))
    assert torch.autograd.grad(compiled, weight, torch.tensor([1.0, 2.0]))[0].tolist() == [1, 2, 0]


def test_torch_compile_trains_between_graphs(pyg_lib, dynamo):
    with dynamo.config.patch(capture_dynamic_output_shape_ops=False, capture_scalar_outputs=False):
        assert_trains(typed_step, backend="aot_eager")
