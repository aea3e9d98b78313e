"""Stands in for pyg-lib: registers the operators that PyG's own loaders and models call."""

from __future__ import annotations

import gc
import sys
import types
import warnings
from collections.abc import Iterable
from multiprocessing.reduction import ForkingPickler
from typing import Any

import torch
import torch_geometric.typing
from torch_geometric.nn import Node2Vec
from torch_geometric.sampler import HGTSampler, NeighborSampler, hgt_sampler

from . import hgt, ops
from .inducing import inducing

__all__ = ["install"]

FLAGS = ("WITH_PYG_LIB", "WITH_EDGE_TIME_NEIGHBOR_SAMPLE", "WITH_WEIGHTED_NEIGHBOR_SAMPLE")

_libraries: list[Any] = []


def install() -> bool:
    """Makes PyG's own NeighborLoader, LinkNeighborLoader, Node2Vec, RootedRWSubgraph and ``dropout_path`` work without
    pyg-lib, and HGTLoader without torch-sparse, which have no wheels on PyPI.

    It registers ``pyg::random_walk``, ``pyg::neighbor_sample``, ``pyg::hetero_neighbor_sample`` and
    ``torch_sparse::hgt_sample`` with PyTorch, and sets PyG's flags for them, also in modules that have copied them.
    PyG's own loaders support ``subgraph_type="induced"`` then, without torch-sparse too. Its other loaders that need
    torch-sparse are classes of ``gonextdoor.pyg``.

    Samples follow ``torch.manual_seed``; in workers they depend on the epoch and the batch, not on the worker, for
    every start method. Graphs are built from the tensors at their first use and kept while these are alive and
    unchanged. ``install`` may be called again.

    Returns:
        Whether this package's operators are in use. False if pyg-lib is installed, with a warning.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> from torch_geometric.nn import Node2Vec
        >>> gnd.pyg.install()
        True
        >>> model = Node2Vec(torch.tensor([[0, 1], [1, 0]]), embedding_dim=8, walk_length=4, context_size=2)
        >>> positive, negative = next(iter(model.loader(batch_size=2)))
        >>> positive.shape
        torch.Size([6, 2])
    """
    found = _install()
    if found:
        _set_flags(module for module in gc.get_objects() if issubclass(type(module), types.ModuleType))
    return found


def _install() -> bool:
    """``install`` without a search for modules that ``sys.modules`` does not have, which takes 0.1 s."""
    if not _libraries:
        if torch_geometric.typing.WITH_PYG_LIB:
            warnings.warn("gonextdoor.pyg.install: pyg-lib is installed, and its operators stay in use", stacklevel=3)
            return False
        _libraries.extend(_registered())
    _set_flags(module for module in list(sys.modules.values()) if issubclass(type(module), types.ModuleType))
    return True


def _set_flags(modules: Iterable[types.ModuleType]) -> None:
    """Sets PyG's flags in modules that have them: PyG's, and those of others that copied them at their import."""
    for module in modules:
        for flag in FLAGS:
            if vars(module).get(flag) is False:
                setattr(module, flag, True)


def _registered() -> list[Any]:
    """The operators, as long as this lives."""
    library = torch.library.Library("pyg", "FRAGMENT")
    for name, schema in ops.SCHEMAS.items():
        library.define(name + schema)
    library.impl("random_walk", ops.walk, "CPU")
    library.impl("random_walk", ops.walk, "CUDA")
    library.impl("neighbor_sample", ops.neighbor_sample, "CPU")
    # Dicts name no device, so that one function serves all.
    library.impl("hetero_neighbor_sample", ops.hetero_neighbor_sample, "CompositeExplicitAutograd")
    # A spawned worker has none of this until it unpickles what it is to run.
    for kind in (HGTSampler, NeighborSampler, Node2Vec):
        ForkingPickler.register(kind, _reduce)
    ForkingPickler.register(type(torch.ops.pyg.random_walk), _reduce_operator)
    NeighborSampler._sample = inducing(NeighborSampler._sample)
    if torch_geometric.typing.WITH_TORCH_SPARSE:
        return [library]
    sparse = torch.library.Library("torch_sparse", "FRAGMENT")
    sparse.define("hgt_sample" + hgt.SCHEMA)
    sparse.impl("hgt_sample", hgt.hgt_sample, "CompositeExplicitAutograd")
    hgt_sampler.WITH_TORCH_SPARSE = True  # this module's own flag; it asks for nothing else
    return [library, sparse]


def _reduce(value: Any) -> Any:
    return _revived, (type(value), vars(value))


def _revived(kind: type, state: dict[str, Any]) -> Any:
    _install()
    value: Any = object.__new__(kind)
    value.__dict__.update(state)
    return value


def _reduce_operator(operator: Any) -> Any:
    space, _, name = operator._qualified_op_name.partition("::")
    if space != "pyg" or name not in ops.SCHEMAS:
        return operator.__reduce_ex__(4)
    return _operator, (name,)


def _operator(name: str) -> Any:
    _install()
    return getattr(torch.ops.pyg, name)
