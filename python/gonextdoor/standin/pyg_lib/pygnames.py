"""PyG's flags, and those of its names that gonextdoor replaces if torch-sparse is missing."""

from __future__ import annotations

import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

__all__ = ["await_pyg", "set_names"]

FLAGS = ("WITH_PYG_LIB", "WITH_METIS", "WITH_EDGE_TIME_NEIGHBOR_SAMPLE", "WITH_WEIGHTED_NEIGHBOR_SAMPLE")

# Names of gonextdoor.pyg that replace those of PyG, by PyG's names. A name that gonextdoor.pyg has not stays PyG's.
LOADERS = {
    name: name for name in (
        "ShaDowKHopSampler", "GraphSAINTSampler", "GraphSAINTNodeSampler", "GraphSAINTEdgeSampler",
        "GraphSAINTRandomWalkSampler", "ClusterData", "ClusterLoader", "RandomNodeLoader", "HGTLoader",
    )
} | {"NeighborSampler": "BipartiteLoader"}  # fmt: skip
FUNCTIONS = ("negative_sampling", "structured_negative_sampling", "get_ppr")


def await_pyg() -> None:
    """Replaces names as soon as PyG has defined them. Its flags it sets itself."""
    if "torch_geometric.loader" not in sys.modules:
        sys.meta_path.insert(0, _Hooks())


def set_names(modules: Iterable[types.ModuleType]) -> None:
    """Sets PyG's flags, and replaces names, in modules that were imported before: PyG's, and others that copied from
    it."""
    ours, loader, utils = map(importlib.import_module, ("gonextdoor.pyg", "torch_geometric.loader", UTILS))
    _flag_hgt(sys.modules[HGT])
    _induce(sys.modules[NEIGHBOR])
    replaced = [(name, vars(utils)[name], _calling(vars(utils)[name])) for name in _functions() if hasattr(ours, name)]
    if not _torch_sparse():
        replaced += [
            (name, vars(loader).get(name), getattr(ours, own)) for name, own in LOADERS.items() if hasattr(ours, own)
        ]
    for module in modules:
        names = vars(module)
        for flag in FLAGS:
            if names.get(flag) is False:
                setattr(module, flag, True)
        if names.get("pyg_lib") is object:  # PyG's mark that there is none
            setattr(module, "pyg_lib", sys.modules["pyg_lib"])  # noqa: B010
        _replace([module], replaced)


Replaced = Iterable[tuple[str, Any, Any]]  # name, PyG's object, ours


def _replace(modules: Iterable[types.ModuleType], replaced: Replaced) -> None:
    for module in modules:
        for name, theirs, ours in replaced:
            if theirs is not None and vars(module).get(name) is theirs:
                setattr(module, name, ours)


def _flag_hgt(module: types.ModuleType) -> None:
    """HGTSampler needs one operator of torch-sparse, which is registered. This copy of the flag asks for nothing
    else."""
    module.WITH_TORCH_SPARSE = True  # type: ignore[attr-defined]


def _induce(module: types.ModuleType) -> None:
    """Lets PyG's NeighborSampler draw induced subgraphs without torch-sparse."""
    kind = vars(module)["NeighborSampler"]
    theirs = kind._sample

    @functools.wraps(theirs)
    def sample(self: Any, *args: Any, **options: Any) -> Any:
        return importlib.import_module("gonextdoor.pyg.inducing").sample(theirs, self, *args, **options)

    if not hasattr(theirs, "__wrapped__"):
        kind._sample = sample


def _wrap_functions(utils: types.ModuleType) -> None:
    replaced = [(name, theirs, _calling(theirs)) for name in _functions() if (theirs := vars(utils).get(name))]
    _replace([module for name, module in list(sys.modules.items()) if name.startswith("torch_geometric")], replaced)


def _functions() -> Iterable[str]:
    """Those to replace: PyG's own get_ppr, which is not random, stays if it has numba."""
    return [name for name in FUNCTIONS if name != "get_ppr" or not sys.modules[f"{UTILS}.ppr"].WITH_NUMBA]


def _calling(theirs: Callable[..., Any]) -> Callable[..., Any]:
    """A function that calls gonextdoor's of that name, and imports it then: PyG is not complete yet."""

    @functools.wraps(theirs)
    def call(*args: Any, **options: Any) -> Any:
        return getattr(importlib.import_module("gonextdoor.pyg"), theirs.__name__, theirs)(*args, **options)

    return call


def _defer_classes(loader: types.ModuleType) -> None:
    """Makes the loader package look up classes in gonextdoor.pyg when they are asked for."""
    if _torch_sparse():
        return
    theirs = {name: vars(loader).pop(name) for name in LOADERS if name in vars(loader)}

    def __getattr__(name: str) -> Any:
        if name not in theirs:
            raise AttributeError(f"module {loader.__name__!r} has no attribute {name!r}")
        if not hasattr(sys.modules["torch_geometric"], "__version__"):  # PyG is being imported
            return theirs[name]
        return getattr(importlib.import_module("gonextdoor.pyg"), LOADERS[name], theirs[name])

    loader.__getattr__ = __getattr__  # type: ignore[method-assign]


def _torch_sparse() -> bool:
    return bool(sys.modules["torch_geometric.typing"].WITH_TORCH_SPARSE)


UTILS, SAMPLER = "torch_geometric.utils", "torch_geometric.sampler"
HGT, NEIGHBOR = f"{SAMPLER}.hgt_sampler", f"{SAMPLER}.neighbor_sampler"


class _Hooks(importlib.abc.MetaPathFinder):
    """Changes modules of PyG right after they were executed."""

    def __init__(self) -> None:
        self._changes = {
            HGT: _flag_hgt, NEIGHBOR: _induce, UTILS: _wrap_functions, "torch_geometric.loader": _defer_classes,
        }  # fmt: skip

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        change = self._changes.pop(name, None)
        if change is None:
            return None
        if not self._changes:
            sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)  # by the other finders
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module: types.ModuleType) -> None:
            execute(module)
            if module.__name__ == name:  # some loaders load several modules
                change(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
