"""gonextdoor: samples large graphs for graph machine learning.

A given seed produces the same samples on any number of threads, on CPUs and GPUs, and however a run is split.
``gonextdoor.rng`` documents the random words.

Examples:
    >>> import gonextdoor as gnd
    >>> graph = gnd.rmat(10, seed=1)
    >>> walks = gnd.sample(graph, gnd.apps.DeepWalk(length=80), repeat=10, seed=1)
    >>> walks.numpy().shape
    (10240, 81)
"""

import importlib
from typing import TYPE_CHECKING, Any

from . import apps, rng
from ._core import advice
from ._version import __version__
from .errors import DeviceError, FormatError, InputWarning
from .graph.graph import Graph
from .graph.hetero import HeteroGraph
from .graph.placement import Placement
from .graph.reading import read
from .graph.rmat import rmat
from .samples.samples import Samples
from .sampling.explain import explain
from .sampling.explanation import Explanation
from .sampling.sample import sample

__all__ = [
    "INF",
    "NULL",
    "App",
    "AppError",
    "Block",
    "DeviceError",
    "Explanation",
    "FormatError",
    "Graph",
    "HeteroGraph",
    "InputWarning",
    "Loader",
    "NeighborBatch",
    "NeighborSampler",
    "NextDoor",
    "PGSampler",
    "Placement",
    "PlantedPartition",
    "Samples",
    "Scores",
    "Stream",
    "StreamUpdate",
    "Table",
    "__version__",
    "apps",
    "embeddings",
    "end_points",
    "explain",
    "features",
    "fixed",
    "loader",
    "negatives",
    "partition",
    "personalized_pagerank",
    "planted_partition",
    "plot",
    "ranges",
    "read",
    "rmat",
    "rng",
    "saint",
    "sample",
    "stream",
    "table",
    "visit_counts",
]

if TYPE_CHECKING:
    from . import embeddings, features, partition, plot, ranges, saint
    from .graph.planted import PlantedPartition, planted_partition
    from .neighbor.batch import NeighborBatch
    from .neighbor.blocks import Block, PGSampler
    from .neighbor.loader import Loader, loader
    from .neighbor.sampler import NeighborSampler
    from .pagerank.pagerank import personalized_pagerank
    from .pagerank.scores import Scores
    from .sampling.counts import end_points, visit_counts
    from .sampling.negatives import negatives
    from .sampling.nextdoor import NextDoor
    from .sampling.stream import Stream, StreamUpdate, stream
    from .udf import INF, NULL, App, AppError, Table, fixed
    from .udf.table import table
else:  # for type checkers, only the names above exist
    # public modules that are imported at their first use
    _LAZY = ("embeddings", "features", "partition", "plot", "ranges", "saint")
    # and modules that define public names
    _DEFINING = {
        "graph.planted": ("PlantedPartition", "planted_partition"),
        "neighbor.batch": ("NeighborBatch",),
        "neighbor.blocks": ("Block", "PGSampler"),
        "neighbor.loader": ("Loader", "loader"),
        "neighbor.sampler": ("NeighborSampler",),
        "pagerank.pagerank": ("personalized_pagerank",),
        "pagerank.scores": ("Scores",),
        "sampling.counts": ("end_points", "visit_counts"),
        "sampling.negatives": ("negatives",),
        "sampling.nextdoor": ("NextDoor",),
        "sampling.stream": ("Stream", "StreamUpdate", "stream"),
        "udf": ("INF", "NULL", "App", "AppError", "Table", "fixed"),
        "udf.table": ("table",),
    }
    _MODULES = {name: module for module, names in _DEFINING.items() for name in names}

    def __getattr__(name: str) -> Any:
        """Imports what is public at its first use; otherwise suggests the app or the name that was probably meant."""
        if name in _LAZY:
            return importlib.import_module(f"{__name__}.{name}")
        if name in _MODULES:
            found = globals()[name] = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
            return found
        hint = advice.instead("gonextdoor", name)
        if not hint and hasattr(Graph, name) and name.startswith("from_"):
            hint = f": use gonextdoor.Graph.{name}"
        elif name.lower() in map(str.lower, apps.__all__):
            hint = advice.meant(name, apps.__all__, "gonextdoor.apps.")
        elif not hint and not name.startswith("_"):
            hint = advice.meant(name, __all__)
        raise advice.attribute_error(__name__, name, hint)


def __dir__() -> list[str]:
    """The public names, without the subpackages."""
    return sorted(__all__)
