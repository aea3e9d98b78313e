"""What the tests of DGL's blocks share: their edges as sets, what is always true of them, and counts that two samplers
should have alike."""

import itertools

import dgl
import numpy as np
import scipy.stats
import torch

dgl.utils.set_num_threads(1)  # its threads wait for each other, for ever if others need the cores


def by_type(value, names):
    """A tensor of a graph with one type, or a dict by type, as a dict."""
    return value if isinstance(value, dict) else {names[0]: value}


def edges_of(block, etype=None):
    """(source, destination, id) of each edge of a type, in the parent's ids, sorted."""
    etype = etype or block.canonical_etypes[0]
    src, dst = block.edges(etype=etype)
    sources, destinations = block.srcnodes[etype[0]].data[dgl.NID], block.dstnodes[etype[2]].data[dgl.NID]
    ids = block.edges[etype].data[dgl.EID]
    return sorted(zip(sources[src.long()].tolist(), destinations[dst.long()].tolist(), ids.tolist(), strict=True))


def check_blocks(g, result, fanouts=None, replace=False, without=()):
    """What holds for every mini-batch of g; fan-outs are ints, and without are edges that must not be there."""
    inputs, outputs, blocks = result
    for block, fanout in zip(blocks, fanouts or [None] * len(blocks), strict=True):
        assert block.is_block and block.idtype == g.idtype
        assert block.srctypes == block.dsttypes == g.ntypes
        assert block.canonical_etypes == g.canonical_etypes
        for ntype in g.ntypes:
            sources, destinations = block.srcnodes[ntype].data[dgl.NID], block.dstnodes[ntype].data[dgl.NID]
            assert sources.dtype == destinations.dtype == g.idtype
            assert torch.equal(sources[: len(destinations)], destinations)
            assert len(sources) == len(set(sources.tolist())) == block.num_src_nodes(ntype)
        for etype in g.canonical_etypes:
            check_edges(g, block, etype, fanout, replace, without)
    for outer, inner in itertools.pairwise(blocks):
        for ntype in g.ntypes:
            assert torch.equal(outer.dstnodes[ntype].data[dgl.NID], inner.srcnodes[ntype].data[dgl.NID])
    for ntype, ids in by_type(outputs, g.ntypes).items():
        assert torch.equal(blocks[-1].dstnodes[ntype].data[dgl.NID].long(), ids.long())
    for ntype, ids in by_type(inputs, g.ntypes).items():
        assert torch.equal(blocks[0].srcnodes[ntype].data[dgl.NID], ids)


def check_edges(g, block, etype, fanout, replace, without):
    src, dst = block.edges(etype=etype)
    ids = block.edges[etype].data[dgl.EID]
    assert ids.dtype == g.idtype
    sources, destinations = g.find_edges(ids, etype=etype)
    assert torch.equal(block.srcnodes[etype[0]].data[dgl.NID][src.long()], sources)
    there = block.dstnodes[etype[2]].data[dgl.NID]
    assert torch.equal(there[dst.long()], destinations)
    assert not set(ids.tolist()) & set(without)
    if fanout is not None:
        degrees = g.in_degrees(there, etype=etype)
        if not len(without):
            taken = block.in_degrees(etype=etype)
            if replace and fanout >= 0:
                assert torch.equal(taken, torch.where(degrees > 0, fanout, 0).to(taken.dtype))
            else:
                assert torch.equal(taken, degrees if fanout < 0 else degrees.clamp(max=fanout))
    if not replace:
        assert len(set(ids.tolist())) == len(ids)


def alike(ours, theirs, least=5):
    """Whether counts of the same cells may come from one distribution: chi-square of a two-row table, rare cells put
    together, at a false alarm in a million."""
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    rare = ours + theirs < 2 * least
    table = np.stack([np.append(side[~rare], side[rare].sum()) for side in (ours, theirs)])
    table = table[:, table.sum(0) > 0]
    return table.shape[1] < 2 or scipy.stats.chi2_contingency(table).pvalue > 1e-6
