"""Features in DGL: storages that its DataLoader fetches from, and GraphBolt's features."""

import re
from pathlib import Path

import dgl
import dgl.graphbolt as gb
import gonextdoor.dgl
import numpy as np
import pytest
import torch

import gonextdoor as gnd

X = torch.arange(600.0).reshape(200, 3)
RNG = np.random.default_rng(1)


def plain():
    return dgl.graph((RNG.integers(0, 200, 2000), RNG.integers(0, 200, 2000)), num_nodes=200)


def saved(tmp_path, array, name="x"):
    np.save(tmp_path / f"{name}.npy", array)
    return gnd.features.open(tmp_path / f"{name}.npy")


@pytest.mark.parametrize("processes", [0, 2])
@pytest.mark.parametrize("theirs", [False, True])
def test_a_loader_fetches_nodes_and_edges(tmp_path, processes, theirs):
    bare = plain()
    edges = torch.arange(bare.num_edges())
    graph = gnd.dgl.with_features(bare, {"x": saved(tmp_path, X.numpy())}, {"w": edges})
    graph.ndata["y"] = torch.arange(200)  # tensors of the graph are fetched as before
    names = {"prefetch_node_feats": ["x"], "prefetch_labels": ["y"], "prefetch_edge_feats": ["w"]}
    sampler = dgl.dataloading.NeighborSampler([4, 3], **names) if theirs else gnd.dgl.PGSampler([4, 3], **names)
    loader = dgl.dataloading.DataLoader(graph, torch.arange(50), sampler, batch_size=20, num_workers=processes)
    batches = 0
    for inputs, seeds, blocks in loader:
        assert torch.equal(blocks[0].srcdata["x"], X[inputs])
        assert torch.equal(blocks[-1].dstdata["y"], seeds)
        for block in blocks:
            assert torch.equal(block.edata["w"], block.edata[dgl.EID])
        batches += 1
    assert batches == 3
    assert "x" not in bare.ndata


def test_types_of_a_graph(tmp_path):
    edges = {
        ("user", "buys", "item"): (RNG.integers(0, 50, 300), RNG.integers(0, 30, 300)),
        ("item", "bought", "user"): (RNG.integers(0, 30, 300), RNG.integers(0, 50, 300)),
    }
    graph = dgl.heterograph(edges, {"user": 50, "item": 30})
    held = {"user": X[:50], "item": saved(tmp_path, X[50:80].numpy())}
    graph = gnd.dgl.with_features(graph, {"x": held})
    sampler = gnd.dgl.PGSampler([4], prefetch_node_feats={"user": ["x"], "item": ["x"]})
    loader = dgl.dataloading.DataLoader(graph, {"item": torch.arange(30)}, sampler, batch_size=10)
    for inputs, _, blocks in loader:
        assert torch.equal(blocks[0].srcnodes["user"].data["x"], X[inputs["user"]])
        assert torch.equal(blocks[0].srcnodes["item"].data["x"], X[50 + inputs["item"]])


def test_a_storage(tmp_path):
    storage = gnd.dgl.FeatureStorage(saved(tmp_path, X.numpy()))
    ids = torch.tensor([5, 5, 199])
    assert torch.equal(storage.fetch(ids, torch.device("cpu")).wait(), X[ids])
    assert len(storage) == 200 and not storage.requires_ddp()
    assert dgl.storages.wrap_storage(storage) is storage


def test_refusals():
    graph = plain()
    typed = dgl.heterograph({("a", "r", "b"): ([0], [0]), ("b", "s", "a"): ([0], [0])})
    for kind, text, call in [
        (TypeError, "graph: expected a DGLGraph, got NoneType", lambda: gnd.dgl.with_features(None)),
        (ValueError, r"ndata\['x'\] has 9 rows for type '_N', but the graph has 200 nodes",
         lambda: gnd.dgl.with_features(graph, {"x": X[:9]})),
        (ValueError, r"edata\['w'\] has 200 rows for type .*, but the graph has 2000 edges",
         lambda: gnd.dgl.with_features(graph, edata={"w": X})),
        (ValueError, r"ndata\['x'\]: expected a dict of features by type, one of \['a', 'b'\]",
         lambda: gnd.dgl.with_features(typed, {"x": X})),
        (ValueError, r"ndata\['x'\]\['c'\]: expected one of the types",
         lambda: gnd.dgl.with_features(typed, {"x": {"c": X}})),
        (TypeError, "source: expected an array of numbers", lambda: gnd.dgl.FeatureStorage("x".encode)),
        (IndexError, r"ids\[0\] = 200: ", lambda: gnd.dgl.FeatureStorage(X).fetch(torch.tensor([200]), "cpu").wait()),
        (IndexError, r"ids\[0\] = 200: ", lambda: gnd.dgl.GraphBoltFeature(X).read(torch.tensor([200]))),
    ]:  # fmt: skip
        with pytest.raises(kind, match=text) as error:
            call()
        assert isinstance(error.value, dgl.DGLError)


def test_a_feature_of_graphbolt(tmp_path):
    theirs, ours = gb.TorchBasedFeature(X.clone()), gnd.dgl.GraphBoltFeature(X.clone(), {"k": 1})
    ids = torch.tensor([7, 0, 7])
    for _ in range(2):
        assert torch.equal(ours.read(ids), theirs.read(ids)) and torch.equal(ours.read(), theirs.read())
        assert ours.size() == theirs.size() and ours.count() == 200
        for feature in (ours, theirs):
            feature.update(torch.ones(2, 3), torch.tensor([7, 8]))
    ours.update(X + 1)
    assert torch.equal(ours.read(), X + 1)
    stages = list(ours.read_async(ids))
    assert len(stages) == ours.read_async_num_stages(ids.device)
    assert torch.equal(stages[-1].wait(), X[ids] + 1)
    assert ours.metadata() == {"k": 1} and gnd.dgl.GraphBoltFeature(X).metadata() == {}


def test_a_pipeline_of_graphbolt(tmp_path):
    heads = torch.arange(0, 201) * 10
    graph = gb.fused_csc_sampling_graph(heads, torch.from_numpy(RNG.integers(0, 200, 2000)))
    feature = gnd.dgl.GraphBoltFeature(saved(tmp_path, X.numpy()))
    store = gb.BasicFeatureStore({("node", None, "feat"): feature})
    items = gb.ItemSampler(gb.ItemSet(torch.arange(50), names="seed_nodes"), batch_size=20)
    pipe = items.sample_neighbor(graph, [4, 3]).fetch_feature(store, node_feature_keys=["feat"])
    count = 0
    for batch in gb.DataLoader(pipe, num_workers=0):
        assert torch.equal(batch.node_features["feat"], X[batch.input_nodes])
        count += 1
    assert count == 3


def test_the_section_of_the_docs_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", X.numpy())
    structure = gb.fused_csc_sampling_graph(torch.arange(0, 201) * 10, torch.from_numpy(RNG.integers(0, 200, 2000)))
    items = gb.ItemSampler(gb.ItemSet(torch.arange(50), names="seed_nodes"), batch_size=20)
    names = {"gnd": gnd, "dgl": dgl, "gb": gb, "graph": plain(), "train_ids": torch.arange(40)}
    names["datapipe"] = items.sample_neighbor(structure, [4, 3])
    section = (Path(__file__).resolve().parents[2] / "docs" / "features.md").read_text().split("## DGL\n")[1]
    exec(re.findall(r"```py\n(.*?)```", section, re.DOTALL)[0], names)
    inputs, _, blocks = next(iter(names["loader"]))
    assert torch.equal(blocks[0].srcdata["x"], X[inputs])
    batch = next(iter(names["datapipe"]))
    assert torch.equal(batch.node_features["feat"], X[batch.input_nodes])
