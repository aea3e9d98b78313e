"""PinSAGESampler: a sampler of PyG whose neighbours are the nodes that short random walks visit most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch
from torch_geometric.data import Data, HeteroData
from torch_geometric.sampler import BaseSampler, EdgeSamplerInput, NodeSamplerInput, SamplerOutput

from .._core.binding import advised
from .._core.checks import check_int, checked_number
from .._core.seeds import call_seed
from ..apps.parameters import MAX_LENGTH
from ..neighbor.loaderfacts import graph_facts
from ..sampling.stoppedwalks import most_visited, stop_units, walks_along, walks_of
from .fanouts import numbers_of
from .graphs import Source, inside
from .seededsampler import SeededSampler
from .seedreader import ids_of

if TYPE_CHECKING:
    from .._core.seeds import Seed

__all__ = ["PinSAGESampler"]

Array = npt.NDArray[Any]
EdgeType = tuple[str, str, str]

MOST_VISITS = 1 << 24  # whole numbers up to here are exact in float32


@advised
class PinSAGESampler(SeededSampler, BaseSampler):  # type: ignore[misc, unused-ignore]
    """PinSAGE's neighbours (Ying et al., KDD'18) for PyG's loaders: the nodes that short random walks visit most, with
    their visits as ``edge_weight``.

    ``num_random_walks`` walks start at each node and follow the metapath up to ``num_traversals`` times. After each
    traversal but the last, a walk stops with probability ``termination_prob``; at a node without an edge it ends. The
    neighbours of a node are those that its walks visit most at the ends of traversals, itself too if walks return to
    it. Nodes that a hop adds have neighbours in the next one.

    A loader needs ``sampler.data``, of which the batches are made: ``NodeLoader(sampler.data, sampler, ...)``, or
    ``gonextdoor.pyg.NeighborLoader(sampler.data, None, ..., neighbor_sampler=sampler)``, which divides epochs among
    ranks and resumes. A batch has ``edge_index`` from neighbours to nodes, by decreasing visits and equal ones by node,
    and ``edge_weight``; ``num_sampled_nodes`` and ``num_sampled_edges`` per hop. Nodes that are repeated among the
    seeds have separate walks.

    Args:
        data: a Data or a HeteroData. Its edges are read once; if they change later, the next call raises an error.
        num_neighbors: the number of neighbours of a node at most, hop by hop from the seed nodes outwards; -1: all that
            are visited.
        num_traversals: traversals of the metapath by a walk, at least 1.
        termination_prob: the probability of stopping after a traversal, from 0 to 1.
        num_random_walks: walks from each node, at least 1. A node has at most 2^24 visits.
        metapath: the edge types of successive steps, from a node type to itself, such as
            ``[("item", "bought_by", "user"), ("user", "buys", "item")]``. None (default): one edge, for a Data.
        seed: as for ``gonextdoor.sample``. A batch depends on it, the epoch and the batch, whichever worker draws it.
        device: "cpu" (default), or a GPU on which walks are drawn and whose memory the batches are in.

    Attributes:
        data: the Data for loaders: the attributes of the nodes of the metapath's type, and ``edge_weight``. Its edges
            are not the graph's: edge E + v, E the number of edges of data, has the weight v.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range, or the metapath ends at another type.
        IndexError: an end of an edge is not a node of the data.
        DeviceError: the GPU cannot be used.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> from torch_geometric.data import HeteroData
        >>> from torch_geometric.loader import NodeLoader
        >>> data = HeteroData()
        >>> data["item"].x, data["user"].num_nodes = torch.eye(3), 3
        >>> data["user", "buys", "item"].edge_index = torch.tensor([[0, 0, 1, 1, 2], [0, 1, 1, 2, 2]])
        >>> data["item", "bought_by", "user"].edge_index = torch.tensor([[0, 1, 1, 2, 2], [0, 0, 1, 1, 2]])
        >>> path = [("item", "bought_by", "user"), ("user", "buys", "item")]
        >>> sampler = gnd.pyg.PinSAGESampler(data, [2], 2, 0.5, 100, path, seed=1)
        >>> batch = next(iter(NodeLoader(sampler.data, sampler, input_nodes=torch.tensor([0]))))
        >>> batch.n_id, batch.edge_index, batch.edge_weight
        (tensor([0, 1]), tensor([[0, 1],
                [0, 0]]), tensor([76., 67.]))
    """

    is_temporal = False

    def __init__(
        self,
        data: Any,
        num_neighbors: Sequence[int],
        num_traversals: int,
        termination_prob: float,
        num_random_walks: int,
        metapath: Sequence[EdgeType] | None = None,
        *,
        seed: Seed = None,
        device: Any = "cpu",
    ) -> None:
        if not isinstance(data, (Data, HeteroData)):
            raise TypeError(f"data: expected a Data or a HeteroData, got {type(data).__name__}")
        if not isinstance(device, (str, torch.device)):
            raise TypeError(f'device = {device!r}: expected "cpu", or one GPU such as "cuda"')
        super().__init__(seed, device)
        self.num_neighbors = numbers_of("num_neighbors", num_neighbors)
        self._source = Source(data, "out", None, None)
        self._path = _cycle(self._source, metapath)
        hops = len(self._path) or 1
        self.num_traversals = check_int("num_traversals", num_traversals, 1, MAX_LENGTH // hops)
        self.termination_prob = checked_number("termination_prob", termination_prob)
        if not 0 <= self.termination_prob <= 1:
            raise ValueError(f"termination_prob = {self.termination_prob}: expected a probability from 0 to 1")
        self.num_random_walks = check_int("num_random_walks", num_random_walks, 1, MOST_VISITS // self.num_traversals)
        self._stops = [0] * (hops * self.num_traversals)
        self._stops[hops::hops] = [stop_units(self.termination_prob)] * (self.num_traversals - 1)
        self._type = self._path[0][0] if self._path else None
        # A loader of the data itself would take attributes of its edges by these ids, which are not among them.
        self._first = 0 if self._path else int(data.num_edges)
        self.data = self._for_loaders(data)

    def sample_from_nodes(self, index: NodeSamplerInput) -> SamplerOutput:
        """Samples the neighbours of a batch of nodes.

        Args:
            index: the nodes.

        Returns:
            PyG's SamplerOutput, whose ``edge`` are edges of ``sampler.data``.

        Raises:
            IndexError: a node is not in the graph.
            TypeError: nodes are not integers.
            ValueError: nodes have times or a type.
        """
        return self.sample_many([index], [self.seeds.batch_seed(None, ids_of(index))])[0]

    def sample_from_edges(self, index: EdgeSamplerInput, neg_sampling: Any = None) -> SamplerOutput:
        """Raises an error: the sampler is one of nodes.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("PinSAGESampler samples nodes: use a NodeLoader with the ends of the links")

    def sample_many(
        self,
        inputs: Sequence[Any],
        batch_seeds: Sequence[int],
        neg_sampling: Any = None,
        *,
        threads: int | None = None,
        **options: Any,
    ) -> list[SamplerOutput]:
        """Samples several batches, each as ``sample_from_nodes`` would.

        Args:
            inputs: the batches.
            batch_seeds: the random seed of each batch, 64 bits.
            neg_sampling: None.
            threads: CPU threads; None (default): those of torch, and one in a worker of a DataLoader.
            **options: those of the samplers of links and times, which have no effect.

        Returns:
            One output per batch.

        Raises:
            IndexError: a node is not in the graph.
            TypeError: nodes are not integers.
            ValueError: nodes have times or a type.
            NotImplementedError: the batches are links.
        """
        self._source.read.check()
        if threads is None:
            threads = 1 if torch.utils.data.get_worker_info() is not None else torch.get_num_threads()
        return [self._output(one, seed, threads) for one, seed in zip(inputs, batch_seeds, strict=True)]

    def _output(self, index: Any, batch_seed: int, threads: int) -> SamplerOutput:
        if not isinstance(index, NodeSamplerInput):
            self.sample_from_edges(index)
        if index.input_type is not None:
            raise ValueError(f"input_type = {index.input_type!r}: expected None; pass sampler.data to the loader")
        if index.time is not None:
            raise ValueError("input_time: the sampler has no times, leave it out")
        if index.node.is_floating_point() or index.node.dtype == torch.bool:
            raise TypeError(f"node: expected a tensor of ints, got {index.node.dtype}")
        nodes = index.node.numpy().astype(np.int64)
        inside("node", nodes, self._source.count(self._type))
        num_nodes, num_edges, first = [len(nodes)], [], 0
        parts: list[list[Array]] = [[], [], []]
        for hop, most in enumerate(self.num_neighbors):
            sources, at, visits = self._neighbors(nodes[first:], most, call_seed(batch_seed, hop), threads)
            fresh, order = np.unique(sources, return_index=True)
            fresh = sources[np.sort(order[~np.isin(fresh, nodes)])]
            at, first, nodes = at + first, len(nodes), np.concatenate([nodes, fresh])
            ranked = np.argsort(nodes, kind="stable")
            row = ranked[np.searchsorted(nodes, sources, sorter=ranked)]  # of a seed that repeats: its first place
            for part, values in zip(parts, (row, at, visits + self._first), strict=True):
                part.append(values)
            num_nodes.append(len(fresh))
            num_edges.append(len(row))
        none = [np.empty(0, np.int64)]
        ends = [self._there(torch.from_numpy(np.concatenate(part or none))) for part in parts]
        counts = {"num_sampled_nodes": num_nodes, "num_sampled_edges": num_edges}
        node = self._there(torch.from_numpy(nodes))
        return SamplerOutput(node, *ends, batch=None, **counts, metadata=(index.input_id, index.time))

    def _neighbors(self, nodes: Array, most: int, seed: int, threads: int) -> tuple[Array, Array, Array]:
        """The nodes that walks visit most: (neighbours, places of those that they are neighbours of, visits)."""
        starts, graphs = np.repeat(nodes, self.num_random_walks), self._source.graphs
        if not len(starts):
            return starts, starts, starts
        given: Any = {"seed": seed, "device": self.device, "threads": threads}
        if self._path:
            steps = [graphs[kind] for kind in self._path] * self.num_traversals
            traces, _ = walks_along(steps, starts, self._stops, **given)
        else:
            traces, _ = walks_of(graphs[None], starts, self.num_traversals, self._stops, **given)
        hops = len(self._path) or 1
        ends = np.ascontiguousarray(traces[:, hops::hops]).reshape(len(nodes), -1)
        return most_visited(ends, most if most >= 0 else ends.shape[1])

    def _there(self, part: torch.Tensor) -> torch.Tensor:
        return part.to(self.device) if self.device != "cpu" and torch.cuda.is_available() else part

    def _for_loaders(self, data: Any) -> Data:
        store = data._store if self._type is None else data[self._type]
        kept = {name: value for name, value in store.items() if store.is_node_attr(name) and name != "num_nodes"}
        visits = torch.arange(self.num_random_walks * self.num_traversals + 1, dtype=torch.float32)
        weights = torch.cat([torch.zeros(self._first), visits])
        edges = torch.zeros(2, 1, dtype=torch.int64).expand(2, len(weights))
        return Data(**kept, num_nodes=self._source.count(self._type), edge_index=edges, edge_weight=weights)

    def _facts(self) -> dict[str, Any]:
        """What a loader's state must have in common with the sampler."""
        names = ("num_neighbors", "num_traversals", "termination_prob", "num_random_walks")
        path = [":".join(kind) for kind in self._path]
        own = {name: getattr(self, name) for name in names}
        return {"sampler": type(self).__name__, **graph_facts(self._source.graph), "metapath": path, **own}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.num_neighbors}, {self.num_random_walks} walks, device={self.device!r})"


def _cycle(source: Source, metapath: Any) -> list[EdgeType]:
    """The edge types of a metapath that ends at the type at which it begins; [] for a graph without types."""
    if not source.is_hetero:
        if metapath is not None:
            raise ValueError(f"metapath = {metapath!r}: expected None, as data is a Data")
        return []
    types = source.edge_types
    if metapath is None:
        raise ValueError(f"metapath = None: the data has the edge types {types}; expected one for each step")
    if isinstance(metapath, str) or not isinstance(metapath, Sequence):
        raise TypeError(f"metapath = {metapath!r}: expected a list of edge types")
    path: list[EdgeType] = [tuple(kind) if isinstance(kind, list) else kind for kind in metapath]
    if not path:
        raise ValueError("metapath = []: expected at least one edge type")
    for i, kind in enumerate(path):
        if kind not in types:
            raise ValueError(f"metapath[{i}] = {kind!r}: expected one of the edge types {types}")
        if kind[0] != path[i - 1][2]:
            to = f"to {path[0][0]!r} at its end, at which it begins" if i == 0 else f"from {path[i - 1][2]!r}"
            at = "metapath" if i == 0 else f"metapath[{i}] = {kind!r}"
            raise ValueError(f"{at}: expected an edge type {to}")
    return path
