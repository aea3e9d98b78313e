"""PyG's Node2Vec and MetaPath2Vec on this package's walks, with edge weights."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch
import torch_geometric.nn
from torch_geometric.index import index2ptr
from torch_geometric.utils import sort_edge_index

from .._core.binding import advised
from .._core.checks import check_int
from ..apps import Node2Vec as Node2VecApp
from ..apps.parameters import MAX_LENGTH
from .edgeindex import checked_edges
from .metapath import MetaPathWalks
from .walks import array_of, checked_weights, random_walk

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["MetaPath2Vec", "Node2Vec"]

EdgeType = tuple[str, str, str]
MANY = (1 << 31) - 1


class Node2Vec(torch_geometric.nn.Node2Vec):  # type: ignore[misc]
    """``torch_geometric.nn.Node2Vec`` without pyg-lib: same arguments, methods and results, and edge weights.

    A positive sample is a window of a walk, and a walk's step takes an edge in proportion to its weight and to the
    bias of node2vec (1 / p back, 1 to a neighbour of the previous node, 1 / q elsewhere). Parallel edges count
    separately. A walk at a node without edges stays there, as with pyg-lib. Walks are drawn by all threads of torch,
    and follow ``torch.manual_seed``; in a worker of a DataLoader they depend on the epoch and the batch.

    Negative samples are PyG's: windows of the same first node, with other nodes drawn from all nodes uniformly at
    random. They may be neighbours of the first node, or that node itself.

    The model cannot be compiled by ``torch.jit.script``. PyG's own class can, after ``gonextdoor.pyg.install()``.

    Args:
        edge_index: (2, E) ints: walks follow edges from row 0 to row 1.
        embedding_dim: the size of each vector.
        walk_length: the nodes of a walk, its first included.
        context_size: the nodes of a window, at most walk_length.
        walks_per_node: walks from each node of a batch (default 1).
        p: return parameter, positive (default 1).
        q: in-out parameter, positive (default 1).
        num_negative_samples: negative samples for each positive one (default 1).
        num_nodes: the number of nodes; None (default): the largest in edge_index, plus 1.
        sparse: whether gradients of the vectors are sparse (default False).
        edge_weight: (E,) non-negative weights; None (default): edges are taken uniformly at random.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range or of the wrong shape.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> edges = torch.tensor([[0, 0, 1, 2], [1, 2, 0, 0]])
        >>> weight = torch.tensor([0.0, 1.0, 1.0, 1.0])
        >>> model = gnd.pyg.Node2Vec(edges, 16, walk_length=4, context_size=4, edge_weight=weight)
        >>> positive, negative = next(iter(model.loader(batch_size=1)))
        >>> positive
        tensor([[0, 2, 0, 2]])
    """

    @advised
    def __init__(
        self,
        edge_index: Tensor,
        embedding_dim: int,
        walk_length: int,
        context_size: int,
        walks_per_node: int = 1,
        p: float = 1.0,
        q: float = 1.0,
        num_negative_samples: int = 1,
        num_nodes: int | None = None,
        sparse: bool = False,
        *,
        edge_weight: Tensor | None = None,
    ) -> None:
        torch.nn.Module.__init__(self)  # PyG's raises an error without pyg-lib
        edge_index, self.num_nodes = checked_edges(edge_index, num_nodes)
        self.walk_length = check_int("walk_length", walk_length, 1, MAX_LENGTH + 1) - 1
        self.context_size = _window(context_size, self.walk_length)
        self.walks_per_node = check_int("walks_per_node", walks_per_node, 1, MANY)
        self.num_negative_samples = check_int("num_negative_samples", num_negative_samples, 0, MANY)
        Node2VecApp(p, q, self.walk_length)
        self.p, self.q, self.EPS = p, q, 1e-15
        weights = None if edge_weight is None else checked_weights("edge_weight", edge_weight, edge_index.size(1))
        (row, col), weights = _in_rows(edge_index, weights, self.num_nodes)
        self.rowptr, self.col = index2ptr(row, self.num_nodes), col
        self.random_walk_fn = functools.partial(random_walk, weights=weights)
        self.embedding_dim = check_int("embedding_dim", embedding_dim, 1, MANY)
        self.embedding = torch.nn.Embedding(self.num_nodes, self.embedding_dim, sparse=sparse)
        self.reset_parameters()


class MetaPath2Vec(torch_geometric.nn.MetaPath2Vec):  # type: ignore[misc]
    """``torch_geometric.nn.MetaPath2Vec`` on this package's walks: same arguments, methods and results, and edge
    weights. A model that exists draws such walks after ``metapath_walks``.

    A step takes an edge of its relation in proportion to its weight; parallel edges count separately. After a node
    without such an edge, all nodes of a walk are ``dummy_idx``. Walks are drawn by all threads of torch, and follow
    ``torch.manual_seed``; in a worker of a DataLoader they depend on the epoch and the batch.

    Negative samples are PyG's: the first node of a walk, and then for each step a node of that step's type, drawn
    uniformly at random from all nodes of the type, whether or not an edge leads to it.

    Args:
        edge_index_dict: by edge type, (2, E) ints.
        embedding_dim: the size of each vector.
        metapath: the edge types of successive steps.
        walk_length: the steps of a walk, after which the path repeats.
        context_size: the nodes of a window, at most walk_length + 1.
        walks_per_node: walks from each node of a batch (default 1).
        num_negative_samples: negative samples for each positive one (default 1).
        num_nodes_dict: by type, the number of nodes; None (default): the largest in edge_index_dict, plus 1.
        sparse: whether gradients of the vectors are sparse (default False).
        edge_weight_dict: by edge type, (E,) non-negative weights; edges of other types are taken uniformly at random.
            None (default): no weights.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range or of the wrong shape, or edge types of the metapath do not follow each
            other.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> edges = {("user", "buys", "item"): torch.tensor([[0, 0, 1], [0, 1, 2]])}
        >>> edges["item", "bought_by", "user"] = edges["user", "buys", "item"].flip(0)
        >>> weights = {("user", "buys", "item"): torch.tensor([0.0, 1.0, 1.0])}
        >>> model = gnd.pyg.MetaPath2Vec(edges, 16, [*edges], walk_length=2, context_size=3, edge_weight_dict=weights)
        >>> walks, _ = next(iter(model.loader(batch_size=2)))
        >>> walks  # items are 0 to 2, users 3 and 4
        tensor([[3, 1, 3],
                [4, 2, 4]])
    """

    @advised
    def __init__(
        self,
        edge_index_dict: dict[EdgeType, Tensor],
        embedding_dim: int,
        metapath: list[EdgeType],
        walk_length: int,
        context_size: int,
        walks_per_node: int = 1,
        num_negative_samples: int = 1,
        num_nodes_dict: dict[str, int] | None = None,
        sparse: bool = False,
        *,
        edge_weight_dict: Mapping[EdgeType, Tensor] | None = None,
    ) -> None:
        _checked_path(metapath, edge_index_dict)
        length = check_int("walk_length", walk_length, 1, MAX_LENGTH)
        super().__init__(
            edge_index_dict,
            check_int("embedding_dim", embedding_dim, 1, MANY),
            metapath,
            length,
            _window(context_size, length),
            check_int("walks_per_node", walks_per_node, 1, MANY),
            check_int("num_negative_samples", num_negative_samples, 0, MANY),
            num_nodes_dict,
            sparse,
        )
        weights = {}
        for edge_type, given in (edge_weight_dict or {}).items():
            name = f"edge_weight_dict[{edge_type!r}]"
            if edge_type not in edge_index_dict:
                raise ValueError(f"{name}: edge_index_dict has the edge types {list(edge_index_dict)}")
            edge_index = edge_index_dict[edge_type]
            count = max(self.num_nodes_dict[edge_type[0]], self.num_nodes_dict[edge_type[-1]])
            _, ordered = _in_rows(edge_index, checked_weights(name, given, edge_index.size(1)), count)
            weights[edge_type] = array_of(ordered)
        self._pos_sample = MetaPathWalks(self, weights)


def _checked_path(metapath: Any, edge_index_dict: Any) -> None:
    if not isinstance(edge_index_dict, Mapping):
        raise TypeError(f"edge_index_dict: expected a dict by edge type, got {type(edge_index_dict).__name__}")
    if not isinstance(metapath, (list, tuple)) or not metapath:
        raise TypeError(f"metapath = {metapath!r}: expected a list of edge types, at least one")
    for at, edge_type in enumerate(metapath):
        if edge_type not in edge_index_dict:
            raise ValueError(
                f"metapath[{at}] = {edge_type!r}: edge_index_dict has the edge types {list(edge_index_dict)}"
            )


def _window(context_size: int, steps: int) -> int:
    size = check_int("context_size", context_size, 1, MANY)
    if size > steps + 1:
        raise ValueError(f"context_size = {size}: expected at most {steps + 1}, the nodes of a walk")
    return size


def _in_rows(edge_index: Tensor, weights: Tensor | None, num_nodes: int) -> tuple[Any, Any]:
    """The edges in PyG's order, row by row, and their weights, in host memory."""
    if weights is None:
        return sort_edge_index(edge_index, num_nodes=num_nodes).cpu(), None
    edges, ordered = sort_edge_index(edge_index, weights, num_nodes=num_nodes)
    return edges.cpu(), ordered.cpu()
