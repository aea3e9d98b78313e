"""Functions of modules above the caller, which the method of a class calls on behalf of the user."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["adapter"]

# Graph.from_pyg calls gonextdoor.pyg.graphs.from_pyg, and so on. These modules import the class and an optional
# package, so the class imports them at the first call. A URI is opened and written by gonextdoor.storage.
MODULES = {
    "fetching": "gonextdoor.storage.opening",
    "from_pyg": "gonextdoor.pyg.graphs",
    "from_dgl": "gonextdoor.dgl.graphs",
    "located": "gonextdoor.storage.location",
    "open_uri": "gonextdoor.storage.opening",
    "plot": "gonextdoor.plot",
    "pipeline": "gonextdoor.plot.pipelines",
    "updated": "gonextdoor.sampling.updated",
    "uploading": "gonextdoor.storage.uploads",
}


def adapter(name: str) -> Any:
    """The function of that name.

    Raises:
        ImportError: an optional package is missing.
    """
    return getattr(importlib.import_module(MODULES[name]), name)
