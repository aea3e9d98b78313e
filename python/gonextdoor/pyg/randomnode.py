"""RandomNodeLoader: the subgraphs of random sets of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch_geometric.data import Data, HeteroData
from torch_geometric.data.hetero_data import to_homogeneous_edge_index
from torch_geometric.loader import random_node_loader as pyg
from torch_geometric.sampler import SamplerOutput

from .._core.binding import advised
from .._core.checks import check_int
from ..neighbor.options import takes_options
from ..neighbor.order import Batch
from .subgraphloader import OPTIONS, SubgraphLoader

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..neighbor.options import TorchOptions
    from .features import Rows

__all__ = ["RandomNodeLoader"]


@advised
class RandomNodeLoader(SubgraphLoader, pyg.RandomNodeLoader):  # type: ignore[misc, unused-ignore]
    """``torch_geometric.loader.RandomNodeLoader`` with the order, ranks and states of this package's loaders: the same
    arguments, and batches with the same attributes.

    Args:
        data: a Data or a HeteroData.
        num_parts: the number of batches into which the nodes are divided, at least 1. With ``shuffle=True`` each epoch
            divides them uniformly at random, a function of the seed and the epoch.
        seed: as for ``NeighborLoader``.
        **kwargs: the options of all loaders, as for ``NeighborLoader``: divide, rank, world, even, threads, prefetch,
            prefetch_bytes and progress; and the arguments of ``torch.utils.data.DataLoader``.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is not valid; the text names it.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> edge_index = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
        >>> data = Data(x=torch.eye(4), edge_index=edge_index, num_nodes=4)
        >>> for batch in gnd.pyg.RandomNodeLoader(data, num_parts=2, shuffle=True, seed=1):
        ...     print(batch.x.argmax(1).tolist(), batch.edge_index.tolist())
        [0, 3] [[], []]
        [2, 1] [[1, 0], [0, 1]]
    """

    @takes_options(OPTIONS)
    def __init__(self, data: Any, num_parts: int, *, seed: Any = None, **kwargs: Unpack[TorchOptions]) -> None:
        if not isinstance(data, (Data, HeteroData)):
            raise TypeError(f"data: expected a Data or a HeteroData, got {type(data).__name__}")
        self.num_parts = check_int("num_parts", num_parts, 1, (1 << 31) - 1)
        self.num_nodes = int(data.num_nodes or 0)
        if isinstance(data, HeteroData):
            self.edge_index, self.node_dict, self.edge_dict = to_homogeneous_edge_index(data)
        else:
            self.edge_index = data.edge_index
        size = max(-(-self.num_nodes // self.num_parts), 1)
        self._open(data, torch.arange(self.num_nodes), kwargs, seed, batch_size=size)

    def _arguments(self) -> dict[str, Any]:
        return {"num_nodes": self.num_nodes, "num_edges": int(self.data.num_edges)}

    def _draws(self, inputs: list[torch.Tensor], batches: Sequence[Batch], threads: int) -> list[Any]:
        nothing = torch.empty(0, dtype=torch.int64)
        return [SamplerOutput(nodes, nothing, nothing, None) for nodes in inputs]

    def _made(self, out: Any, nodes: Rows, edges: Rows) -> Data | HeteroData:
        drawn = out.node.to(self.edge_index.device)
        if isinstance(self.data, Data):
            return self.data.subgraph(drawn)
        bounds = self.node_dict.items()
        return self.data.subgraph(
            {kind: drawn[(drawn >= begin) & (drawn < end)] - begin for kind, (begin, end) in bounds}
        )
