"""gonextdoor.pyg.NeighborSampler on random graphs with random options: what holds for all of them."""

import numpy as np
import pytest
import torch
from gonextdoor.pyg import NeighborSampler
from torch_geometric.data import HeteroData
from torch_geometric.sampler import EdgeSamplerInput, NegativeSampling, NodeSamplerInput


def graph(draws):
    """Up to three types of nodes and four of edges, some between the same; weights that are often 0."""
    data, types = HeteroData(), [f"t{i}" for i in range(draws.integers(1, 4))]
    for kind in types:
        data[kind].num_nodes = int(draws.integers(1, 30))
    for i in range(draws.integers(1, 5)):
        source, destination = draws.choice(types, 2)
        edges, counts = int(draws.integers(1, 80)), [data[kind].num_nodes for kind in (source, destination)]
        relation = (str(source), f"r{i}", str(destination))
        data[relation].edge_index = torch.from_numpy(np.stack([draws.integers(0, n, edges) for n in counts]))
        data[relation].weight = torch.from_numpy(draws.integers(0, 3, edges).astype(float))
    return data


def options(draws, data):
    given = {"replace": bool(draws.random() < 0.3), "disjoint": bool(draws.random() < 0.3)}
    if draws.random() < 0.4:
        given["weight_attr"] = "weight"
    if draws.random() < 0.4:
        given |= {"time_attr": "time", "temporal_strategy": str(draws.choice(["uniform", "last"]))}
        given["replace"] &= given["temporal_strategy"] == "uniform"
        at_nodes = draws.random() < 0.5
        for kind in data.node_types if at_nodes else data.edge_types:
            count = data[kind].num_nodes if at_nodes else data[kind].edge_index.shape[1]
            data[kind].time = torch.from_numpy(draws.integers(0, 50, count))
    elif draws.random() < 0.2:
        given["sample_direction"] = "backward"
    elif not given["disjoint"] and draws.random() < 0.2:
        given["subgraph_type"] = "induced"
    return given


def sampled(draws, data, sampler):
    """A batch of nodes or of links; and the times of its trees, if they have some."""
    links, count = draws.random() < 0.4, int(draws.integers(1, 15))
    time = torch.from_numpy(draws.integers(0, 60, count)) if sampler.is_temporal else None
    kinds = data.edge_types if links else data.node_types
    kind = kinds[draws.integers(len(kinds))]
    ends = [torch.from_numpy(draws.integers(0, data[t].num_nodes, count)) for t in (kind[::2] if links else (kind,))]
    if not links:
        out = sampler.sample_from_nodes(NodeSamplerInput(None, ends[0], time, kind))
        assert out.node[kind][:count].tolist() == ends[0].tolist()
        return out, time
    modes = [None, NegativeSampling("binary", draws.choice([0.5, 1, 2.3])), NegativeSampling("triplet", 2)]
    index = EdgeSamplerInput(None, *ends, None, time, kind)
    return sampler.sample_from_edges(index, modes[draws.integers(3)]), time


def check(data, sampler, out, time, fanouts):
    backward = sampler.sample_direction == "backward"
    for relation in data.edge_types:
        source, _, destination = relation
        row, col, edge = out.row[relation], out.col[relation], out.edge[relation]
        ends = torch.stack([out.node[source][row], out.node[destination][col]])
        assert torch.equal(data[relation].edge_index[:, edge], ends)
        if sampler.subgraph_type.value == "induced":
            continue
        if out.batch is not None:
            assert torch.equal(out.batch[source][row], out.batch[destination][col])
        weight = data[relation].weight if sampler._source.weighted else torch.ones(data[relation].edge_index.shape[1])
        assert bool((weight[edge] > 0).all())
        if time is not None:
            when = data[relation].time[edge] if "time" in data[relation] else data[source].time[ends[0]]
            assert bool((when <= time[out.batch[destination][col]]).all())
            continue
        into, places, kind = (0, row, source) if backward else (1, col, destination)
        degrees = torch.bincount(data[relation].edge_index[into][weight > 0], minlength=data[kind].num_nodes)
        taken, begin, end = torch.bincount(places, minlength=len(out.node[kind])), 0, 0
        for nodes, fanout in zip(out.num_sampled_nodes[kind], fanouts[relation], strict=False):
            begin, end = end, end + nodes  # the nodes that this hop expands
            there = degrees[out.node[kind][begin:end]]
            wanted = there if fanout < 0 else there.clamp(max=fanout)
            if sampler.replace and fanout >= 0:
                wanted = torch.where(there > 0, fanout, 0)
            assert torch.equal(taken[begin:end], wanted)


@pytest.mark.parametrize("part", range(4))
def test_random_graphs(part):
    for seed in range(part * 100, part * 100 + 100):
        draws = np.random.default_rng(seed)
        data = graph(draws)
        given, hops = options(draws, data), int(draws.integers(1, 4))
        fanouts = {relation: draws.integers(-1, 5, hops).tolist() for relation in data.edge_types}
        sampler = NeighborSampler(data, fanouts, seed=seed, **given)
        out, time = sampled(draws, data, sampler)
        try:
            check(data, sampler, out, time, fanouts)
        except AssertionError as why:
            raise AssertionError(f"seed {seed}, {given}, fan-outs {fanouts}: {why}") from why
