"""The operators: their schemas, the shapes of their results for torch.compile, and who computes them."""

from __future__ import annotations

import functools
import importlib
import itertools
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

__all__ = ["SCHEMAS", "register"]

_COMMON = (
    "bool csc=False, bool replace=False, bool directed=True, bool disjoint=False, "
    "str temporal_strategy='uniform', bool return_edge_id=True"
)
SCHEMAS = {
    "pyg::random_walk": (
        "(Tensor rowptr, Tensor col, Tensor seed, int walk_length, float p=1.0, float q=1.0) -> Tensor"
    ),
    "pyg::neighbor_sample": (
        "(Tensor rowptr, Tensor col, Tensor seed, int[] num_neighbors, Tensor? node_time=None, "
        f"Tensor? edge_time=None, Tensor? seed_time=None, Tensor? edge_weight=None, {_COMMON}) "
        "-> (Tensor, Tensor, Tensor, Tensor?, SymInt[], SymInt[])"  # int[] in pyg-lib, which torch.compile cannot trace
    ),
    "pyg::hetero_neighbor_sample": (
        "(str[] node_types, (str, str, str)[] edge_types, Dict(str, Tensor) rowptr_dict, Dict(str, Tensor) col_dict, "
        "Dict(str, Tensor) seed_dict, Dict(str, int[]) num_neighbors_dict, Dict(str, Tensor)? node_time_dict=None, "
        "Dict(str, Tensor)? edge_time_dict=None, Dict(str, Tensor)? seed_time_dict=None, "
        f"Dict(str, Tensor)? edge_weight_dict=None, {_COMMON}) "
        "-> (Dict(str, Tensor), Dict(str, Tensor), Dict(str, Tensor), Dict(str, Tensor)?, Dict(str, int[]), "
        "Dict(str, int[]))"
    ),
    # hetero_neighbor_sample over lists in the order of the types, which torch.compile can trace. Counts are flat.
    "gonextdoor::typed_neighbor_sample": (
        "(str[] node_types, (str, str, str)[] edge_types, Tensor[] rowptr, Tensor[] col, Tensor?[] seed, "
        "int[] num_neighbors, Tensor?[] node_time, Tensor?[] edge_time, Tensor?[] seed_time, Tensor?[] edge_weight, "
        f"{_COMMON}) -> (Tensor[], Tensor[], Tensor[], Tensor[], SymInt[], SymInt[])"
    ),
    "pyg::subgraph": (
        "(Tensor rowptr, Tensor col, Tensor nodes, bool return_edge_id=True) -> (Tensor, Tensor, Tensor?)"
    ),
    "pyg::metis": (
        "(Tensor rowptr, Tensor col, int num_partitions, Tensor? node_weight=None, Tensor? edge_weight=None, "
        "bool recursive=False) -> Tensor"
    ),
    "torch_sparse::hgt_sample": (
        "(Dict(str, Tensor) colptr_dict, Dict(str, Tensor) row_dict, Dict(str, Tensor) input_node_dict, "
        "Dict(str, int[]) num_samples_dict, int num_hops) "
        "-> (Dict(str, Tensor), Dict(str, Tensor), Dict(str, Tensor), Dict(str, Tensor))"
    ),
}
_ANY = ("CompositeExplicitAutograd",)  # of operators on dicts, which name no device
DEVICES = {
    "pyg::random_walk": ("CPU", "CUDA"), "pyg::hetero_neighbor_sample": _ANY, "torch_sparse::hgt_sample": _ANY,
    "gonextdoor::typed_neighbor_sample": _ANY,
}  # fmt: skip

_libraries: list[torch.library.Library] = []  # the operators exist as long as these


def register() -> None:
    """Registers the operators that no other library has."""
    spaces = {qualified.partition("::")[0] for qualified in SCHEMAS}
    libraries = {space: torch.library.Library(space, "FRAGMENT") for space in spaces}
    for qualified, schema in SCHEMAS.items():
        space, _, name = qualified.partition("::")
        if hasattr(getattr(torch.ops, space), name):
            continue
        libraries[space].define(name + schema)
        compute = functools.partial(_compute, name)
        for device in DEVICES.get(qualified, ("CPU",)):
            libraries[space].impl(name, compute, device)
        made = getattr(getattr(torch.ops, space), name)
        _register_fake(qualified, made)
        made.__reduce_ex__ = lambda _, at=(space, name): (operator, at)
    _libraries.extend(libraries.values())


def operator(space: str, name: str) -> Any:
    """An operator that was pickled, as PyG's Node2Vec keeps one."""
    return getattr(getattr(torch.ops, space), name)


def _compute(name: str, *args: Any, **options: Any) -> Any:
    function = getattr(importlib.import_module("gonextdoor.pyg.ops"), name)
    if "torch._dynamo" in sys.modules:
        function = _untraced(function)
    return function(*args, **options)


@functools.cache
def _untraced(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, at whose code torch.compile does not look if it calls the operator between two graphs."""
    untraced: Callable[..., Any] = torch.compiler.disable(function)
    return untraced


@functools.cache
def _skip_compute() -> None:
    """The same for ``_compute``. It imports torch.compile, so it is left to the first trace."""
    torch.compiler.disable(_compute, recursive=False)


# ---- shapes of results, without the results
#
# The number of nodes is the sum of the seeds and the nodes per hop, and no separate size. So torch knows that
# x[:seeds] has as many rows: inductor of torch 2.11 fails on the gradient of a slice that may be shorter than that.


def _sizes(count: int) -> list[Any]:
    """Sizes that depend on the data."""
    return [torch.library.get_ctx().new_dynamic_size() for _ in range(count)]


def _random_walk(rowptr: Tensor, col: Tensor, seed: Tensor, walk_length: int, p: float = 1, q: float = 1) -> Tensor:
    return seed.new_empty((seed.shape[0], walk_length + 1))


def _neighbor_sample(
    rowptr: Tensor,
    col: Tensor,
    seed: Tensor,
    num_neighbors: list[int],
    node_time: Any = None,
    edge_time: Any = None,
    seed_time: Any = None,
    edge_weight: Any = None,
    csc: bool = False,
    replace: bool = False,
    directed: bool = True,
    disjoint: bool = False,
    temporal_strategy: str = "uniform",
    return_edge_id: bool = True,
) -> tuple[Any, ...]:
    hops = len(num_neighbors)
    num_nodes, num_edges = [seed.shape[0], *_sizes(hops)], _sizes(hops)
    nodes, edges = sum(num_nodes), sum(num_edges)
    node = rowptr.new_empty((nodes, 2) if disjoint else (nodes,))
    ids = rowptr.new_empty(edges, dtype=torch.int64) if return_edge_id else None
    return rowptr.new_empty(edges), rowptr.new_empty(edges), node, ids, num_nodes, num_edges


def _typed_neighbor_sample(
    node_types: list[str],
    edge_types: list[tuple[str, str, str]],
    rowptr: list[Tensor],
    col: list[Tensor],
    seed: list[Tensor | None],
    num_neighbors: list[int],
    node_time: list[Tensor | None],
    edge_time: list[Tensor | None],
    seed_time: list[Tensor | None],
    edge_weight: list[Tensor | None],
    csc: bool = False,
    replace: bool = False,
    directed: bool = True,
    disjoint: bool = False,
    temporal_strategy: str = "uniform",
    return_edge_id: bool = True,
) -> tuple[Any, ...]:
    hops = len(num_neighbors) // max(len(edge_types), 1)
    num_nodes = [[0 if ids is None else ids.shape[0], *_sizes(hops)] for ids in seed]
    num_edges = [_sizes(hops) for _ in edge_types]
    row, col, edge = ([torch.empty(sum(part), dtype=torch.int64) for part in num_edges] for _ in range(3))
    sizes = [sum(part) for part in num_nodes]
    node = [torch.empty((size, 2) if disjoint else (size,), dtype=torch.int64) for size in sizes]
    counts = [list(itertools.chain.from_iterable(part)) for part in (num_nodes, num_edges)]
    return row, col, node, edge if return_edge_id else [], *counts


def _subgraph(rowptr: Tensor, col: Tensor, nodes: Tensor, return_edge_id: bool = True) -> tuple[Any, ...]:
    edges = _sizes(1)[0]
    ids = rowptr.new_empty(edges, dtype=torch.int64) if return_edge_id else None
    return rowptr.new_empty(nodes.shape[0] + 1), rowptr.new_empty(edges), ids


def _metis(rowptr: Tensor, col: Tensor, num_partitions: int, *options: Any) -> Tensor:
    return rowptr.new_empty(rowptr.shape[0] - 1)


_SHAPES: dict[str, Callable[..., Any]] = {
    "random_walk": _random_walk,
    "neighbor_sample": _neighbor_sample,
    "typed_neighbor_sample": _typed_neighbor_sample,
    "subgraph": _subgraph,
    "metis": _metis,
}


def _break_graph(operator: Any) -> Any:
    """The shape of an operator on dicts, which no graph of torch can have: torch.compile runs it between two graphs."""
    from torch._subclasses.fake_tensor import DataDependentOutputException

    raise DataDependentOutputException(operator)


def _register_fake(qualified: str, operator: Any) -> None:
    shape = _SHAPES.get(operator.__name__)

    def fake(*args: Any, **options: Any) -> Any:
        _skip_compute()
        return _break_graph(operator.default) if shape is None else shape(*args, **options)

    # Before torch 2.4 it had another name.
    register_fake = getattr(torch.library, "register_fake", None) or torch.library.impl_abstract
    register_fake(qualified)(fake)
