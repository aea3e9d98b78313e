"""GraphSAINT's walk sampler and Cluster-GCN: gonextdoor.sample against PyG's loaders of the same name, on an undirected
graph from a file.

    pip install torch torch-geometric torch-sparse torch-scatter
    python benchmarks/subgraphs_peer.py cnr-2000.txt.gz

Both give one subgraph after the other as training asks for them: the vertices, the edges between them by places among
these, and the edges' ids, and no features. PyG's are GraphSAINTRandomWalkSampler without normalisation, and
ClusterLoader over ClusterData that takes the same clusters as ours: each is a run of vertices with successive numbers,
which is what METIS's clusters are once ClusterData has sorted them. PyG's loaders run in the calling process, without
workers; torch uses as many threads as ours.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Iterable
from typing import Any

import numpy as np
from measure import compare, head, parser, threads

import gonextdoor as gnd

try:
    import torch
    from torch_geometric.data import Data
    from torch_geometric.loader import ClusterData, ClusterLoader, GraphSAINTRandomWalkSampler
except ImportError:
    sys.exit("this benchmark needs PyG: pip install torch torch-geometric torch-sparse torch-scatter")


class GivenClusters(ClusterData):  # type: ignore[misc]
    """ClusterData without METIS: the clusters are runs of vertices."""

    def _metis(self, edge_index: Any, num_nodes: int) -> Any:
        return torch.from_numpy(runs(num_nodes, self.num_parts))


def runs(vertices: int, clusters: int) -> Any:
    """The cluster of each vertex: runs of successive vertices are equal."""
    return np.arange(vertices) * clusters // vertices


def main() -> None:
    options = parser(__doc__)
    options.add_argument("file", help="an edge list; each edge is taken in both directions")
    options.add_argument("--samples", type=int, default=20, help="subgraphs in a run (default %(default)s)")
    given = options.parse_args()
    graph = gnd.read(given.file, symmetric=True, weight=False)
    src = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    edge_index = torch.from_numpy(np.stack([src, graph.indices.astype(np.int64)]))
    data = Data(edge_index=edge_index, edge_id=torch.arange(graph.num_edges), num_nodes=graph.num_vertices)

    def theirs(loader: Iterable[Any], n: int) -> float:
        torch.set_num_threads(n)
        begin, edges = time.perf_counter(), 0
        for part in itertools.islice(loader, given.samples):
            edges += part.edge_index.shape[1]
        return given.samples / (time.perf_counter() - begin)

    def ours(app: gnd.apps.SamplingApp, n: int) -> float:
        begin, edges = time.perf_counter(), 0
        for seed in range(given.samples):
            part = gnd.sample(graph, app, 1, seed=seed, threads=n, progress=False).subgraph()
            edges += len(part.src)
        return given.samples / (time.perf_counter() - begin)

    print(graph)
    head()
    for n in threads(given.threads):
        for roots in (2000, 6000):
            app: gnd.apps.SamplingApp = gnd.apps.GraphSAINT("walk", roots=roots, length=2)
            loader = GraphSAINTRandomWalkSampler(data, roots, 2, num_steps=given.samples, log=False)
            pair = (lambda app=app, n=n: ours(app, n)), (lambda loader=loader, n=n: theirs(loader, n))
            compare(f"GraphSAINT walk, {roots} roots", n, *pair, given.reps, "subgraphs/s")
        for clusters, batch in ((1500, 20), (150, 10)):
            app = gnd.apps.ClusterGCN(runs(graph.num_vertices, clusters), batch)
            parts = GivenClusters(data, clusters, log=False)
            loader = ClusterLoader(parts, batch_size=batch, shuffle=True)
            several = [loader] * (given.samples * batch // clusters + 1)
            pair = (
                (lambda app=app, n=n: ours(app, n)),
                (lambda several=several, n=n: theirs(itertools.chain.from_iterable(several), n)),
            )
            compare(f"ClusterGCN, {batch} of {clusters} clusters", n, *pair, given.reps, "subgraphs/s")


if __name__ == "__main__":
    main()
