"""``torch_geometric.utils.get_ppr`` from random walks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from .._core.binding import advised
from .._core.checks import checked_number
from .._core.seeds import entropy
from ..pagerank.pagerank import ROW_VISITS, personalized_pagerank
from .edgeindex import checked_edges, graph_of_edges
from .graphs import inside
from .walks import array_of, batch_seed_of

if TYPE_CHECKING:
    from torch import Tensor

    from .._core.seeds import Seed

__all__ = ["get_ppr"]

LEAST_EPS = 1e-8  # 10^8 walks per node


@advised
def get_ppr(
    edge_index: Tensor,
    alpha: float = 0.2,
    eps: float = 1e-5,
    target: Tensor | None = None,
    num_nodes: int | None = None,
    *,
    seed: Seed = None,
) -> tuple[Tensor, Tensor]:
    """Personalised PageRank of all nodes or some of them, with the arguments and results of
    ``torch_geometric.utils.get_ppr``, without numba.

    PyG's function pushes probability along edges until what remains at a node is below ``alpha * eps`` per out-edge,
    and its scores are too low by the rest. This one counts the visits of ``1 / eps`` walks from each node, each worth
    ``alpha * eps``: its scores are unbiased, a score s has a standard error of about ``sqrt(s * eps)``, and entries
    below ``alpha * eps`` are rarely found. The time of both is proportional to ``1 / (alpha * eps)`` per node.
    ``gonextdoor.personalized_pagerank`` also has weights, standard errors and error bounds.

    As in PyG, the scores of a node sum to less than 1 if its walks reach nodes without out-edges: a walk ends there,
    and stops with probability ``alpha`` only.

    Args:
        edge_index: (2, E) ints. Walks follow edges from row 0 to row 1; parallel edges count separately.
        alpha: the probability of stopping at each node, from 1e-6 to 1 (default 0.2).
        eps: the reciprocal of the number of walks of a node, rounded up; from 1e-8 to 1 (default 1e-5).
        target: (n,) nodes to compute scores for, which may be repeated; None (default): all.
        num_nodes: the number of nodes; None (default): the largest in edge_index, plus 1.
        seed: an int from 0 to 2^64 - 1, or a numpy Generator; None (default): a word of torch's generator.

    Returns:
        (2, entries) int64 and (entries,) float32, on edge_index's device: (node, node visited) and the score, node by
        node in the order of target, and sorted by node visited. If edge_index is on a GPU, walks run there.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range or of the wrong shape.
        IndexError: a node of edge_index or target is not below num_nodes.
        DeviceError: edge_index is on a GPU that cannot be used.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> edge_index = torch.tensor([[0, 1, 2, 2], [1, 2, 0, 1]])
        >>> edges, scores = gnd.pyg.get_ppr(edge_index, alpha=0.15, target=torch.tensor([0]), seed=1)
        >>> edges
        tensor([[0, 0, 0],
                [0, 1, 2]])
        >>> [round(score, 2) for score in scores.tolist()]
        [0.29, 0.38, 0.33]
    """
    edges, count = checked_edges(edge_index, num_nodes)
    alpha, eps = checked_number("alpha", alpha), checked_number("eps", eps)
    if not LEAST_EPS <= eps <= 1:
        raise ValueError(f"eps = {eps}: expected a number from {LEAST_EPS} to 1, since a node has 1 / eps walks")
    if not 1e-6 <= alpha <= 1:
        raise ValueError(f"alpha = {alpha}: expected a probability from 1e-6 to 1, at which walks stop")
    walks = math.ceil(1 / eps - 1e-9)
    if walks > ROW_VISITS * alpha:
        raise ValueError(f"alpha = {alpha}, eps = {eps}: a node's walks take 2^31 steps at most; raise one of them")
    graph = graph_of_edges(edges, count)
    nodes = np.arange(graph.num_vertices) if target is None else _targets(target)
    inside("target", nodes, graph.num_vertices)
    drawn = personalized_pagerank(
        graph,
        nodes,
        stop=alpha,
        walks=walks,
        weighted=False,
        sinks="stop",
        device=f"cuda:{edge_index.device.index}" if edge_index.is_cuda else "cpu",
        threads=None if edge_index.is_cuda else torch.get_num_threads(),
        seed=batch_seed_of(torch.from_numpy(nodes)) if seed is None else entropy(seed),
        progress=False,
    )
    sizes = np.diff(drawn.indptr)
    scores = drawn.visits * (drawn.stop / np.repeat(drawn.walks, sizes))  # also at nodes without out-edges
    pairs = np.stack([np.repeat(nodes, sizes), drawn.indices.astype(np.int64)])
    device = edge_index.device
    return torch.from_numpy(pairs).to(device), torch.from_numpy(scores.astype(np.float32)).to(device)


def _targets(target: Any) -> Any:
    if not isinstance(target, torch.Tensor):
        raise TypeError(f"target: expected a tensor of ints, got {type(target).__name__}")
    if target.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"target: dtype {target.dtype}, expected int64 or int32")
    if target.dim() != 1:
        raise ValueError(f"target: expected shape (n,), got {tuple(target.shape)}")
    return array_of(target).astype(np.int64)
