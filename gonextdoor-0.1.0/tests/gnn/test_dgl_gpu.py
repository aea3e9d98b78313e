"""Samplers for DGL with device="cuda": the batches of the CPU. They are copied back, since torch has no GPU here."""

import pytest
import torch
from dgl_blocks import check_blocks, edges_of
from gonextdoor.dgl import DataLoader, PGSampler, blocks, sampler

pytestmark = pytest.mark.usefixtures("gpu")


@pytest.mark.parametrize("options", [{}, {"replace": True}, {"prob": "w"}, {"edge_dir": "out"}], ids=str)
def test_the_same_as_on_the_cpu(edges, options):
    g, seeds = edges.dgl().int(), torch.tensor([3, 150, 7, 1990], dtype=torch.int32)
    here, there = (PGSampler([3, 4], seed=1, device=device, **options).sample(g, seeds) for device in ("cpu", "cuda"))
    assert torch.equal(here[0], there[0])
    for ours, theirs in zip(here[2], there[2], strict=True):
        assert ours.idtype == theirs.idtype == torch.int32
        if "edge_dir" not in options:
            assert edges_of(ours) == edges_of(theirs)


@pytest.mark.parametrize("ids", [torch.arange(190), torch.arange(190) // 3], ids=["different", "repeated"])
def test_the_loader_draws_several_batches_by_one_call(edges, ids, monkeypatch):
    """They share an arena, which is converted once."""
    g, converted = edges.dgl().int(), []
    whole = blocks.arena_of
    monkeypatch.setattr(sampler, "arena_of", lambda drawn: converted.append(drawn) or whole(drawn))

    def batches(device):
        drawing = PGSampler([3, 4], prefetch_node_feats=["x"], seed=1, device=device)
        return DataLoader(g, ids.int(), drawing, batch_size=10)

    on_gpu = list(batches("cuda"))
    assert len(on_gpu) == 19 and (len(converted) <= 5 or ids[1] == 0)
    for here, there in zip(batches("cpu"), on_gpu, strict=True):
        assert torch.equal(here[0], there[0]) and torch.equal(here[1], there[1])
        assert torch.equal(here[2][0].srcdata["x"], there[2][0].srcdata["x"])
        for ours, theirs in zip(here[2], there[2], strict=True):
            assert edges_of(ours) == edges_of(theirs)


def test_types(typed_edges):
    g = typed_edges.dgl()
    seeds = {"user": torch.tensor([3, 17]), "item": torch.tensor([0])}
    out = {"buys": torch.arange(0, 3000, 2)}
    here, there = (PGSampler([3, -1], seed=1, device=device).sample(g, seeds, out) for device in ("cpu", "cuda"))
    check_blocks(g, there)
    for ours, theirs in zip(here[2], there[2], strict=True):
        for etype in g.canonical_etypes:
            assert edges_of(ours, etype) == edges_of(theirs, etype)
