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

from .attributes import Attributes, StoreAttributes
from .features import Rows

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["check_features", "edge_index_of", "put", "put_adjacency", "subgraph"]

_NOTHING: Mapping[tuple[str | None, str], Tensor] = {}


def subgraph(
    data: Data | HeteroData,
    out: SamplerOutput | HeteroSamplerOutput,
    attributes: Attributes,
    *,
    device: torch.device | None,
    alone: bool,
    ready: Mapping[tuple[str | None, str], Tensor] = _NOTHING,
) -> Data | HeteroData:
    """The nodes and edges that were sampled, with their attributes, n_id and e_id, and what the sampler counted.

    Args:
        data: the whole graph.
        out: of a sampler that names edges by their places in data.
        attributes: those of data, as earlier calls have found them.
        device: the GPU on which the batch is to be whole; None: attributes stay where those of data are.
        alone: whether no other thread takes rows meanwhile.
        ready: rows of node attributes that have been read, by type and name.
    """
    batch = copy.copy(data)
    worker = torch.utils.data.get_worker_info() is not None
    if isinstance(out, SamplerOutput):
        own, mapping = attributes.of(None, data._store), batch._store._mapping
        _nodes(own, None, mapping, Rows(out.node, device, alone, worker), ready)
        edge = None if out.edge is None else Rows(out.edge.to(torch.int64), device, alone, worker)
        _edges(own, batch._store, out.row, out.col, edge, device, named=True)
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
        node, mapping = out.node.setdefault(kind, _none()), batch[kind]._mapping
        _nodes(attributes.of(kind, data[kind]), kind, mapping, Rows(node, device, alone, worker), ready)
    for relation in data.edge_types:
        ids = (out.edge or {}).get(relation, None if relation in out.row else _none())
        row, col = out.row.get(relation, _none()), out.col.get(relation, _none())
        edge = None if ids is None else Rows(ids.to(torch.int64), device, alone, worker)
        own = attributes.of(relation, data[relation])
        _edges(own, batch[relation], row, col, edge, device, named=relation in out.row)
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


def _nodes(
    own: StoreAttributes, kind: Any, mapping: dict[str, Any], rows: Rows, ready: Mapping[tuple[str | None, str], Tensor]
) -> None:
    """Sets the attributes of the nodes of a type, and n_id, their ids in the whole graph, unless the data has it."""
    if "num_nodes" in mapping:
        mapping["num_nodes"] = rows.index.numel()
    for name, values, dim in own.nodes:
        mapping[name] = rows.of(name, values, dim) if (kind, name) not in ready else ready[kind, name]
    if "n_id" not in mapping:
        mapping["n_id"] = rows.index


def _edges(
    own: StoreAttributes,
    out: Any,
    row: Tensor,
    col: Tensor,
    rows: Rows | None,
    device: torch.device | None,
    named: bool,
) -> None:
    """Sets the edges of a relation, their attributes and, if named, e_id, their ids in the whole graph, unless the data
    has it."""
    mapping, values = out._mapping, own.values
    if "edge_index" in values:
        ends = edge_index_of(row, col)
        mapping["edge_index"] = ends if device is not None else ends.to(values["edge_index"].device)
    if "adj_t" in values:
        put_adjacency(values["adj_t"], out, row, col, rows)
    for name, whole, dim in own.edges:
        if name not in ("edge_index", "adj_t"):
            put(out, **{name: None if rows is None else rows.of(name, whole, dim)})
    if named and rows is not None and "e_id" not in mapping:
        mapping["e_id"] = rows.index


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
