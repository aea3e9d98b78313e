"""Exact negative links: the functions of torch_geometric.utils, and an option of the loaders."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch_geometric.sampler import NegativeSampling
from torch_geometric.utils.num_nodes import maybe_num_nodes

from ..apps import NegativePairs, Negatives
from ..graph.direction import facing
from ..graph.graph import Graph
from ..sampling.distinctpairs import distinct_pairs
from ..sampling.sample import sample
from .cache import TensorCache
from .walks import array_of

__all__ = ["ExactNegativeSampling", "negative_sampling", "structured_negative_sampling"]

Array = npt.NDArray[Any]

# The graphs of edge indices, with the version of the tensor and the number of nodes.
_graphs: TensorCache[Graph] = TensorCache(8)


class ExactNegativeSampling(NegativeSampling):  # type: ignore[misc, unused-ignore]
    """A ``neg_sampling`` of ``LinkNeighborLoader`` whose negative links are no edges of the data, exactly.

    In binary mode, each negative link is drawn among all pairs without an edge of the type of the links; in triplet
    mode, each destination among the nodes to which no edge leads from the link's source. With weights, in proportion to
    them. Only edges that the loader's data has count: leave the links that are to be predicted in it, or a negative may
    be one of them. Links and nodes with times are not supported.

    Args:
        mode: "binary" or "triplet", as for PyG's ``NegativeSampling``.
        amount: the number of negatives per link (default 1).
        src_weight: weights of the sources in binary mode; None (default): all nodes are equally likely.
        dst_weight: likewise, of the destinations.

    Raises:
        ValueError: (by the loader) the links or nodes have times, all pairs are edges, or a source has all edges.

    Examples:
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> data = Data(edge_index=torch.tensor([[0, 1, 2], [1, 2, 3]]), num_nodes=4)
        >>> exact = gnd.pyg.ExactNegativeSampling("binary")
        >>> loader = gnd.pyg.LinkNeighborLoader(data, [2], batch_size=3, neg_sampling=exact, seed=1)
        >>> next(iter(loader)).edge_label
        tensor([1., 1., 1., 0., 0., 0.])
    """


class ExactDraws:
    """Draws exact negative links for a sampler, and keeps its apps between batches."""

    def __init__(self) -> None:
        self._apps: dict[Any, Any] = {}

    def __reduce__(self) -> tuple[type[ExactDraws], tuple[()]]:
        return ExactDraws, ()

    def draw(
        self,
        sampling: ExactNegativeSampling,
        graph: Graph,
        direction: str,
        counts: tuple[int, int],
        same: bool,
        src: Array,
        seed: int,
    ) -> tuple[Array, Array]:
        """The sources and destinations of the negative links of a batch, (ceil(len(src) * amount),) int64 each.

        Args:
            sampling: the option of the loader.
            graph: its rows are destinations ("in") or sources ("out"), as direction says.
            counts: the numbers of sources and destinations. same: whether both are of one type.
            src: the sources of the batch's links. seed: the random seed of the batch.
        """
        count = math.ceil(len(src) * sampling.amount)
        weights = [_weights(w) for w in (sampling.src_weight, sampling.dst_weight)]
        key: Any = sampling.mode, counts, _known(sampling.src_weight), _known(sampling.dst_weight)
        if sampling.is_triplet():
            if key not in self._apps:
                self._apps[key] = Negatives(loops=not same, ends=counts[1], weights=weights[1])
            rows = facing(graph, "out" if direction == "out" else "in")
            pairs = _sampled(rows, self._apps[key], np.resize(src, count), seed)
            missing = np.flatnonzero(pairs[:, 1] < 0)
            if missing.size:
                raise ValueError(
                    f"neg_sampling: the source {pairs[missing[0], 0]} has edges to all {counts[1]} destinations, so no "
                    "negative link; leave its links out"
                )
            return pairs[:, 0], pairs[:, 1]
        turned = slice(None, None, 1 if direction == "out" else -1)
        if key not in self._apps:
            (first, second), (mine, others) = list(counts)[turned], weights[turned]
            self._apps[key] = NegativePairs(
                loops=not same, sources=first, ends=second, weights=others, source_weights=mine
            )
        pairs = _sampled(graph, self._apps[key], count, seed)[:, turned]
        return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])


def _sampled(graph: Graph, app: Any, roots: Any, seed: int) -> Array:
    return sample(graph, app, roots, seed=seed, device="cpu", threads=1, dtype=np.int64).numpy()


def _weights(weight: Any) -> Any:
    return array_of(weight) if isinstance(weight, Tensor) else weight


def _known(weight: Any) -> Any:
    return None if weight is None else (id(weight), getattr(weight, "_version", 0))


def negative_sampling(
    edge_index: Tensor,
    num_nodes: int | tuple[int, int] | None = None,
    num_neg_samples: float | None = None,
    method: str = "sparse",
    force_undirected: bool = False,
) -> Tensor:
    """PyG's ``negative_sampling``: distinct pairs of nodes without an edge, uniformly at random.

    As PyG's function, with these differences: it returns as many pairs as were requested, or all there are; both
    methods are one; and the sorted edges are kept with the tensor ``edge_index``, so that further calls with it draw
    only. The seed is a word of torch's generator.

    Args:
        edge_index: (2, E) edges.
        num_nodes: the number of nodes; (sources, destinations) for edges between two types, where equal numbers are
            different nodes; None (default): the largest number plus 1.
        num_neg_samples: the number of pairs, or a float: per edge; None (default): one per edge.
        method: "sparse" or "dense", without effect.
        force_undirected: whether pairs count in both directions: half as many pairs are drawn, and returned in both.
            As in PyG, the edges (u, v) with u < v count.

    Returns:
        (2, n) int64 on the device of ``edge_index``; (2, 0) if every pair is an edge. Self-loops are no pairs.

    Raises:
        ValueError: the method is unknown, or an argument is out of range.

    Examples:
        >>> import torch
        >>> edges = torch.tensor([[0, 0, 1, 2], [0, 1, 2, 3]])
        >>> gnd.pyg.negative_sampling(edges).shape
        torch.Size([2, 4])
    """
    if method not in ("sparse", "dense"):
        raise ValueError(f'method = {method!r}: expected "sparse" or "dense"')
    both = isinstance(num_nodes, (tuple, list))
    size: Any = tuple(num_nodes) if both else (maybe_num_nodes(edge_index, num_nodes),) * 2  # type: ignore[arg-type]
    undirected = force_undirected and not both
    wanted = edge_index.size(1) if num_neg_samples is None else num_neg_samples
    wanted = int(wanted * edge_index.size(1)) if isinstance(wanted, float) else int(wanted)
    if undirected:
        wanted //= 2
    graph = _graph_of(edge_index, size, undirected)
    found = distinct_pairs(
        graph, size, wanted, loops=both, undirected=undirected, seed=_seed, permuted=lambda n: torch.randperm(n).numpy()
    )
    pairs = torch.from_numpy(found).to(edge_index.device)
    return torch.cat([pairs, pairs.flip(0)], dim=1) if undirected else pairs


def _seed() -> int:
    return int(torch.randint(1 << 62, ()))


def _graph_of(edge_index: Tensor, size: tuple[int, ...], undirected: bool) -> Graph:
    """The graph of an edge index, which is kept."""

    def make() -> Graph:
        row, col = array_of(edge_index)
        if undirected:
            row, col = row[row < col], col[row < col]
        return Graph.from_edges(row, col, num_vertices=max(size), symmetric=undirected)

    return _graphs.get([edge_index], (size, undirected), make)


def structured_negative_sampling(
    edge_index: Tensor, num_nodes: int | None = None, contains_neg_self_loops: bool = True
) -> tuple[Tensor, Tensor, Tensor]:
    """PyG's ``structured_negative_sampling``: for every edge (i, j) a node k to which no edge leads from i.

    k is uniformly distributed, and the seed is a word of torch's generator. The sorted edges are kept with the tensor.

    Args:
        edge_index: (2, E) edges.
        num_nodes: the number of nodes; None (default): the largest number plus 1.
        contains_neg_self_loops: whether k may be i (default True).

    Returns:
        i, j and k, (E,) int64 each.

    Raises:
        ValueError: a node has edges to all others. PyG's own function does not return then.

    Examples:
        >>> import torch
        >>> edges = torch.tensor([[0, 0, 1, 2], [0, 1, 2, 3]])
        >>> i, j, k = gnd.pyg.structured_negative_sampling(edges)
        >>> k.shape
        torch.Size([4])
    """
    nodes = maybe_num_nodes(edge_index, num_nodes)
    graph = _graph_of(edge_index, (nodes, nodes), False)
    app = Negatives(loops=contains_neg_self_loops)
    roots = array_of(edge_index[0])
    ends = sample(graph, app, roots, seed=_seed(), device="cpu", dtype=np.int64).numpy()[:, 1]
    missing = np.flatnonzero(ends < 0)
    if missing.size:
        raise ValueError(f"edge_index: node {roots[missing[0]]} has edges to all {nodes} nodes, so no negative")
    return edge_index[0], edge_index[1], torch.from_numpy(np.ascontiguousarray(ends)).to(edge_index.device)
