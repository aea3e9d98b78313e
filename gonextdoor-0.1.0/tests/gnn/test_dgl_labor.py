"""LABOR in the samplers for DGL and GraphBolt: edges of the graph, fewer input nodes, and refusals."""

import dgl
import dgl.graphbolt as gb
import pytest
import torch
from gonextdoor.dgl import PGNeighborSampler, PGSampler


@pytest.fixture(scope="module")
def graph():
    generator = torch.Generator().manual_seed(1)
    edges = torch.randint(500, (2, 8000), generator=generator)
    g = dgl.graph((edges[0], edges[1]), num_nodes=500)
    g.edata["w"] = torch.rand(8000, generator=generator)
    return g


def inputs_of(graph, **options):
    inputs, _, blocks = PGSampler([5, 5], seed=1, **options).sample_blocks(graph, torch.arange(50))
    for block in blocks:
        sources, destinations = block.edges()
        ends = graph.find_edges(block.edata[dgl.EID])
        assert torch.equal(block.srcdata[dgl.NID][sources], ends[0])
        assert torch.equal(block.dstdata[dgl.NID][destinations], ends[1])
    return inputs.tolist()


@pytest.mark.parametrize("options", [{}, {"layer_dependency": True}, {"prob": "w"}], ids=str)
def test_blocks_have_fewer_inputs(graph, options):
    neighbor = inputs_of(graph, prob=options.get("prob"))
    mine = inputs_of(graph, method="labor", **options)
    assert len(mine) < 0.95 * len(neighbor)
    assert inputs_of(graph, method="labor", threads=2, **options) == mine


def test_graphbolt_has_fewer_inputs(graph):
    indptr, indices, _ = graph.adj_tensors("csc")
    fused, counts = gb.fused_csc_sampling_graph(indptr, indices), {}
    for method in ("neighbor", "labor", "labor-poisson"):
        items = gb.ItemSampler(gb.ItemSet(torch.arange(100), names="seed_nodes"), batch_size=50)
        counts[method] = sum(
            len(batch.input_nodes) for batch in PGNeighborSampler(items, fused, [5, 5], seed=1, method=method)
        )
    assert max(counts["labor"], counts["labor-poisson"]) < 0.9 * counts["neighbor"]
    with pytest.raises(dgl.DGLError, match="deduplicate = False: expected True"):
        PGNeighborSampler(None, fused, [5, 5], deduplicate=False, method="labor")


def test_contradictions_are_refused(graph):
    with pytest.raises(dgl.DGLError, match="replace = True: expected False"):
        PGSampler([5], replace=True, method="labor")
    with pytest.raises(dgl.DGLError, match="does not support weights"):
        PGSampler([5], prob="w", method="labor-poisson").sample_blocks(graph, torch.arange(5))
