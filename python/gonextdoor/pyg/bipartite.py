"""torch_geometric.loader.NeighborSampler, PyG's deprecated loader of bipartite graphs, without torch-sparse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch_geometric.loader.neighbor_sampler import EdgeIndex

from .._core.binding import advised
from ..graph.graph import Graph
from ..neighbor.blocks import PGSampler
from .walks import array_of, batch_seed_of

__all__ = ["BipartiteLoader"]


@advised
class BipartiteLoader(torch.utils.data.DataLoader):  # type: ignore[misc, unused-ignore]
    """``torch_geometric.loader.NeighborSampler``, which PyG has deprecated, with the same arguments and batches:
    ``(batch_size, n_id, adjs)``, with one ``(edge_index, e_id, size)`` per hop, the farthest first. Use
    ``NeighborLoader`` in new programs.

    Each hop samples neighbours of all nodes so far, without replacement. Samples follow ``torch.manual_seed``; in
    workers they depend on the epoch and the batch.

    Args:
        edge_index: (2, E) ints: edges lead from row 0 to row 1, and a node samples edges that lead to it. A
            SparseTensor, which needs torch-sparse, is refused.
        sizes: the number of edges per node and hop; -1: all.
        node_idx: (n,) ints, or a mask of the nodes, from which batches are made; None (default): all nodes.
        num_nodes: the number of nodes; None (default): those that occur.
        return_e_id: whether e_id has the positions of the edges in edge_index (default True).
        transform: a function of the three parts of a batch; None (default): none.
        **kwargs: of ``torch.utils.data.DataLoader``.

    Raises:
        TypeError: edge_index is not a tensor.
        ValueError: an argument has another shape, or a batch has a node twice.

    Examples:
        >>> import torch
        >>> from gonextdoor.pyg import BipartiteLoader
        >>> edge_index = torch.tensor([[0, 1, 2], [1, 2, 0]])
        >>> for size, n_id, adj in BipartiteLoader(edge_index, [-1], batch_size=3):
        ...     print(size, n_id, adj.edge_index[0])
        3 tensor([0, 1, 2]) tensor([2, 0, 1])
    """

    def __init__(
        self,
        edge_index: torch.Tensor,
        sizes: Sequence[int],
        node_idx: torch.Tensor | None = None,
        num_nodes: int | None = None,
        return_e_id: bool = True,
        transform: Callable[..., Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if not isinstance(edge_index, torch.Tensor):
            raise TypeError(f"edge_index: expected a tensor of shape (2, E), got {type(edge_index).__name__}")
        if edge_index.dim() != 2 or edge_index.size(0) != 2:
            raise ValueError(f"edge_index has shape {tuple(edge_index.shape)}: expected (2, E)")
        for name in ("dataset", "collate_fn"):  # Lightning passes them
            kwargs.pop(name, None)
        masked = node_idx is not None and node_idx.dtype == torch.bool
        if num_nodes is None:
            ends = [edge_index] if node_idx is None or masked else [edge_index, node_idx]
            known = [int(each.max()) + 1 for each in ends if each.numel()]
            num_nodes = node_idx.numel() if masked and node_idx is not None else max(known, default=0)
        if node_idx is None:
            node_idx = torch.arange(num_nodes)
        elif masked:
            node_idx = node_idx.nonzero().view(-1)
        self.edge_index, self.node_idx, self.num_nodes = edge_index, node_idx, num_nodes
        self.sizes, self.return_e_id, self.transform = sizes, return_e_id, transform
        sources, targets = map(array_of, edge_index)
        self._graph = Graph.from_edges(targets, sources, num_vertices=num_nodes)
        self._sampler = PGSampler(list(sizes)[::-1], direction="out", device="cpu", seed=0)  # each call has its seed
        super().__init__(node_idx.view(-1).tolist(), collate_fn=self.sample, **kwargs)

    def sample(self, batch: Any) -> Any:
        """The batch of these nodes."""
        nodes = torch.as_tensor(batch)
        n_id, _, blocks = self._sampler.sample(self._graph, array_of(nodes), seed=batch_seed_of(nodes))
        adjs = []
        for block in blocks:
            indptr, indices = torch.from_numpy(block.indptr), torch.from_numpy(block.indices)
            targets = torch.repeat_interleave(torch.arange(len(block.dst_nodes)), indptr.diff())
            e_id = torch.from_numpy(block.edge_ids) if self.return_e_id else None
            size = (len(block.src_nodes), len(block.dst_nodes))
            adjs.append(EdgeIndex(torch.stack([indices, targets]), e_id, size))
        out = (len(nodes), torch.from_numpy(n_id), adjs[0] if len(adjs) == 1 else adjs)
        return out if self.transform is None else self.transform(*out)

    def __repr__(self) -> str:
        return f"NeighborSampler(sizes={self.sizes})"
