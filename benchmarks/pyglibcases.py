"""The calls that pyg_lib_peer.py compares: operators of pyg_lib, loaders of PyG, counts on a small graph."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import torch

import gonextdoor as gnd

HOPS = [15, 10, 5]
TYPED_HOPS = [10, 5]
BATCH, LATEST, FEATURES, PARTS = 1024, 1 << 20, 32, 64
CITES, WRITES, WRITTEN = ("paper", "cites", "paper"), ("author", "writes", "paper"), ("paper", "written_by", "author")
RELATIONS = CITES, WRITES, WRITTEN

Run = Callable[[], int]  # returns the number of edges


class Inputs:
    """An R-MAT graph as rows for the operators and as data for the loaders; each is made when it is asked for."""

    def __init__(self, scale: int) -> None:
        self.scale = scale

    @cached_property
    def graph(self) -> gnd.Graph:
        return gnd.rmat(self.scale, seed=1)

    @cached_property
    def rows(self) -> tuple[torch.Tensor, torch.Tensor]:
        """(rowptr, col)."""
        return torch.from_numpy(self.graph.indptr.astype(np.int64)), torch.from_numpy(
            self.graph.indices.astype(np.int64)
        )

    @cached_property
    def weights(self) -> torch.Tensor:
        return torch.rand(self.graph.num_edges, generator=torch.Generator().manual_seed(1)) + 0.1

    @cached_property
    def times(self) -> torch.Tensor:
        """Random times of edges, in order within each row."""
        return sorted_times(self.graph.degrees(), LATEST)

    @cached_property
    def node_times(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Times of nodes, and col sorted by them within each row."""
        times = np.random.default_rng(2).integers(LATEST, size=self.graph.num_vertices)
        col, row = self.graph.indices, np.repeat(np.arange(self.graph.num_vertices), self.graph.degrees())
        return torch.from_numpy(times), torch.from_numpy(col[np.lexsort((times[col], row))].astype(np.int64))

    def seeds(self, batches: int) -> torch.Tensor:
        """Nodes with edges in a random order, repeated if there are not enough."""
        nodes = np.flatnonzero(self.graph.degrees() > 0)
        order = np.random.default_rng(3).permutation(nodes)
        return torch.from_numpy(np.resize(order, batches * BATCH))

    @cached_property
    def data(self) -> Any:
        from torch_geometric.data import Data

        rowptr, col = self.rows
        to = torch.repeat_interleave(torch.arange(len(rowptr) - 1), rowptr.diff())
        x = torch.randn(len(rowptr) - 1, FEATURES)
        return Data(x=x, edge_index=torch.stack([col, to]), w=self.weights, time=self.times)

    @cached_property
    def typed(self) -> Any:
        """Two types of nodes with the edges of the graph in three relations."""
        from torch_geometric.data import HeteroData

        typed = HeteroData()
        typed["paper"].x = typed["author"].x = self.data.x
        for relation in RELATIONS:
            typed[relation].edge_index = self.data.edge_index
            typed[relation].time = self.times
        return typed


def sorted_times(degrees: Any, latest: int) -> torch.Tensor:
    rows = np.repeat(np.arange(len(degrees)), degrees)
    times = np.random.default_rng(4).integers(latest, size=len(rows))
    return torch.from_numpy(np.sort(rows * latest + times) % latest)


def operators(inputs: Inputs, batches: int) -> dict[str, Run]:
    """The operators of pyg_lib.sampler on that many batches."""
    from pyg_lib.sampler import hetero_neighbor_sample, neighbor_sample, random_walk, subgraph

    def seeds() -> Any:
        return inputs.seeds(batches).split(BATCH)

    def one(**options: Any) -> Run:
        def run() -> int:
            given = {name: value() if callable(value) else value for name, value in options.items()}
            rows = given.pop("rows", inputs.rows)
            return sum(len(neighbor_sample(*rows, ids, HOPS, csc=True, **given)[0]) for ids in seeds())

        return run

    def many(**options: Any) -> Run:
        def run() -> int:
            rowptr, col = (dict.fromkeys(RELATIONS, part) for part in inputs.rows)
            given = {name: value() if callable(value) else value for name, value in options.items()}
            hops = dict.fromkeys(rowptr, TYPED_HOPS)
            return sum(
                sum(map(len, hetero_neighbor_sample(rowptr, col, {"paper": ids}, hops, csc=True, **given)[0].values()))
                for ids in seeds()
            )

        return run

    def every(what: Callable[[], Any]) -> Callable[[], dict[Any, Any]]:
        return lambda: dict.fromkeys(RELATIONS, what())

    def walks(length: int) -> Run:  # of first order: pyg-lib has no others on a CPU
        return lambda: sum(len(random_walk(*inputs.rows, ids, length)) * length for ids in seeds())

    now = torch.full((BATCH,), LATEST // 2)
    times, of_nodes = {"disjoint": True, "seed_time": now}, lambda: inputs.node_times[0]
    typed_times = {"disjoint": True, "seed_time_dict": {"paper": now}, "edge_time_dict": every(lambda: inputs.times)}
    return {
        "neighbor_sample": one(),
        "replace": one(replace=True),
        "disjoint": one(disjoint=True),
        "weights": one(edge_weight=lambda: inputs.weights),
        "weights, replace": one(edge_weight=lambda: inputs.weights, replace=True),
        "times of edges": one(edge_time=lambda: inputs.times, **times),
        "times of edges, last": one(edge_time=lambda: inputs.times, temporal_strategy="last", **times),
        "times of nodes": one(rows=lambda: (inputs.rows[0], inputs.node_times[1]), node_time=of_nodes, **times),
        "hetero_neighbor_sample": many(),
        "hetero, replace": many(replace=True),
        "hetero, disjoint": many(disjoint=True),
        "hetero, weights": many(edge_weight_dict=every(lambda: inputs.weights)),
        "hetero, times of edges": many(**typed_times),
        "hetero, times of edges, last": many(temporal_strategy="last", **typed_times),
        "random_walk, 80 steps": walks(80),
        "subgraph of 8,192 nodes": lambda: sum(
            len(subgraph(*inputs.rows, ids.unique())[1]) for ids in inputs.seeds(batches).split(8 * BATCH)
        ),
    }


def partitions(inputs: Inputs) -> dict[str, Run]:
    """Partitions of a smaller graph with both directions of each edge; rates are its edges."""
    from pyg_lib.partition import metis

    def graph() -> Any:
        kept = vars(inputs).setdefault("undirected", gnd.rmat(min(inputs.scale, 15), seed=1, symmetric=True))
        return torch.from_numpy(kept.indptr.astype(np.int64)), torch.from_numpy(kept.indices.astype(np.int64))

    def run() -> int:
        rowptr, col = graph()
        parts = metis(rowptr, col, PARTS)
        row = torch.repeat_interleave(torch.arange(len(rowptr) - 1), rowptr.diff())
        print(f"  {float((parts[row] != parts[col]).double().mean()):.3f} of the edges are cut", flush=True)
        return len(col)

    return {f"metis, {PARTS} parts": run}


def loaders(inputs: Inputs, batches: int, own: bool, options: dict[str, Any]) -> dict[str, Callable[[], Run]]:
    """Those of PyG, or our own of the same names, over that many batches."""
    import gonextdoor.pyg
    import torch_geometric.loader

    module: Any = gonextdoor.pyg if own else torch_geometric.loader
    if not own:
        options = options | {"persistent_workers": options.get("num_workers", 0) > 0}

    def epoch(loader: Any) -> Run:
        return lambda: sum(batch.num_edges for batch in loader)

    def nodes(typed: bool = False, timed: bool = False, **more: Any) -> Callable[[], Run]:
        def make() -> Run:
            ids: Any = inputs.seeds(batches)
            if timed:
                more.update(time_attr="time", input_time=torch.full((len(ids),), LATEST // 2))
            data, hops = (inputs.typed, TYPED_HOPS) if typed else (inputs.data, HOPS)
            seeds = ("paper", ids) if typed else ids
            return epoch(module.NeighborLoader(data, hops, seeds, batch_size=BATCH, **more, **options))

        return make

    def links(timed: bool = False, **more: Any) -> Callable[[], Run]:
        def make() -> Run:
            some = torch.randperm(inputs.graph.num_edges)[: batches * BATCH]
            if timed:
                more.update(time_attr="time", edge_label_time=torch.full((len(some),), LATEST // 2))
            pairs = inputs.data.edge_index[:, some]
            loader = module.LinkNeighborLoader(
                inputs.data, TYPED_HOPS, pairs, batch_size=BATCH, neg_sampling="binary", **more, **options
            )
            return epoch(loader)

        return make

    def node2vec() -> Run:
        from torch_geometric.nn import Node2Vec

        model = Node2Vec(
            inputs.data.edge_index, 8, walk_length=20, context_size=10, num_nodes=inputs.graph.num_vertices
        )
        seeds = inputs.seeds(batches).tolist()  # as model.loader(), which takes all nodes
        loader = torch.utils.data.DataLoader(seeds, batch_size=BATCH, collate_fn=model.sample, **options)
        return lambda: sum(positive.numel() for positive, _ in loader)

    cases = {
        "NeighborLoader": nodes(),
        "NeighborLoader, weights": nodes(weight_attr="w"),
        "NeighborLoader, times": nodes(timed=True, disjoint=True),
        "NeighborLoader, times, last": nodes(timed=True, disjoint=True, temporal_strategy="last"),
        "NeighborLoader, types": nodes(typed=True),
        "NeighborLoader, types, times": nodes(typed=True, timed=True, disjoint=True),
        "LinkNeighborLoader": links(),
        "LinkNeighborLoader, times": links(timed=True, disjoint=True),
    }
    return cases if own else cases | {"Node2Vec.loader": node2vec}


class Small:
    """A graph of 40 nodes, 300 edges, with weights and times, and the samples of it that are counted."""

    def __init__(self) -> None:
        ends = np.random.default_rng(5).permutation(40 * 40)[:300]
        graph = gnd.Graph.from_edges(ends // 40, ends % 40, num_vertices=40)
        self.rows = torch.from_numpy(graph.indptr.astype(np.int64)), torch.from_numpy(graph.indices.astype(np.int64))
        self.weights = torch.rand(300, generator=torch.Generator().manual_seed(5)) + 0.05
        self.times = sorted_times(graph.degrees(), 100)
        plain, timed = {"csc": True}, {"csc": True, "disjoint": True, "edge_time": self.times, "edge_weight": None}
        timed["seed_time"] = torch.full((4,), 60)
        self.cases: dict[str, tuple[bool, dict[str, Any]]] = {
            f"{'types, ' * typed}{name}": (typed, options)
            for typed in (False, True)
            for name, options in {
                "uniform": plain,
                "replace": plain | {"replace": True},
                "disjoint": plain | {"disjoint": True},
                "weights": plain | {"edge_weight": self.weights},
                "weights, replace": plain | {"edge_weight": self.weights, "replace": True},
                "times": timed,
                "times, replace": timed | {"replace": True},
                "times, last": timed | {"temporal_strategy": "last"},
            }.items()
        }
        self.cases["walks"] = False, {"p": 1.0}  # pyg-lib draws no others on a CPU


def small() -> Small:
    return Small()


def inclusions(graph: Small, name: str, samples: int) -> Any:
    """The frequency of each edge in the samples, by relation; for walks, of each node at each step."""
    from pyg_lib.sampler import hetero_neighbor_sample, neighbor_sample, random_walk

    torch.manual_seed(samples)
    typed, options = graph.cases[name]
    seeds, length = torch.arange(4), 4
    if "p" in options:
        walks = random_walk(*graph.rows, torch.zeros(samples, dtype=torch.int64), length, **options)
        return np.concatenate([np.bincount(step, minlength=40) / samples for step in walks.numpy().T])
    if not typed:
        counts = np.zeros(300)
        for _ in range(samples):
            counts[neighbor_sample(*graph.rows, seeds, [3, 2], **options)[3].unique().numpy()] += 1
        return counts / samples
    rowptr, col = (dict.fromkeys(RELATIONS, part) for part in graph.rows)
    given: dict[str, Any] = {}
    for key, value in options.items():
        if isinstance(value, torch.Tensor):
            value = {"paper": value} if key == "seed_time" else dict.fromkeys(rowptr, value)
            key += "_dict"
        elif value is None:
            continue
        given[key] = value
    hops, by_type = {kind: [3, 2] for kind in rowptr}, {kind: np.zeros(300) for kind in rowptr}
    for _ in range(samples):
        edges = hetero_neighbor_sample(rowptr, col, {"paper": seeds}, hops, **given)[3]
        for kind, ids in edges.items():
            by_type[kind][ids.unique().numpy()] += 1
    return np.concatenate(list(by_type.values())) / samples
