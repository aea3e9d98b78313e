"""``torch_geometric.transforms.AddMetaPaths`` that draws paths, instead of multiplying adjacency matrices."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
import torch_geometric.transforms
from torch_geometric.data import HeteroData
from torch_geometric.transforms.add_metapaths import postprocess

from .._core.binding import advised
from .._core.checks import check_int
from .._core.seeds import call_seed, entropy
from ..apps import DeepWalk
from ..graph.graph import Graph
from ..neighbor.repeats import gathered
from ..sampling.counts import end_points
from .edgeindex import checked_edges
from .graphs import inside
from .walks import array_of, batch_seed_of, checked_weights

if TYPE_CHECKING:
    from .._core.seeds import Seed

__all__ = ["AddMetaPaths"]

Array = npt.NDArray[Any]
EdgeType = tuple[str, str, str]


class AddMetaPaths(torch_geometric.transforms.AddMetaPaths):  # type: ignore[misc]
    """``torch_geometric.transforms.AddMetaPaths`` whose ``max_sample`` draws paths, in time and memory proportional to
    the edges and to ``max_sample`` per node.

    PyG multiplies adjacency matrices, and thins out rows by ``max_sample`` after each product, which must fit in memory
    before. Here a node with at most ``max_sample`` paths keeps all its edges. From any other node ``max_sample`` paths
    are drawn, each in proportion to the product of its edge weights (``weighted=True``), or uniformly at random: with
    replacement, so that it may have fewer edges. Walks draw them exactly: a step takes an edge in proportion to its
    weight times the weight of all paths that continue from its end.

    Args:
        metapaths: metapaths, each a list of edge types, at least two.
        drop_orig_edge_types: whether to drop the other edge types (default False).
        keep_same_node_type: whether to keep those between nodes of one type then (default False).
        drop_unconnected_node_types: whether to drop node types without edges (default False).
        max_sample: paths drawn from each node, at least 1; None (default): PyG's exact product.
        weighted: whether to store ``edge_weight``: the number of paths, each times the product of its edges'
            ``edge_weight`` if there are any. If paths are drawn, unbiased estimates of them (default False).
        seed: an int from 0 to 2^64 - 1, or a numpy Generator; None (default): a word of torch's generator per graph.
        **kwargs: former names of arguments, as in PyG.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range. A graph without an edge type of a metapath raises it too.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> from torch_geometric.data import HeteroData
        >>> data = HeteroData()
        >>> data["author"].num_nodes, data["paper"].num_nodes = 3, 2
        >>> data["author", "writes", "paper"].edge_index = torch.tensor([[0, 1, 1, 2], [0, 0, 1, 1]])
        >>> data["paper", "by", "author"].edge_index = torch.tensor([[0, 0, 1, 1], [0, 1, 1, 2]])
        >>> path = [("author", "writes", "paper"), ("paper", "by", "author")]
        >>> data = gnd.pyg.AddMetaPaths([path], max_sample=3, weighted=True, seed=1)(data)
        >>> edges = data["author", "metapath_0", "author"]
        >>> edges.edge_index[1][edges.edge_index[0] == 0]  # all that share a paper with author 0
        tensor([0, 1])
    """

    @advised
    def __init__(
        self,
        metapaths: list[list[EdgeType]],
        drop_orig_edge_types: bool = False,
        keep_same_node_type: bool = False,
        drop_unconnected_node_types: bool = False,
        max_sample: int | None = None,
        weighted: bool = False,
        *,
        seed: Seed = None,
        **kwargs: bool,
    ) -> None:
        most = None if max_sample is None else check_int("max_sample", max_sample, 1, (1 << 31) - 1)
        for j, path in enumerate(metapaths):
            if len(path) < 2 or any(a[-1] != b[0] for a, b in itertools.pairwise(path)):
                raise ValueError(
                    f"metapaths[{j}] = {path!r}: expected at least two edge types, each from the type at which the one "
                    "before ends"
                )
        super().__init__(
            metapaths,
            drop_orig_edge_types,
            keep_same_node_type,
            drop_unconnected_node_types,
            most,
            weighted,
            **kwargs,
        )
        self.seed = None if seed is None else entropy(seed)

    def forward(self, data: Any) -> Any:
        """Adds the edges of the metapaths to a graph.

        Args:
            data: a ``HeteroData``.

        Returns:
            data.

        Raises:
            TypeError: it is no ``HeteroData``.
            ValueError: it lacks an edge type of a metapath, or edges or weights are not valid.
            IndexError: an edge's end is not one of its nodes.
        """
        if not isinstance(data, HeteroData):
            raise TypeError(f"data: expected a torch_geometric.data.HeteroData, got {type(data).__name__}")
        edge_types = data.edge_types
        for path in self.metapaths:
            for edge_type in path:
                if data._to_canonical(edge_type) not in edge_types:
                    raise ValueError(f"metapaths: {edge_type!r} is not one of the edge types {edge_types}")
        if self.max_sample is None:
            return super().forward(data)
        seed = batch_seed_of(torch.arange(len(edge_types))) if self.seed is None else self.seed
        data.metapath_dict = {}
        for j, path in enumerate(self.metapaths):
            rows, columns, weights = _drawn(_steps(data, path, self.weighted), self.max_sample, call_seed(seed, j))
            added = (path[0][0], f"metapath_{j}", path[-1][-1])
            device = data[path[0]].edge_index.device
            data[added].edge_index = torch.from_numpy(np.stack([rows, columns])).to(device)
            if self.weighted:
                data[added].edge_weight = torch.from_numpy(weights.astype(np.float32)).to(device)
            data.metapath_dict[added] = path
        dropped = self.drop_orig_edge_types, self.keep_same_node_type, self.drop_unconnected_node_types
        postprocess(data, edge_types, *dropped)
        return data


class _Step(NamedTuple):
    """The edges of a step that lead on to the end of the metapath."""

    source: Array
    destination: Array
    weight: Array
    onward: Array  # weight times the weight of all paths from destination
    nodes: int  # of the source's type


def _steps(data: Any, path: list[EdgeType], weighted: bool) -> tuple[list[_Step], Array, Array, int]:
    """The steps of a metapath; the weight and the number of all paths from each node; and the nodes at its end."""
    last = data[path[-1]].size(1)
    weight_of, paths_of = np.ones(last), np.ones(last)
    steps: list[_Step] = []
    for edge_type in reversed(path):
        store = data[edge_type]
        source, destination = array_of(checked_edges(store.edge_index, 0)[0])
        count, ends = store.size()
        inside(f"{edge_type}.edge_index[0]", source, count)
        inside(f"{edge_type}.edge_index[1]", destination, ends)
        weight = np.ones(len(source))
        if weighted and store.get("edge_weight") is not None:
            given = checked_weights(f"{edge_type}.edge_weight", store.edge_weight, len(source))
            weight = array_of(given).astype(np.float64)
        kept = np.flatnonzero(weight * weight_of[destination])
        kept = kept[np.argsort(source[kept], kind="stable")]
        source, destination, weight = source[kept], destination[kept], weight[kept]
        steps.insert(0, _Step(source, destination, weight, weight * weight_of[destination], count))
        paths_of = np.bincount(source, paths_of[destination], count)
        weight_of = np.bincount(source, steps[0].onward, count)
    return steps, weight_of, paths_of, last


def _drawn(found: tuple[list[_Step], Array, Array, int], most: int, seed: int) -> tuple[Array, Array, Array]:
    """Edges along the metapath, sorted, and the weights of their paths."""
    steps, weight_of, paths_of, last = found
    rows = at = np.flatnonzero((paths_of > 0) & (paths_of <= most))
    weights = np.ones(len(rows))
    for step in steps:  # 1. All paths from nodes that have few.
        degrees = np.bincount(step.source, minlength=step.nodes)
        edges, ends = gathered(np.cumsum(degrees) - degrees, degrees, at)
        before = np.repeat(np.arange(len(at)), np.diff(ends, prepend=0))
        rows, weights, at = rows[before], weights[before] * step.weight[edges], step.destination[edges]
    many = np.flatnonzero(paths_of > most)
    if len(many):  # 2. Some paths from the others, in a graph that has the nodes of each step separately.
        first = np.cumsum([0, *(step.nodes for step in steps)])
        graph = Graph.from_edges(
            np.concatenate([step.source + first[i] for i, step in enumerate(steps)]),
            np.concatenate([step.destination + first[i + 1] for i, step in enumerate(steps)]),
            weights=np.concatenate([step.onward for step in steps]),
            num_vertices=int(first[-1]) + last,
        )
        app, threads = DeepWalk(len(steps), weighted=True), torch.get_num_threads()
        ends = end_points(graph, app, many, repeat=most, seed=seed, device="cpu", threads=threads) - first[-1]
        rows, at = np.concatenate([rows, np.repeat(many, most)]), np.concatenate([at, ends])
        weights = np.concatenate([weights, np.repeat(weight_of[many] / most, most)])
    pairs, place = np.unique(rows * last + at, return_inverse=True)  # 3. One edge for all paths between two nodes.
    return pairs // last, pairs % last, np.bincount(place, weights, len(pairs))
