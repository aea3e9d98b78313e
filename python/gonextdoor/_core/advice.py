"""Hints for error messages: what to do instead of a common mistake."""

from __future__ import annotations

import datetime
import inspect
import os
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from .checks import shown

__all__ = [
    "app_error",
    "attribute_error",
    "graph_error",
    "instead",
    "meant",
    "missing",
    "no_edge_ids",
    "of_element",
    "of_integers",
    "of_numbers",
]

Array = npt.NDArray[Any]

# By package and name of a class: the constructor that creates a graph from its objects.
_CONSTRUCTORS = {
    ("networkx", "Graph"): "from_networkx(graph)",
    ("igraph", "Graph"): "from_igraph(graph)",
    ("scipy", "sparray"): "from_scipy(graph)",
    ("scipy", "spmatrix"): "from_scipy(graph)",
    ("pandas", "DataFrame"): "from_pandas(graph, source=..., target=...)",
    ("polars", "DataFrame"): "from_arrow(graph)",
    ("pyarrow", "Table"): "from_arrow(graph)",
    ("dgl", "DGLGraph"): "from_dgl(graph, edge_dir='{}')",
    ("torch_geometric", "BaseData"): "from_pyg(graph, edge_dir='{}')",
}


# By module or class: for names in other libraries, what to use.
_ATTRIBUTES: dict[str, dict[str, str]] = {
    "gonextdoor": {
        "load": "gonextdoor.read(path), or gonextdoor.Graph.open(folder)", "open": "gonextdoor.Graph.open(folder)",
        "DataLoader": "gonextdoor.loader", "NeighborLoader": "gonextdoor.loader, or gonextdoor.pyg.NeighborLoader",
        "pagerank": "gonextdoor.personalized_pagerank", "random_walk": "gonextdoor.sample(graph, apps.DeepWalk())",
        "walk": "gonextdoor.sample(graph, apps.DeepWalk())",
    },
    "Graph": {
        "num_nodes": "num_vertices", "number_of_nodes": "num_vertices", "nodes": "range(graph.num_vertices)",
        "number_of_edges": "num_edges", "degree": "degrees()", "out_degrees": "degrees()", "successors": "neighbors(v)",
        "adj": "to_scipy()", "edges": "to_scipy(), or indptr and indices", "edge_index": "indptr and indices",
        "names": "vertex_names", "subgraph": "to_scipy()", "from_csv": "gonextdoor.read(path)",
        "read": "gonextdoor.read(path)", "load": "Graph.open(folder), or gonextdoor.read(path)",
        "from_edge_list": "Graph.from_edges(edges)", "from_edgelist": "Graph.from_edges(edges)",
        "from_edge_index": "Graph.from_edges(edge_index[0], edge_index[1])",
        "from_numpy": "Graph.from_edges(src, dst), or Graph.from_scipy(scipy.sparse.csr_array(matrix))",
    },
    "Samples": {
        "walks": "numpy()", "paths": "numpy()", "nodes": "numpy()", "vertices": "numpy()", "to_numpy": "numpy()",
        "tolist": "numpy().tolist()", "to_list": "numpy().tolist()", "to_dataframe": "to_pandas()",
        "to_csv": "to_pandas().to_csv(path)", "dataframe": "to_pandas()",
    },
}  # fmt: skip


def instead(owner: str, name: str) -> str:
    """What to use in place of a name that a module or class does not have; "" if unknown."""
    found = _ATTRIBUTES.get(owner, {}).get(name)
    return f": use {found}" if found else ""


def missing(thing: object, name: str) -> AttributeError:
    """The error for an attribute that an object or a class does not have, raised by its ``__getattr__``."""
    owner = thing.__name__ if isinstance(thing, type) else type(thing).__name__
    what = f"type object {owner!r}" if isinstance(thing, type) else f"{owner!r} object"
    hint = "" if name.startswith("_") else instead(owner, name) or meant(name, (n for n in dir(thing) if n[0] != "_"))
    return AttributeError(f"{what} has no attribute {name!r}{hint}", name=name, obj=None)


def graph_error(expected: str, given: Any, edge_dir: str) -> TypeError:
    """The error for a graph argument that is something else, with the constructor that takes it.

    Args:
        expected: what the function takes.
        given: the argument.
        edge_dir: the edges that its rows should list: "out" for walks, "in" for mini-batches, in which messages flow
            along them.
    """
    return TypeError(f"graph: expected {expected}, got {_kind(given)}{_of_graph(given, edge_dir)}")


def _of_graph(given: Any, edge_dir: str) -> str:
    if isinstance(given, type):
        return ": pass a graph, not a class"
    if isinstance(given, (str, os.PathLike)):
        folder = os.path.isdir(given)
        return f": load it with gonextdoor.{'Graph.open' if folder else 'read'}({os.fspath(given)!r})"
    classes = {(package(kind), kind.__name__) for kind in type(given).__mro__}
    for kind, call in _CONSTRUCTORS.items():
        if kind in classes:
            return f": use gonextdoor.Graph.{call.format(edge_dir)}"
    if ("gonextdoor", "SamplingApp") in classes:
        return ": the graph is the first argument, the app the second"
    if ("gonextdoor", "HeteroGraph") in classes:
        return ": pass one of graph.relations, or sample batches with gonextdoor.NeighborSampler(graph, fanouts)"
    shape = getattr(given, "shape", None)
    if shape is not None and len(shape) == 2 and shape[0] == 2:
        ends = "graph[0], graph[1]" if edge_dir == "out" else "graph[1], graph[0]"
        return f": use gonextdoor.Graph.from_edges({ends}), whose rows list {edge_dir}-edges"
    if shape is not None and len(shape) == 2 and shape[0] == shape[1]:
        return ": use gonextdoor.Graph.from_scipy(scipy.sparse.csr_array(graph))"
    if isinstance(given, (list, tuple)) or shape is not None:
        return ": use gonextdoor.Graph.from_edges(src, dst)"
    return ""


def package(kind: type) -> str:
    """The top-level package of a class."""
    return kind.__module__.partition(".")[0]


def _kind(given: Any) -> str:
    kind = given if isinstance(given, type) else type(given)
    name = kind.__name__ if package(kind) in ("builtins", "gonextdoor") else f"{package(kind)}.{kind.__name__}"
    return f"the class {name}" if isinstance(given, type) else name


def app_error(given: Any, known: Iterable[str]) -> TypeError:
    """The error for an app argument that is something else; known has the names of gonextdoor.apps."""
    text, advice = shown(given), ""
    if isinstance(given, type) and any(package(kind) == "gonextdoor" for kind in given.__mro__):
        required = [
            f"{parameter.name}=..."
            for parameter in inspect.signature(given).parameters.values()
            if parameter.default is parameter.empty and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        ]
        text, advice = _kind(given), f": call it, {given.__name__}({', '.join(required)})"
    elif isinstance(given, str):
        advice = meant(given, known, "gonextdoor.apps.")
    elif type(given).__name__ in ("PGSampler", "NeighborSampler") and package(type(given)) == "gonextdoor":
        method = "sample(graph, seed_nodes)" if type(given).__name__ == "PGSampler" else "draw(seed_nodes, batch_seed)"
        advice = f": it draws mini-batches, call its method {method}"
    elif inspect.isroutine(given):
        advice = ": functions are arguments of gonextdoor.App, such as edge_bias="
    return TypeError(f"app: expected one of gonextdoor.apps or a gonextdoor.App, got {text}{advice}")


def of_integers(name: str, array: Array, given: Any) -> str:
    """Advice on how to convert an argument, which numpy made an array of another type, to integers."""
    if array.dtype.kind == "O" and array.ndim == 0:
        return _of_object(name, given)
    if array.ndim == 0:  # a single number is not an array, regardless of its type
        return ""
    if array.dtype.kind == "b":
        return f": a mask selects by position, pass np.flatnonzero({name})" if array.ndim == 1 else ""
    if array.dtype.kind == "f":
        parts = np.flatnonzero(array != np.floor(array))  # NaN differs from itself
        parts = parts if parts.size else np.flatnonzero(np.isinf(array))
        if parts.size:
            at = ", ".join(map(str, np.unravel_index(int(parts[0]), array.shape)))
            return f": {name}[{at}] = {array.flat[int(parts[0])]} is not a whole number"
    if array.dtype.kind in "fmM":
        return f": pass {_array_of(name, given)}.astype(np.int64)"
    return ""


def of_numbers(name: str, array: Array, given: Any) -> str:
    """Advice on how to convert an argument, which numpy made an array of another type, to numbers."""
    if array.dtype.kind == "O" and array.ndim == 0:
        return _of_object(name, given)
    if array.dtype.kind in "bmM":
        return f": pass {_array_of(name, given)}.astype(np.int64)"
    if array.dtype.kind in "SU":
        try:
            array.astype(np.float64)
        except ValueError:
            return f": number them with np.unique({name}, return_inverse=True)[1]"
        return f": pass {_array_of(name, given)}.astype(np.float64)"
    return ""


def of_element(name: str, value: Any) -> str:
    """Advice on how to convert an array of objects, one of which is not a number, to numbers."""
    if isinstance(value, str):
        return f": number them with np.unique({name}, return_inverse=True)[1]"
    if isinstance(value, datetime.date):
        return f": pass np.asarray({name}, 'datetime64[us]').astype(np.int64)"
    return ""


def _of_object(name: str, given: Any) -> str:
    """Advice on how to convert an argument that numpy treats as one object, such as a set or a generator."""
    return f": pass list({name})" if isinstance(given, Iterable) else ""


def _array_of(name: str, given: Any) -> str:
    return name if hasattr(given, "astype") else f"np.asarray({name})"


def close_matches(name: str, known: Iterable[str], cutoff: float = 0.6) -> list[str]:
    """The most similar of some names, as ``difflib`` finds it; empty if none is similar."""
    import difflib  # only for an error, and 3 ms to import

    return difflib.get_close_matches(name, list(known), 1, cutoff)


def meant(name: str, known: Iterable[str], prefix: str = "") -> str:
    """A question that suggests the most similar known name, ignoring case; "" if none is similar."""
    names = {one.lower(): one for one in known}
    found = close_matches(name.lower(), names, 0.6)
    return f": did you mean {prefix}{names[found[0]]}?" if found else ""


def attribute_error(module: str, name: str, hint: str) -> AttributeError:
    """The error for a name that a module does not have. With name and obj, Python adds no separate hint."""
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}", name=name, obj=None)


def no_edge_ids(what: str) -> ValueError:
    """The error for a use of the ids of edges, of a graph that was saved without them."""
    return ValueError(
        f"{what} needs the ids of edges, but the graph was saved with edge_ids=False; save it again with edge_ids=True"
    )
