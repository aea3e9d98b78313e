"""Puts the stand-in for pyg-lib in place."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import pathlib
import sys
import types
import warnings
from collections.abc import Sequence

from .._core.modules import loaded_modules

__all__ = ["install"]

FOLDER = str(pathlib.Path(__file__).parents[1] / "standin")


def install() -> bool:
    """Makes PyG's own loaders and models work without pyg-lib, torch-sparse and torch-cluster, of which PyPI has no
    wheels.

    If no pyg-lib is installed, this package's stand-in is imported under that name: it registers the operators of
    ``torch.ops.pyg`` that sample or partition, and ``torch_sparse::hgt_sample``. PyG's flags for them are set, also in
    modules that have copied them. Without torch-sparse, classes of ``torch_geometric.loader`` that need it are replaced
    by those of the same name in ``gonextdoor.pyg``, and PyG's own loaders support ``subgraph_type="induced"``.

    Two other ways have the same effect, without a change of the program: ``python -m gonextdoor.pyg program.py``, and
    the package gonextdoor-pyg, which works by being installed.

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
    if "pyg_lib" not in sys.modules and importlib.util.find_spec("pyg_lib") is None:
        sys.meta_path.append(Finder())
    try:
        pyg_lib = importlib.import_module("pyg_lib")
    except Exception as why:  # it loads a library, which may raise anything
        _warn(f"pyg-lib is installed and cannot be imported ({type(why).__name__}: {why}); repair or uninstall it")
        return False
    if not getattr(pyg_lib, "STANDS_IN", False):
        _warn("pyg-lib is installed, and its operators stay in use")
        return False
    pyg_lib.pygnames.set_names(loaded_modules())
    return True


class Finder(importlib.abc.MetaPathFinder):
    """Finds the stand-in. It is the last finder, so that a real pyg-lib is found before."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.PathFinder.find_spec(name, [FOLDER]) if name == "pyg_lib" else None


def _warn(text: str) -> None:
    warnings.warn(f"gonextdoor.pyg.install: {text}", stacklevel=3)
