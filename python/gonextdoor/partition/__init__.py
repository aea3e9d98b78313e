"""Partitioned graphs: graphs in several parts, for graphs larger than the memory of a machine.

``write`` divides a graph that this machine can open, ``convert`` edges in Parquet files, and ``open`` opens the
folder. ``sample``, ``visit_counts`` and ``end_points`` make walks on the parts, which a ``Transport`` reaches.
docs/partition-internals.md specifies the folder.
"""

from .assign import owners
from .convert import convert
from .dglchunks import read_dgl
from .exchange import Traffic
from .graph import PartitionedGraph
from .hetero import PartitionedHeteroGraph
from .loader import loader
from .opening import open
from .part import Cohort, Part, PartLostError, Recorded, Report
from .pygfolder import read_pyg
from .sample import end_points, sample, visit_counts
from .sampler import NeighborSampler
from .split import split
from .transport import InProcess, Transport
from .write import write

__all__ = [
    "Cohort",
    "InProcess",
    "NeighborSampler",
    "Part",
    "PartLostError",
    "PartitionedGraph",
    "PartitionedHeteroGraph",
    "Recorded",
    "Report",
    "Traffic",
    "Transport",
    "convert",
    "end_points",
    "loader",
    "open",
    "owners",
    "read_dgl",
    "read_pyg",
    "sample",
    "split",
    "visit_counts",
    "write",
]


def __dir__() -> list[str]:
    return sorted(__all__)
