"""Fixtures of the tests with the real DGL and PyG: the selection of files, small graphs, and options of workers.

A file is collected if its frameworks are installed: DGL for test_dgl_*.py, PyG for test_pyg_*.py, both for the others.
"""

import importlib.util
import os
import pathlib

import daily
import numpy as np
import pytest

os.environ.setdefault("DGLBACKEND", "pytorch")  # DGL would ask, and write a file in the home folder

HERE = pathlib.Path(__file__).parent
NEEDS = {
    "test_dgl_": ("torch", "dgl"),
    "test_pyg_": ("torch", "torch_geometric"),
    "test_": ("torch", "dgl", "torch_geometric"),
}
START_METHODS = ["fork", "spawn", "forkserver"]


def _missing(file):
    needs = next(names for start, names in NEEDS.items() if file.name.startswith(start))
    return [name for name in needs if importlib.util.find_spec(name) is None]


LEFT_OUT = {file.name: missing for file in sorted(HERE.glob("test_*.py")) if (missing := _missing(file))}
collect_ignore = list(LEFT_OUT)


def pytest_report_header(config):
    missing = sorted({name for names in LEFT_OUT.values() for name in names})
    return (
        f"tests/gnn: {len(LEFT_OUT)} files left out, {', '.join(missing)} not here; make test-gnn" if missing else None
    )


def pytest_generate_tests(metafunc):
    """Parametrizes `workers`: the keyword arguments of a DataLoader, for each number and start method of its workers.

    In a short run each test has one of them, which changes daily and differs between tests.
    """
    if "workers" in metafunc.fixturenames:
        made = {"no worker": {"num_workers": 0}}
        for number in (1, 2, 3):
            for method in START_METHODS if number == 2 else ["fork"]:
                made[f"{number} by {method}"] = {"num_workers": number, "multiprocessing_context": method}
        params = daily.share(made.values(), len(made), test=metafunc.function.__qualname__)
        metafunc.parametrize("workers", params, ids=made.keys())


@pytest.fixture(scope="session")
def pyg_lib():
    """The stand-in for pyg-lib."""
    import gonextdoor.pyg

    assert gonextdoor.pyg.install()
    return importlib.import_module("pyg_lib")


@pytest.fixture(scope="session")
def graphbolt():
    """dgl.graphbolt, which DGL 2.1.0 has compiled for torch 2.2.1 and earlier ones."""
    import dgl
    import torch

    if not hasattr(dgl.graphbolt, "__file__") or "Stands for" in (dgl.graphbolt.__doc__ or ""):
        pytest.skip(f"no GraphBolt for torch {torch.__version__}")
    return dgl.graphbolt


class Edges:
    """The arrays of a small graph, from which graphs of each framework are made.

    Some vertices have no edges; some edges are double.
    """

    def __init__(self, vertices=2000, edges=20000, features=16, seed=1):
        random = np.random.default_rng(seed)
        self.vertices, self.edges = vertices, edges
        self.src = random.integers(0, vertices - 20, edges)
        self.dst = (random.random(edges) ** 2 * (vertices - 20)).astype(np.int64)  # a few have many
        self.weights = random.random(edges).astype(np.float32)
        self.times = random.integers(0, 1000, edges)
        self.x = random.standard_normal((vertices, features), dtype=np.float32)
        self.y = (self.x[:, 0] > 0).astype(np.int64) + 2 * (self.x[:, 1] > 0)

    def dgl(self):
        """A DGLGraph with x, y of vertices and w, t of edges."""
        import dgl
        import torch

        graph = dgl.graph((torch.from_numpy(self.src), torch.from_numpy(self.dst)), num_nodes=self.vertices)
        graph.ndata["x"], graph.ndata["y"] = torch.from_numpy(self.x), torch.from_numpy(self.y)
        graph.edata["w"], graph.edata["t"] = torch.from_numpy(self.weights), torch.from_numpy(self.times)
        return graph

    def pyg(self):
        """A Data with x, y, edge_index, edge_weight, edge_time, and edge_attr: the edges' own ids."""
        import torch
        from torch_geometric.data import Data

        return Data(
            x=torch.from_numpy(self.x),
            y=torch.from_numpy(self.y),
            edge_index=torch.from_numpy(np.stack([self.src, self.dst])),
            edge_weight=torch.from_numpy(self.weights),
            edge_time=torch.from_numpy(self.times),
            edge_attr=torch.arange(self.edges),
        )


class TypedEdges:
    """Users buy items, items are bought, users follow users: two types of vertices, three of edges."""

    TYPES = (("user", "buys", "item"), ("item", "bought_by", "user"), ("user", "follows", "user"))

    def __init__(self, users=300, items=500, features=8, seed=1):
        random = np.random.default_rng(seed)
        self.counts = {"user": users, "item": items}
        buys = random.integers(0, users, 3000), random.integers(0, items, 3000)
        follows = random.integers(0, users, 1500), random.integers(0, users, 1500)
        self.ends = dict(zip(self.TYPES, (buys, buys[::-1], follows), strict=True))
        self.weights = {kind: random.random(len(ends[0])).astype(np.float32) for kind, ends in self.ends.items()}
        self.times = {kind: random.integers(0, 1000, count) for kind, count in self.counts.items()}
        self.x = {kind: random.standard_normal((n, features), dtype=np.float32) for kind, n in self.counts.items()}

    def dgl(self):
        """A DGLGraph with x of vertices and w of edges."""
        import dgl
        import torch

        ends = {kind: tuple(map(torch.tensor, ends)) for kind, ends in self.ends.items()}
        graph = dgl.heterograph(ends, num_nodes_dict=self.counts)
        for kind in self.counts:
            graph.nodes[kind].data["x"] = torch.from_numpy(self.x[kind])
        for kind in self.TYPES:
            graph.edges[kind].data["w"] = torch.from_numpy(self.weights[kind])
        return graph

    def pyg(self):
        """A HeteroData with x and time of vertices, edge_index, edge_weight and edge_attr (ids) of edges."""
        import torch
        from torch_geometric.data import HeteroData

        data = HeteroData()
        for kind, x in self.x.items():
            data[kind].x, data[kind].time = torch.from_numpy(x), torch.from_numpy(self.times[kind])
        for kind, ends in self.ends.items():
            data[kind].edge_index = torch.from_numpy(np.stack(ends))
            data[kind].edge_weight = torch.from_numpy(self.weights[kind])
            data[kind].edge_attr = torch.arange(len(ends[0]))
        return data


@pytest.fixture(scope="session")
def edges():
    return Edges()


@pytest.fixture(scope="session")
def typed_edges():
    return TypedEdges()
