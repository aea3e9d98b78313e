"""benchmarks/convergence.py: models learn from batches of every loader, and the table shows the accuracies."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import torch

import gonextdoor

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(gonextdoor.__file__).resolve().parents[1]
BENCHMARKS = ROOT / "benchmarks"


@pytest.fixture
def benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import gnnbatches
    import gnnmodels
    import labelled

    return gnnbatches, gnnmodels, labelled


def test_the_script_trains_near_full_batch(tmp_path):
    """One seed of a small graph per model: far more accurate than chance, and near the whole graph."""
    file = tmp_path / "accuracies.json"
    command = [sys.executable, "-W", "ignore", str(BENCHMARKS / "convergence.py"), "--json", str(file)]
    command += ["--seeds=1", "--vertices=800", "--steps=50", "--batch=128", "--graphs=planted,types,airports"]
    command += ["--loaders", "gonextdoor,full batch", "--data", str(tmp_path / "nothing")]
    env = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert "without the graph of airports" in done.stdout
    rows = json.loads(file.read_text())["rows"]
    names = [(row["graph"], row["model"]) for row in rows]
    assert names == [("planted partition", model) for model in ("GraphSAGE", "GCN", "GAT")] + [
        ("planted partition, types", "R-GCN")
    ]
    for row in rows:
        (run,) = row["runs"]
        assert 0.45 < run["gonextdoor"] < run["best"] + 0.05, row  # chance: 1/8
        assert abs(run["gonextdoor"] - run["full batch"]) < 0.15, row
        cells = [row["graph"], row["model"], "1"]
        cells += [f"{100 * run[name]:.1f}" for name in ("best", "gonextdoor", "full batch")]
        assert f"| {' | '.join(cells)} |" in done.stdout


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("--loaders=DGLX", "--loaders DGLX: 'DGLX' is not one of gonextdoor"),
        ("--graphs=", "'' is not one of planted"),
        ("--models=GCN,MLP", "'MLP' is not one of GraphSAGE"),
        ("--seeds=0", "expected at least 1"),
    ],
)
def test_the_script_refuses_what_it_cannot_run(benchmarks, monkeypatch, capsys, option, text):
    import convergence

    monkeypatch.setattr(sys, "argv", ["convergence.py", option])
    with pytest.raises(SystemExit):
        convergence.arguments()
    assert text in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["planted", "planted_types"])
@pytest.mark.parametrize("loader", ["gonextdoor", "DGL"])
def test_batches_are_edges_of_the_graph(benchmarks, loader, kind):
    gnnbatches, gnnmodels, labelled = benchmarks
    if loader not in gnnbatches.available():
        pytest.skip("no DGL")
    task = getattr(labelled, kind)(400, 1)
    nodes = torch.arange(0, 100)
    batches = gnnbatches.LOADERS[loader](task, nodes, 30, 1, "cpu")
    seen = []
    for _ in range(4):  # an epoch
        batch = next(batches)
        seen += batch.ids[task.target][: batch.count].tolist()
        assert len(batch.layers) == gnnmodels.LAYERS
        for layer in batch.layers:
            for relation, edges in layer.items():
                source, target = batch.ids[relation[0]][edges[0]], batch.ids[relation[2]][edges[1]]
                all_edges = {tuple(edge) for edge in task.edges[relation].T.tolist()}
                assert {*zip(source.tolist(), target.tolist(), strict=True)} <= all_edges
                assert np.bincount(edges[1].numpy()).max(initial=0) <= 15
    assert sorted(seen) == nodes.tolist()


def test_gcn_of_a_whole_graph_is_that_of_pyg(benchmarks):
    gnnbatches, gnnmodels, labelled = benchmarks
    from torch_geometric.nn import GCNConv

    task = labelled.planted(300, 2)
    edges, x = torch.from_numpy(task.edges[labelled.TO]), torch.from_numpy(task.features[labelled.NODE])
    ours, theirs = gnnmodels.WeightedSum(x.shape[1], 5), GCNConv(x.shape[1], 5)
    theirs.lin.weight, theirs.bias = ours.linear.weight, torch.nn.Parameter(torch.zeros(5))
    torch.nn.init.zeros_(ours.linear.bias)
    degrees = torch.bincount(edges[1], minlength=300)
    assert torch.allclose(ours(x, edges, degrees), theirs(x, edges), atol=1e-5)
    # The mean over many batches is the output of the whole graph.
    whole, total = ours(x, edges, degrees), torch.zeros(40, 5)
    batches = gnnbatches.gonextdoor_loader(task, torch.arange(40), 40, 1, "cpu")
    for _ in range(150):
        batch = next(batches)
        ids = batch.ids[labelled.NODE]
        out = ours(x[ids], batch.layers[0][labelled.TO], degrees[ids])
        total[ids[:40]] += out[:40].detach() / 150
    whole = whole[:40].detach()
    assert float((total * whole).sum() / (whole**2).sum()) == pytest.approx(1, abs=0.02)
