"""ShaDowKHopSampler: the neighbourhoods of nodes as separate graphs, with all edges among their nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch_geometric.data import Batch as GraphBatch
from torch_geometric.data import Data
from torch_geometric.sampler import SamplerOutput

from .._core.binding import advised
from .._core.checks import check_int, checked_flag
from ..neighbor.loader import input_vertices
from ..neighbor.options import takes_options
from ..neighbor.order import Batch
from ..neighbor.sampler import NeighborSampler
from .batches import edge_index_of, put_adjacency
from .graphs import Source
from .subgraph import Induced
from .subgraphloader import OPTIONS, SubgraphLoader, put_rows
from .tensors import sampled

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..neighbor.options import BatchedOptions
    from .features import Rows

__all__ = ["ShaDowKHopSampler"]


class Grouped(NamedTuple):
    """The nodes of a batch in the order of their trees, then ascending, the tree of each, the first of each tree and
    their number, and the places of the roots."""

    nodes: torch.Tensor
    trees: torch.Tensor
    ptr: torch.Tensor
    places: torch.Tensor


@advised
class ShaDowKHopSampler(SubgraphLoader):
    """``torch_geometric.loader.ShaDowKHopSampler`` without torch-sparse: the same arguments, and batches with the same
    attributes.

    Each root's neighbourhood is that of a ``gonextdoor.NeighborSampler`` with ``disjoint=True``: every node that a hop
    adds takes ``num_neighbors`` of the edges that lead to it. A batch has all edges of the graph among the nodes of
    each neighbourhood. Nodes of a neighbourhood are in ascending order, and edges by source, then destination.

    Args:
        data: a Data with ``edge_index`` or ``adj_t``.
        depth: the number of hops, at least 1.
        num_neighbors: the edges that each node takes; -1: all.
        node_idx: the roots, as indices or a mask; None (default): all nodes.
        replace: whether a node may take one edge several times (default False).
        seed: as for ``NeighborLoader``.
        device: "cpu" (default), or the GPU on which batches are drawn and stay.
        **kwargs: the options of all loaders, as for ``NeighborLoader``: divide, rank, world, even, threads, prefetch,
            prefetch_bytes and progress; and the arguments of ``torch.utils.data.DataLoader``.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument, or the data, is not valid; the text names it.
        IndexError: a root or an edge is not in the data.
        DeviceError: the GPU cannot be used.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> edge_index = torch.tensor([[0, 1, 2, 3, 3], [1, 2, 3, 0, 1]])
        >>> data = Data(x=torch.eye(4), edge_index=edge_index, num_nodes=4)
        >>> loader = gnd.pyg.ShaDowKHopSampler(data, depth=1, num_neighbors=2, batch_size=2, seed=1)
        >>> batch = next(iter(loader))
        >>> batch.ptr, batch.root_n_id, batch.edge_index
        (tensor([0, 2, 5]), tensor([0, 3]), tensor([[1, 2, 4, 4],
                [0, 3, 2, 3]]))
    """

    @takes_options(OPTIONS)
    def __init__(
        self,
        data: Data,
        depth: int,
        num_neighbors: int,
        node_idx: Any = None,
        replace: bool = False,
        *,
        seed: Any = None,
        device: Any = None,
        **kwargs: Unpack[BatchedOptions],
    ) -> None:
        if not isinstance(data, Data) or (data.edge_index is None and "adj_t" not in data):
            raise TypeError(f"data: expected a Data with edge_index or adj_t, got {type(data).__name__}")
        self.depth = check_int("depth", depth, 1, 1 << 16)
        self.num_neighbors = check_int("num_neighbors", num_neighbors, -1, 1 << 28)
        self.replace = checked_flag("replace", replace)
        self.is_sparse_tensor = data.edge_index is None
        self._source = Source(data, "in", None, None)
        self._core_sampler: NeighborSampler | None = None
        self._induced = Induced(self._source.graphs[None], "in")
        chosen = torch.from_numpy(input_vertices("node_idx", None, node_idx, self._source.count(None)))
        self.node_idx = chosen
        self._open(data, chosen, kwargs, seed, device)
        self._core()  # raises DeviceError

    def _core(self) -> NeighborSampler:
        if self._core_sampler is None:
            self._core_sampler = NeighborSampler(
                self._source.graphs[None],
                [self.num_neighbors] * self.depth,
                replace=self.replace,
                weighted=False,
                expand="new",
                disjoint=True,
                layout="coo",
                device=self._sampler.device,
            )
        return self._core_sampler

    def _arguments(self) -> dict[str, Any]:
        hops = {"depth": self.depth, "num_neighbors": self.num_neighbors, "replace": self.replace}
        return {"graph": self._source.graphs[None], **hops}

    def _draws(self, inputs: list[torch.Tensor], batches: Sequence[Batch], threads: int) -> list[Any]:
        self._source.read.check()
        seeds = [part.numpy() for part in inputs]
        drawn = sampled(self._core(), seeds, [batch.batch_seed for batch in batches], threads=threads)
        nodes = [
            self._grouped(roots, out.nodes[0], out.trees[0]) for roots, (out, _, _) in zip(inputs, drawn, strict=True)
        ]
        found = self._induced.of([(one.nodes, one.ptr) for one in nodes], threads)
        return [
            SamplerOutput(one.nodes, row, col, edge, one.trees, metadata=(one.ptr, one.places))
            for one, (row, col, edge) in zip(nodes, found, strict=True)
        ]

    def _grouped(self, roots: torch.Tensor, nodes: torch.Tensor, trees: torch.Tensor) -> Grouped:
        """The nodes of a batch, tree by tree."""
        count, device = max(self._source.count(None), 1), nodes.device
        keys = (trees * count + nodes).sort().values
        trees = torch.div(keys, count, rounding_mode="floor")
        ptr = torch.zeros(len(roots) + 1, dtype=torch.int64, device=device)
        ptr[1:] = torch.bincount(trees, minlength=len(roots)).cumsum(0)
        places = torch.searchsorted(keys, torch.arange(len(roots), device=device) * count + roots.to(device))
        return Grouped(keys - trees * count, trees, ptr, places)

    def _made(self, out: Any, nodes: Rows, edges: Rows) -> Data:
        ptr, places = out.metadata
        batch = GraphBatch(batch=out.batch, ptr=ptr)
        batch.root_n_id = places
        if self.is_sparse_tensor:
            put_adjacency(self.data.adj_t, batch._store, out.row, out.col, edges)
        else:
            batch.edge_index = edge_index_of(out.row, out.col)
        put_rows(self.data, batch, nodes, edges, ("edge_index", "adj_t", "num_nodes", "batch", "ptr", "y"))
        if "y" in self.data:
            y = self.data.y
            of_nodes = isinstance(y, torch.Tensor) and y.dim() > 0 and y.size(0) == self.data.num_nodes
            batch.y = nodes.beside(out.node[places]).of("y", y) if of_nodes else y
        return batch

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_core_sampler": None}
