"""Subgraphs: gonextdoor.sample and the loaders of gonextdoor.pyg against PyG's loaders of the same names.

    pip install torch torch-geometric torch-sparse torch-scatter
    python benchmarks/subgraphs_peer.py [rmat17 | cnr-2000.txt.gz] [--only shadow,cluster]

The graph is an R-MAT graph of a scale or an edge list; each edge is taken in both directions. Two things are compared:

- Samples, without features, in wall-clock time: gonextdoor.sample gives one subgraph after the other as training asks
  for them: the vertices, the edges between them by places among these, and the edges' ids. PyG's loaders give the same.
- Loaders, with features of nodes and one number per edge, in CPU time, which other programs change least. Both run in
  the calling process without workers or prefetching, and with as many threads.

Clusters are runs of vertices with successive numbers, which is what METIS's clusters are once ClusterData has sorted
them. PyG's ClusterLoader needs pandas.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from measure import compare, head, parser, threads

import gonextdoor as gnd

try:
    import gonextdoor.pyg as own
    import torch
    from torch_geometric import loader as pyg
    from torch_geometric.data import Data
except ImportError:
    sys.exit("this benchmark needs PyG: pip install torch torch-geometric torch-sparse torch-scatter")

Side = Callable[[int], float]  # a run with a number of threads
MATRIX = 1 << 26  # numbers that PyG's sampler of edges may draw for a batch; more take seconds


class GivenClusters(pyg.ClusterData):  # type: ignore[misc]
    """ClusterData without METIS: the clusters are runs of vertices."""

    def _metis(self, edge_index: Any, num_nodes: int) -> Any:
        return torch.from_numpy(runs(num_nodes, self.num_parts))


def runs(vertices: int, clusters: int) -> Any:
    """The cluster of each vertex: runs of successive vertices are equal."""
    return np.arange(vertices) * clusters // vertices


def main() -> None:
    options = parser(__doc__)
    options.add_argument("graph", nargs="?", default="rmat17", help="rmatN or an edge list (default %(default)s)")
    options.add_argument("--samples", type=int, default=20, help="subgraphs in a run (default %(default)s)")
    options.add_argument("--features", type=int, default=64, help="of a node (default %(default)s)")
    options.add_argument("--only", help="comparisons, with commas between: sample, walk, node, edge, shadow, cluster")
    given = options.parse_args()
    if given.graph.startswith("rmat"):
        graph = gnd.rmat(int(given.graph[4:]), 8, seed=1, symmetric=True)
    else:
        graph = gnd.read(given.graph, symmetric=True, weight=False)
    print(graph)
    head()
    for n in threads(given.threads):
        for name, (what, unit, ours, theirs) in sides(graph, given).items():
            if given.only is None or name.split()[0] in given.only.split(","):
                pair = (lambda ours=ours, n=n: ours(n)), (lambda theirs=theirs, n=n: theirs(n))
                compare(what, n, *pair, given.reps, unit, lower=unit.startswith("ms"))


def sides(graph: gnd.Graph, given: Any) -> dict[str, tuple[str, str, Side, Side]]:
    """Returns the text of each comparison, its unit, our run and PyG's. --only selects by the first word of a key."""
    count, samples = graph.num_vertices, given.samples
    src = np.repeat(np.arange(count), graph.degrees())
    edge_index = torch.from_numpy(np.stack([src, graph.indices.astype(np.int64)]))
    bare = Data(edge_index=edge_index, edge_id=torch.arange(graph.num_edges), num_nodes=count)
    data = Data(
        x=torch.randn(count, given.features), y=torch.zeros(count, dtype=torch.int64), edge_index=edge_index,
        edge_weight=torch.rand(graph.num_edges), num_nodes=count,
    )  # fmt: skip
    out: dict[str, tuple[str, str, Side, Side]] = {}
    # 1. Samples.
    for roots in (2000, 6000):
        app: gnd.apps.SamplingApp = gnd.apps.GraphSAINT("walk", roots=roots, length=2)
        theirs = pyg.GraphSAINTRandomWalkSampler(bare, roots, 2, num_steps=samples, log=False)
        pair = sampled(graph, app, samples), rate(theirs, samples)
        out[f"sample {roots}"] = f"GraphSAINT walk, {roots} roots", "subgraphs/s", *pair
    for clusters, size in ((1500, 20), (150, 10)):
        app = gnd.apps.ClusterGCN(runs(count, clusters), size)
        theirs = pyg.ClusterLoader(GivenClusters(bare, clusters, log=False), batch_size=size, shuffle=True)
        several = [theirs] * (samples * size // clusters + 1)
        pair = sampled(graph, app, samples), rate(several, samples)
        out[f"sample {clusters}"] = f"ClusterGCN, {size} of {clusters} clusters", "subgraphs/s", *pair
    # 2. Loaders.
    alone = {"prefetch": 0, "seed": 1}
    for name, size in (("Node", 6000), ("Edge", 2000)):
        kind, quiet = f"GraphSAINT{name}Sampler", {"num_steps": samples, "log": False}
        if name == "Edge" and size * graph.num_edges > MATRIX:
            print(f"{kind}: left out, PyG's draws a matrix of {size} times all edges")
            continue
        mine = of(kind, data, size, **quiet, **alone)
        out[name.lower()] = (
            f"{kind}, {size}",
            "ms a batch",
            mine,
            epoch([getattr(pyg, kind)(data, size, **quiet)], samples),
        )
    for size, length in ((2000, 2), (6000, 2), (200, 4)):
        kind, quiet = "GraphSAINTRandomWalkSampler", {"num_steps": samples, "log": False}
        pair = (
            of(kind, data, size, length, **quiet, **alone),
            epoch([getattr(pyg, kind)(data, size, length, **quiet)], samples),
        )
        out[f"walk {size}"] = f"{kind[10:]}, {size} x {length}", "ms a batch", *pair
    for depth, fanout, size in ((2, 10, 64), (2, 5, 256)):
        kind, nodes = "ShaDowKHopSampler", torch.randperm(count)[: size * samples]
        pair = (
            of(kind, data, depth, fanout, nodes, batch_size=size, **alone),
            epoch([pyg.ShaDowKHopSampler(data, depth, fanout, nodes, batch_size=size)], samples),
        )
        out[f"shadow {size}"] = f"{kind}, {depth} x {fanout}, {size} roots", "ms a batch", *pair
    for clusters, size in ((1500, 20), (150, 10)):
        mine = own.ClusterData(data, clusters, clusters=runs(count, clusters), log=False)
        theirs = pyg.ClusterLoader(GivenClusters(data, clusters, log=False), batch_size=size, shuffle=True)
        several = samples * size // clusters + 1
        pair = (
            of("ClusterLoader", mine, batch_size=size, shuffle=True, times=several, **alone),
            epoch([theirs] * several, samples),
        )
        out[f"cluster {clusters}"] = f"ClusterLoader, {size} of {clusters} clusters", "ms a batch", *pair
    return out


def sampled(graph: gnd.Graph, app: gnd.apps.SamplingApp, samples: int) -> Side:
    """Subgraphs per second of gonextdoor.sample."""

    def side(n: int) -> float:
        begin = time.perf_counter()
        for seed in range(samples):
            gnd.sample(graph, app, 1, seed=seed, threads=n, progress=False).subgraph()
        return samples / (time.perf_counter() - begin)

    return side


def rate(loader: Iterable[Any], samples: int) -> Side:
    """Subgraphs per second of a loader, or of several, one after the other."""
    batches: Any = itertools.chain.from_iterable if isinstance(loader, list) else iter

    def side(n: int) -> float:
        torch.set_num_threads(n)
        begin = time.perf_counter()
        for _ in itertools.islice(batches(loader), samples):
            pass
        return samples / (time.perf_counter() - begin)

    return side


def epoch(loaders: list[Any], samples: int) -> Side:
    """Milliseconds of CPU time per batch, of loaders one after the other."""

    def side(n: int) -> float:
        torch.set_num_threads(n)
        begin, count = time.process_time(), 0
        for _ in itertools.islice(itertools.chain.from_iterable(loaders), samples):
            count += 1
        return (time.process_time() - begin) / count * 1e3

    return side


def of(kind: str, *args: Any, times: int = 1, **kwargs: Any) -> Side:
    """The same of a loader of gonextdoor.pyg, which has as many threads as the run."""
    made: dict[int, Any] = {}

    def side(n: int) -> float:
        if n not in made:
            made[n] = getattr(own, kind)(*args, threads=n, **kwargs)
        samples = kwargs.get("num_steps", len(made[n]) * times)
        return epoch([made[n]] * times, samples)(n)

    return side


if __name__ == "__main__":
    main()
