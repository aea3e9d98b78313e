"""PyG's random walk positional encoding: exact by blocks of nodes, or estimated from walks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import torch_geometric.transforms
from torch_geometric.data import Data
from torch_geometric.transforms.add_positional_encoding import add_node_attr

from .._core.binding import advised
from .._core.checks import check_int
from .._core.seeds import entropy
from ..apps import DeepWalk
from ..apps.parameters import MAX_LENGTH
from ..sampling.sample import sample
from .edgeindex import checked_edges, graph_of_edges
from .walks import batch_seed_of, checked_weights

if TYPE_CHECKING:
    from torch import Tensor

    from .._core.seeds import Seed

__all__ = ["AddRandomWalkPE"]

BLOCK = 1 << 25  # elements of a block: 128 MiB


class AddRandomWalkPE(torch_geometric.transforms.AddRandomWalkPE):  # type: ignore[misc]
    """``torch_geometric.transforms.AddRandomWalkPE`` with correct edge weights and parallel edges, in bounded memory:
    element k - 1 of a node's encoding is the probability that a random walk from it is back after k steps.

    A step takes an out-edge in proportion to ``data.edge_weight``, or uniformly at random if there is none; parallel
    edges count separately, and a walk ends at a node without edges. PyG divides 1, not the weight, by the sum of
    weights, so that its values may exceed 1, and drops parallel edges if there are at most 2,000 nodes.

    Args:
        walk_length: steps, at least 1: the number of elements per node.
        attr_name: the attribute for the encoding (default "random_walk_pe"); None: it is appended to ``data.x``.
        walks: None (default): exact values. They take time proportional to nodes times edges times steps, and 256 MiB
            of memory. An int, at least 1: they are estimated from that number of walks of each node, in time
            proportional to nodes times walks times steps. Their standard errors are stored as
            ``data.random_walk_pe_standard_error``, or with attr_name in place of ``random_walk_pe``: those of the
            estimate (returns + 1) / (walks + 2), which is never 0 or 1.
        seed: the seed of the walks: an int from 0 to 2^64 - 1, or a numpy Generator; None (default): a word of torch's
            generator per graph.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range. A graph whose weights are negative, not finite or of the wrong shape
            raises it too.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> from torch_geometric.data import Data
        >>> edge_index = torch.tensor([[0, 0, 1, 2], [1, 2, 0, 0]])
        >>> data = Data(edge_index=edge_index, edge_weight=torch.tensor([0.1, 0.3, 1.0, 1.0]), num_nodes=3)
        >>> gnd.pyg.AddRandomWalkPE(2)(data).random_walk_pe
        tensor([[0.0000, 1.0000],
                [0.0000, 0.2500],
                [0.0000, 0.7500]])
        >>> estimated = gnd.pyg.AddRandomWalkPE(2, walks=1000, seed=1)(data)
        >>> estimated.random_walk_pe[2], estimated.random_walk_pe_standard_error[2]
        (tensor([0.0000, 0.7640]), tensor([0.0010, 0.0134]))
    """

    @advised
    def __init__(
        self,
        walk_length: int,
        attr_name: str | None = "random_walk_pe",
        *,
        walks: int | None = None,
        seed: Seed = None,
    ) -> None:
        if attr_name is not None and not isinstance(attr_name, str):
            raise TypeError(f"attr_name = {attr_name!r}: expected a name or None")
        if walks is None and seed is not None:
            raise ValueError(f"seed = {seed!r}, walks = None: exact values take no seed; pass walks too")
        super().__init__(check_int("walk_length", walk_length, 1, MAX_LENGTH), attr_name)
        self.walks = None if walks is None else check_int("walks", walks, 1, BLOCK // (walk_length + 1))
        self.seed = None if seed is None else entropy(seed)

    def forward(self, data: Any) -> Any:
        """Adds the encoding to a graph.

        Args:
            data: a ``Data`` with ``edge_index``, and with ``edge_weight`` or without.

        Returns:
            data.

        Raises:
            TypeError: it is no ``Data``, or its edges or weights are of the wrong type.
            ValueError: its edges or weights are of the wrong shape, or weights are negative or not finite.
            IndexError: an edge's end is not one of its nodes.
        """
        if not isinstance(data, Data):
            raise TypeError(f"data: expected a torch_geometric.data.Data, got {type(data).__name__}")
        edge_index, count = checked_edges(data.edge_index, data.num_nodes)
        weight = data.edge_weight
        if weight is not None:
            weight = checked_weights("data.edge_weight", weight, edge_index.size(1))
        if self.walks is None:
            return add_node_attr(data, _exact(edge_index, weight, count, self.walk_length), self.attr_name)
        seed = batch_seed_of(torch.arange(count)) if self.seed is None else self.seed
        graph = graph_of_edges(edge_index, count, weight)
        values, errors = _estimated(graph, self.walk_length, self.walks, seed, edge_index.device)
        data[f"{self.attr_name or 'random_walk_pe'}_standard_error"] = errors
        return add_node_attr(data, values, self.attr_name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(walk_length={self.walk_length}, walks={self.walks})"


def _exact(edge_index: Tensor, weight: Tensor | None, count: int, steps: int) -> Tensor:
    """The diagonals of the powers 1 to steps of the transition matrix, a block of columns at a time."""
    row, col = edge_index.long()
    if len(row) and int(torch.maximum(row.max(), col.max())) >= count:
        raise IndexError(f"data.edge_index: there are {count} nodes")
    value = torch.ones(len(row), device=row.device) if weight is None else weight.float()
    total = torch.zeros(count, device=row.device).index_add_(0, row, value)[row]
    value = torch.where(total > 0, value / total, 0)
    matrix = torch.sparse_coo_tensor(torch.stack([row, col]), value, (count, count)).coalesce()
    out = torch.zeros(count, steps, device=row.device)
    width = max(BLOCK // max(count, 1), 1)
    for first in range(0, count, width):
        nodes = torch.arange(first, min(first + width, count), device=row.device)
        at = torch.arange(len(nodes), device=row.device)
        block = torch.zeros(count, len(nodes), device=row.device)
        block[nodes, at] = 1
        for step in range(steps):
            block = torch.sparse.mm(matrix, block)
            out[nodes, step] = block[nodes, at]
    return out


def _estimated(graph: Any, steps: int, walks: int, seed: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """The share of walks that are back after each step, and standard errors."""
    app = DeepWalk(steps, weighted="auto")
    count, parts = graph.num_vertices, []
    width = max(BLOCK // (walks * (steps + 1)), 1)
    gpu = device.type == "cuda"
    for first in range(0, count, width):
        roots = torch.arange(first, min(first + width, count), device=device)
        drawn = sample(
            graph,
            app,
            roots if gpu else roots.numpy(),
            repeat=walks,
            seed=seed,
            first_id=first * walks,
            device=f"cuda:{device.index}" if gpu else "cpu",
            threads=None if gpu else torch.get_num_threads(),
            progress=False,
        )
        traces = torch.from_dlpack(drawn) if gpu else torch.from_numpy(drawn.numpy())
        back = (traces[:, 1:] == traces[:, :1]).reshape(len(roots), walks, steps)
        parts.append(back.sum(1))
    returns = torch.cat(parts).double() if parts else torch.zeros(0, steps, dtype=torch.float64, device=device)
    share = (returns + 1) / (walks + 2)
    return (returns / walks).float(), (share * (1 - share) / walks).sqrt().float()
