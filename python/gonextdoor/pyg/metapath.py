"""The walks of ``torch_geometric.nn.MetaPath2Vec``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
import torch

from ..apps import MetaPath
from ..graph.graph import Graph
from ..sampling.sample import sample
from .walks import array_of, batch_seed_of

__all__ = ["MetaPathWalks", "metapath_walks"]

Model = TypeVar("Model", bound=torch.nn.Module)


def metapath_walks(model: Model) -> Model:
    """Makes a ``torch_geometric.nn.MetaPath2Vec`` draw its walks with gonextdoor, on all threads of torch.

    The walks have the distribution of PyG's: each step takes an edge of the relation uniformly at random, and after a
    vertex without such an edge all vertices are ``model.dummy_idx``. They follow ``torch.manual_seed``; in a worker of
    a DataLoader they depend on the epoch and the batch. The graph is built here, from the edges that the model has.

    Args:
        model: the model. Its ``loader()`` yields these walks from now on; negative samples are PyG's.

    Returns:
        The model.

    Raises:
        TypeError: it is no ``MetaPath2Vec`` of PyG.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> from torch_geometric.nn import MetaPath2Vec
        >>> edges = {("user", "buys", "item"): torch.tensor([[0, 0, 1], [0, 1, 2]])}
        >>> edges["item", "bought_by", "user"] = edges["user", "buys", "item"].flip(0)
        >>> model = MetaPath2Vec(edges, 16, [*edges], walk_length=4, context_size=5)
        >>> model = gnd.pyg.metapath_walks(model)
        >>> walks, _ = next(iter(model.loader(batch_size=2)))
        >>> walks[1]  # items are 0 to 2, users 3 and 4: user 1 has item 2 alone
        tensor([4, 2, 4, 2, 4])
    """
    needed = ("metapath", "rowptr_dict", "col_dict", "start", "dummy_idx", "_pos_sample")
    if not isinstance(model, torch.nn.Module) or not all(hasattr(model, name) for name in needed):
        raise TypeError(f"model: expected a torch_geometric.nn.MetaPath2Vec, got {type(model).__name__}")
    model._pos_sample = MetaPathWalks(model)
    return model


class MetaPathWalks:
    """Draws the positive samples of a batch, in the place of ``MetaPath2Vec._pos_sample``.

    Args:
        model: a MetaPath2Vec.
        weights: by relation, the weights of its edges in the model's order; edges of other relations have weight 1.
    """

    def __init__(self, model: Any, weights: Mapping[Any, np.ndarray[Any, Any]] | None = None) -> None:
        self._begin, self._missing = model.start[model.metapath[0][0]], model.dummy_idx
        self._repeat, self._window = model.walks_per_node, model.context_size
        relations = list(dict.fromkeys(model.metapath))
        rows, ends, labels, values = [], [], [], []
        for number, relation in enumerate(relations):
            degrees, col = np.diff(array_of(model.rowptr_dict[relation])), array_of(model.col_dict[relation])
            rows.append(np.repeat(np.arange(len(degrees)), degrees) + model.start[relation[0]])
            ends.append(col + model.start[relation[-1]])
            labels.append(np.full(len(col), number))
            values.append((weights or {}).get(relation, np.ones(len(col), np.float32)))
        joined = (np.concatenate(parts) for parts in (rows, ends, labels))
        src, dst, of = joined
        given = np.concatenate(values) if weights else None
        self._graph = Graph.from_edges(src, dst, weights=given, labels=of, num_vertices=model.dummy_idx)
        path = [relations.index(relation) for relation in model.metapath]
        self._app = MetaPath(path, model.walk_length, weighted=bool(weights))

    def __call__(self, batch: torch.Tensor) -> torch.Tensor:
        """(n, context_size) vertices: the windows of the walks from each vertex of the batch."""
        roots = array_of(batch.repeat(self._repeat)) + self._begin
        threads = torch.get_num_threads()
        drawn = sample(
            self._graph, self._app, roots, seed=batch_seed_of(batch), device="cpu", threads=threads, progress=False
        )
        walks = torch.from_numpy(drawn.numpy()).long()
        walks[walks < 0] = self._missing
        windows = range(walks.size(1) - self._window + 1)
        return torch.cat([walks[:, j : j + self._window] for j in windows])
