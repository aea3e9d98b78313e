"""``torch_geometric.utils.k_hop_subgraph`` from rows of edges that are kept between calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from .._core.arguments import integers
from .._core.binding import advised
from .._core.checks import check_int, checked_flag
from ..neighbor.sampler import NeighborSampler
from .edgeindex import checked_edges, graph_of_edges
from .graphs import inside
from .subgraph import between
from .walks import array_of

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["k_hop_subgraph"]

MOST = 64  # hops


@advised
def k_hop_subgraph(
    node_idx: int | list[int] | Tensor,
    num_hops: int,
    edge_index: Tensor,
    relabel_nodes: bool = False,
    num_nodes: int | None = None,
    flow: str = "source_to_target",
    directed: bool = False,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The nodes from which a path of at most num_hops edges leads to a node of node_idx, and the edges among them: the
    arguments and results of ``torch_geometric.utils.k_hop_subgraph``.

    PyG passes over all edges at each hop. This function sorts them into rows at the first call, and keeps the rows
    while edge_index lives and is unchanged. Later calls visit the rows of the subgraph alone, and write the edge mask.

    Args:
        node_idx: a node, a list of nodes or a tensor of them; nodes may repeat.
        num_hops: from 0 to 64.
        edge_index: (2, E) ints.
        relabel_nodes: whether the edges returned have positions in the subset (default False: nodes).
        num_nodes: the number of nodes; None (default): the largest in edge_index, plus 1.
        flow: "source_to_target" (default): paths lead to node_idx; "target_to_source": from node_idx.
        directed: False (default): all edges among the subset; True: only those on paths of at most num_hops edges.

    Returns:
        The subset, sorted; its edges, (2, edges), in the order of edge_index; the position in the subset of each node
        of node_idx; and a mask of edge_index's columns. All are on edge_index's device.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range or of the wrong shape.
        IndexError: a node is not below num_nodes.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> edge_index = torch.tensor([[0, 1, 2, 3, 4, 5], [2, 2, 4, 4, 6, 6]])
        >>> subset, edges, mapping, mask = gnd.pyg.k_hop_subgraph(6, 2, edge_index, relabel_nodes=True)
        >>> subset
        tensor([2, 3, 4, 5, 6])
        >>> edges
        tensor([[0, 1, 2, 3],
                [2, 2, 4, 4]])
        >>> mapping, mask
        (tensor([4]), tensor([False, False,  True,  True,  True,  True]))
    """
    edge_index, count = checked_edges(edge_index, num_nodes)
    hops = check_int("num_hops", num_hops, 0, MOST)
    if flow not in ("source_to_target", "target_to_source"):
        raise ValueError(f'flow = {flow!r}: expected "source_to_target" or "target_to_source"')
    relabel_nodes, directed = checked_flag("relabel_nodes", relabel_nodes), checked_flag("directed", directed)
    graph = graph_of_edges(edge_index, count, flip=flow == "source_to_target")
    nodes = _nodes(node_idx)
    inside("node_idx", nodes, graph.num_vertices)
    subset, edges = np.unique(nodes), np.empty(0, np.int64)
    if hops and len(subset):
        drawn = NeighborSampler(graph, [-1] * hops).sample(subset, batch_seed=0)  # all edges: nothing is random
        subset, edges = np.sort(drawn.nodes), drawn.edges
    if not directed:
        edges = between(graph, subset, subset)[2]
    device, kind = edge_index.device, edge_index.dtype
    mask = torch.zeros(edge_index.size(1), dtype=torch.bool)
    mask[torch.from_numpy(edges)] = True
    mask = mask.to(device)
    kept = edge_index[:, torch.from_numpy(np.sort(edges)).to(device)]
    places = torch.from_numpy(np.searchsorted(subset, nodes)).to(device)
    members = torch.from_numpy(subset.astype(np.int64)).to(device, kind)
    if relabel_nodes:
        kept = torch.searchsorted(members, kept.contiguous()).to(kind)
    return members, kept, places, mask


def _nodes(node_idx: Any) -> Any:
    array = integers("node_idx", array_of(node_idx) if isinstance(node_idx, torch.Tensor) else node_idx)
    if array.ndim > 1:
        raise ValueError(f"node_idx: expected a node or shape (n,), got {array.shape}")
    return array.reshape(-1)
