"""Graphs of DGL as ours: converted once, kept as long as DGL's graph lives, and again when that has changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._core.weak import WeakTable
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from .errors import raises_dgl_errors
from .framework import Tensor, dgl, torch

__all__ = [
    "Etype",
    "View",
    "checked",
    "converted",
    "etype_of",
    "from_dgl",
    "kept",
    "store_conversion",
    "turned",
    "view",
]

Array = npt.NDArray[Any]
Etype = tuple[str, str, str]


class View(NamedTuple):
    """What of a graph of DGL is wanted: edges that lead to a vertex ("in") or from it ("out"), weighted by the edge
    data of a name, or those edges alone for which it is true."""

    direction: str
    prob: str | None = None
    mask: str | None = None


class _Conversion(NamedTuple):
    """A converted graph with the tensors that it was made from, to detect later changes."""

    index: Any  # DGL replaces its adjacency when edges or vertices are added or removed
    data: tuple[tuple[Tensor, int] | None, ...]  # the edge data of each relation, and how often it was written to
    graph: Graph | HeteroGraph


_CONVERSIONS: WeakTable[Any, dict[View, _Conversion]] = WeakTable()


def view(edge_dir: str, prob: str | None, mask: str | None) -> View:
    """The view that a sampler's arguments name.

    Raises:
        TypeError, ValueError: they name none.
    """
    if edge_dir not in ("in", "out"):
        raise ValueError(f'edge_dir = {edge_dir!r}: expected "in" or "out"')
    for name, value in (("prob", prob), ("mask", mask)):
        if value is not None and not isinstance(value, str):
            raise TypeError(f"{name} = {value!r}: expected the name of an edge feature")
    if prob is not None and mask is not None:
        raise ValueError(f"prob = {prob!r}, mask = {mask!r}: pass only one of them; multiply the weights by the mask")
    return View(edge_dir, prob, mask)


@raises_dgl_errors
def from_dgl(g: Any, edge_dir: str = "in", *, prob: str | None = None, mask: str | None = None) -> Graph | HeteroGraph:
    """Converts a DGL graph to a ``gonextdoor.Graph`` or ``gonextdoor.HeteroGraph``.

    Args:
        g: the graph, with one or several types of vertices and edges.
        edge_dir: "in" (default): row v lists the edges that lead to v, as message passing needs them; "out": those that
            leave it.
        prob: the name of an edge feature, (E,) non-negative numbers, that become weights. Edge types without it are
            unweighted. None (default): unweighted.
        mask: the name of an edge feature, (E,) booleans; edges for which it is false are left out. None (default): all
            edges.

    Returns:
        A Graph for one type of edges between vertices of one type, otherwise a HeteroGraph with DGL's canonical edge
        types, reversed for "out". Ids of edges are DGL's, per edge type.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument has a value that is not allowed, or an edge feature is missing, of the wrong shape,
            negative or not finite.

    Examples:
        >>> import gonextdoor.dgl
        >>> import dgl
        >>> graph = gnd.dgl.from_dgl(dgl.graph(([0, 0, 1], [1, 2, 2])))
        >>> graph
        Graph(num_vertices=3, num_edges=3)
        >>> graph.neighbors(2)  # sources of the edges that lead to 2
        array([0, 1], dtype=int32)
    """
    checked(g)
    return _convert(g, view(edge_dir, prob, mask))


def converted(g: Any, wanted: View) -> Graph | HeteroGraph:
    """The same, kept for the next call as long as g lives and neither its edges nor the feature have changed."""
    views = _CONVERSIONS.of(g)
    if views is None:
        views = _CONVERSIONS.put_first(g, {})
    found = views.get(wanted)
    if found is None or not _same(found, g, wanted):
        found = views[wanted] = _Conversion(g._graph, _marks(g, wanted), _convert(g, wanted))
    return found.graph


def kept(view: View) -> Iterator[tuple[Any, Graph | HeteroGraph]]:
    """The graphs whose conversion is kept, and it."""
    for g, views in _CONVERSIONS.pairs():
        found = views.get(view)
        if found is not None and _same(found, g, view):
            yield g, found.graph


def store_conversion(g: Any, wanted: View, graph: Graph | HeteroGraph) -> None:
    """Stores the conversion of g that another process has made."""
    _CONVERSIONS.put_first(g, {})[wanted] = _Conversion(g._graph, _marks(g, wanted), graph)


def checked(g: Any) -> None:
    """Refuses what is not a graph of DGL, or a block."""
    if not isinstance(g, dgl.DGLGraph):
        raise TypeError(f"g: expected a dgl.DGLGraph, got {type(g).__name__}")
    if g.is_block:
        raise ValueError("g is a block: expected a graph whose sources and destinations are the same vertices")


def etype_of(g: Any, name: str, etype: Any) -> Etype:
    """An edge type by any of its names.

    Raises:
        ValueError: there is none of that name; the text has the argument's.
    """
    try:
        found: Etype = g.to_canonical_etype(etype)
        g.get_etype_id(found)
    except (dgl.DGLError, AttributeError, TypeError, ValueError) as why:
        raise ValueError(f"{name}: {etype!r} is not one of the edge types {g.canonical_etypes}") from why
    return found


def _same(found: _Conversion, g: Any, wanted: View) -> bool:
    if found.index is not g._graph:
        return False
    name = wanted.prob or wanted.mask
    if name is None:
        return True
    now = _marks(g, wanted)
    return all(
        a is b or (a is not None and b is not None and a[0] is b[0] and a[1] == b[1])
        for a, b in zip(found.data, now, strict=True)
    )


def _marks(g: Any, wanted: View) -> tuple[tuple[Tensor, int] | None, ...]:
    name = wanted.prob or wanted.mask
    if name is None:
        return ()
    data = (g.edges[etype].data.get(name) for etype in g.canonical_etypes)
    return tuple(None if tensor is None else (tensor, _writes(tensor)) for tensor in data)


def _writes(tensor: Tensor) -> int:
    """How often a tensor was written to, as autograd counts it; inference tensors are not counted."""
    return 0 if tensor.is_inference() else int(tensor._version)


def _convert(g: Any, wanted: View) -> Graph | HeteroGraph:
    name = wanted.prob or wanted.mask
    if name is not None and not any(name in g.edges[etype].data for etype in g.canonical_etypes):
        which = "prob" if wanted.prob else "mask"
        raise ValueError(f"{which} = {name!r}: no edge type of the graph has that feature")
    relations = {turned(etype, wanted): _relation(g, etype, wanted) for etype in g.canonical_etypes}
    if len(g.ntypes) == 1 and len(relations) == 1:
        return next(iter(relations.values()))
    return HeteroGraph(relations, {ntype: g.num_nodes(ntype) for ntype in g.ntypes})


def turned(etype: Etype, wanted: View) -> Etype:
    """The name that an edge type of DGL has in our graph, whose relations lead to the vertices that choose."""
    return etype if wanted.direction == "in" else (etype[2], etype[1], etype[0])


def _relation(g: Any, etype: Etype, wanted: View) -> Graph:
    """The edges of one type, as rows of the vertices that choose among them; square, as our graphs are."""
    src, dst = _ends(g, etype)
    rows, columns = (dst, src) if wanted.direction == "in" else (src, dst)
    vertices = max(g.num_nodes(etype[0]), g.num_nodes(etype[2]))
    data = g.edges[etype].data
    if wanted.mask is not None and wanted.mask in data:
        return _masked(rows, columns, _mask(wanted.mask, data[wanted.mask], etype), vertices)
    if wanted.prob is None or wanted.prob not in data:
        return Graph.from_edges(rows, columns, num_vertices=vertices)
    weights = _feature("prob", wanted.prob, data[wanted.prob], etype)
    if weights.dtype == np.bool_:  # DGL takes a mask here too
        return _masked(rows, columns, weights, vertices)
    try:
        return Graph.from_edges(rows, columns, weights=weights, num_vertices=vertices)
    except (TypeError, ValueError) as why:
        raise type(why)(f"prob = {wanted.prob!r} of edge type {etype}: {why}") from None


def _ends(g: Any, etype: Etype) -> tuple[Array, Array]:
    """The sources and destinations of edges in the order of their ids. Graphs that are kept in rows alone have no list
    of edges."""
    formats = g.formats()
    if "coo" in formats["created"] + formats["not created"]:
        src, dst = g.edges(form="uv", order="eid", etype=etype)
        return src.cpu().numpy(), dst.cpu().numpy()
    rows = next(iter(formats["created"]))
    indptr, columns, ids = (part.cpu().numpy() for part in g.adj_tensors(rows, etype=etype))
    ends = np.repeat(np.arange(len(indptr) - 1, dtype=columns.dtype), np.diff(indptr)), columns
    if ids.size:  # none: they are in order
        order = np.empty_like(ids)
        order[ids] = np.arange(len(ids), dtype=ids.dtype)
        ends = ends[0][order], ends[1][order]
    return ends if rows == "csr" else ends[::-1]


def _masked(rows: Array, columns: Array, mask: Array, vertices: int) -> Graph:
    """The edges for which the mask is true, with the ids that they have among all."""
    ids = np.flatnonzero(mask)
    rows, columns = rows[ids], columns[ids]
    order = np.argsort(rows, kind="stable")
    indptr = np.zeros(vertices + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=vertices), out=indptr[1:])
    return Graph.from_csr(indptr, columns[order], edge_ids=ids[order])


def _mask(name: str, tensor: Tensor, etype: Etype) -> Array:
    array = _feature("mask", name, tensor, etype)
    if array.dtype != np.bool_:
        raise TypeError(f"mask = {name!r} of edge type {etype}: expected booleans, got {array.dtype}")
    return array


def _feature(argument: str, name: str, tensor: Tensor, etype: Etype) -> Array:
    """An edge feature with one number per edge."""
    if not torch.is_tensor(tensor) or tensor.dim() != 1:
        shape = tuple(tensor.shape) if torch.is_tensor(tensor) else type(tensor).__name__
        column = torch.is_tensor(tensor) and tensor.dim() == 2 and tensor.shape[1] == 1
        advice = f"; flatten it: g.edata[{name!r}].squeeze(1)" if column else ""
        raise ValueError(f"{argument} = {name!r} of edge type {etype}: expected shape (E,), got {shape}{advice}")
    flat = tensor.detach().cpu()
    if flat.dtype in (torch.float16, torch.bfloat16):
        flat = flat.float()
    return np.asarray(flat.numpy())
