"""A sampler's output as the Data or HeteroData that PyG's loaders give: the subgraph with its features."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch_geometric.data import Data, HeteroData
from torch_geometric.loader.utils import filter_edge_store_
from torch_geometric.sampler import HeteroSamplerOutput, SamplerOutput
from torch_geometric.typing import SparseTensor

from .features import Rows

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["check_features", "edge_index_of", "put", "put_adjacency", "subgraph"]

_NOTHING: Mapping[tuple[str | None, str], Tensor] = {}


def subgraph(
    data: Data | HeteroData,
    out: SamplerOutput | HeteroSamplerOutput,
    *,
    device: torch.device | None,
    alone: bool,
    ready: Mapping[tuple[str | None, str], Tensor] = _NOTHING,
) -> Data | HeteroData:
    """The nodes and edges that were sampled, with their attributes, n_id and e_id, and what the sampler counted.

    Args:
        data: the whole graph.
        out: of a sampler that names edges by their places in data.
        device: the GPU on which the batch is to be whole; None: attributes stay where those of data are.
        alone: whether no other thread takes rows meanwhile.
        ready: rows of node attributes that have been read, by type and name.
    """
    batch = copy.copy(data)
    if isinstance(out, SamplerOutput):
        _nodes(data._store, batch._store, Rows(out.node, device, alone), ready)
        edge = None if out.edge is None else Rows(out.edge.to(torch.int64), device, alone)
        _edges(data._store, batch._store, out.row, out.col, edge, device)
        _named(batch._store, out.node, edge)
        put(
            batch._store,
            batch=out.batch,
            num_sampled_nodes=out.num_sampled_nodes,
            num_sampled_edges=out.num_sampled_edges,
        )
        if out.orig_row is not None and out.orig_col is not None:
            batch._orig_edge_index = edge_index_of(out.orig_row, out.orig_col)
        return batch
    for kind in data.node_types:
        node = out.node.setdefault(kind, _none())
        _nodes(data[kind], batch[kind], Rows(node, device, alone), ready)
        _named(batch[kind], node, None)
    for relation in data.edge_types:
        ids = (out.edge or {}).get(relation, None if relation in out.row else _none())
        row, col = out.row.get(relation, _none()), out.col.get(relation, _none())
        edge = None if ids is None else Rows(ids.to(torch.int64), device, alone)
        _edges(data[relation], batch[relation], row, col, edge, device)
        _named(batch[relation], None, edge if relation in out.row else None)
    batch.set_value_dict("batch", out.batch)
    batch.set_value_dict("num_sampled_nodes", out.num_sampled_nodes)
    batch.set_value_dict("num_sampled_edges", out.num_sampled_edges)
    if out.orig_row is not None and out.orig_col is not None:
        for relation, row in out.orig_row.items():
            batch[relation]._orig_edge_index = edge_index_of(row, out.orig_col[relation])
    return batch


def check_features(data: Data | HeteroData) -> None:
    """Checks that features named x have a row per node. PyG passes others to each batch as they are, as attributes of
    the whole graph.

    Raises:
        ValueError: there are more or fewer rows.
    """
    for store in data.node_stores:
        values = store._mapping.get("x")
        if not isinstance(values, (torch.Tensor, np.ndarray)) or values.ndim == 0 or store.num_nodes is None:
            continue
        rows, nodes = values.shape[data.__cat_dim__("x", values, store)], int(store.num_nodes)
        if rows != nodes:
            name = "data" if store._key is None else f"data[{store._key!r}]"
            raise ValueError(
                f"{name}.x has {rows} rows, but {name}.num_nodes = {nodes}: pass a row per node, or use another name "
                "for an attribute of the whole graph"
            )


def put(store: Any, **values: Any) -> None:
    """Sets attributes of a store of a batch; None removes one.

    A store of PyG clears caches for each attribute that is set, which takes 3 us. The store of a batch has none yet.
    """
    mapping = store._mapping
    for name, value in values.items():
        if value is not None:
            mapping[name] = value
        else:
            mapping.pop(name, None)


def edge_index_of(row: Tensor, col: Tensor) -> Tensor:
    """Both ends as one (2, E) tensor, which PyG looks at as one piece of memory: a copy unless they are one."""
    edges = row.numel()
    together = row.untyped_storage().data_ptr() == col.untyped_storage().data_ptr() and row.dtype == col.dtype
    if together and row.is_contiguous() and col.storage_offset() == row.storage_offset() + edges:
        return row.as_strided((2, edges), (edges, 1))
    return torch.stack([row, col])


def _named(store: Any, node: Tensor | None, edge: Rows | None) -> None:
    """Sets n_id and e_id, the ids in the whole graph, unless the data has such attributes."""
    mapping = store._mapping
    if node is not None and "n_id" not in mapping:
        mapping["n_id"] = node
    if edge is not None and "e_id" not in mapping:
        mapping["e_id"] = edge.index


def _nodes(store: Any, out: Any, rows: Rows, ready: Mapping[tuple[str | None, str], Tensor]) -> None:
    kind, mapping = store._key, out._mapping
    for name, values in store._mapping.items():
        if name == "num_nodes":
            mapping[name] = rows.index.numel()
        elif (kind, name) in ready:
            mapping[name] = ready[kind, name]
        elif store.is_node_attr(name):
            mapping[name] = rows.of(name, values, store._parent().__cat_dim__(name, values, store))


def _edges(store: Any, out: Any, row: Tensor, col: Tensor, rows: Rows | None, device: torch.device | None) -> None:
    for name, values in store._mapping.items():
        if name == "edge_index":
            ends = edge_index_of(row, col)
            out._mapping[name] = ends if device is not None else ends.to(values.device)
        elif name == "adj_t":
            put_adjacency(values, out, row, col, rows)
        elif store.is_edge_attr(name):
            dim = store._parent().__cat_dim__(name, values, store)
            put(out, **{name: None if rows is None else rows.of(name, values, dim)})


def put_adjacency(whole: Any, out: Any, row: Tensor, col: Tensor, rows: Rows | None) -> None:
    """Sets ``adj_t`` of a store of a batch, a sparse matrix of the kind that the whole graph has."""
    if isinstance(whole, SparseTensor):
        filter_edge_store_({"adj_t": whole}, out, row, col, None if rows is None else rows.index)
    else:
        out.adj_t = _sparse(whole, out, row, col, rows)


def _sparse(whole: Tensor, out: Any, row: Tensor, col: Tensor, rows: Rows | None) -> Tensor:
    """The edges as a sparse tensor of torch, transposed as the whole graph's is. An edge that was taken several times
    has as many entries; PyG's ``to_torch_csr_tensor`` would add them."""
    count, width = out.size()[::-1]
    order = torch.sort(col * width + row, stable=True).indices
    heads = torch.zeros(count + 1, dtype=torch.int64, device=col.device)
    heads[1:] = torch.bincount(col, minlength=count).cumsum(0)
    values = torch.ones(len(col), device=col.device) if rows is None else rows.of("adj_t", whole.values())
    return torch.sparse_csr_tensor(heads, row[order], values[order.to(values.device)], (count, width))


def _none() -> Tensor:
    return torch.empty(0, dtype=torch.int64)
