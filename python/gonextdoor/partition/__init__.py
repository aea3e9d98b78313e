"""Partitioned graphs: graphs in several parts, for graphs larger than the memory of a machine.

``write`` divides a graph that this machine can open, ``convert`` edges in Parquet files, and ``open`` opens the
folder. ``sample``, ``visit_counts`` and ``end_points`` make walks on the parts, which a ``Transport`` reaches.
docs/partition.md specifies the folder.
"""

from .assign import owners
from .convert import convert
from .dglchunks import read_dgl
from .graph import PartitionedGraph, open, split
from .part import Cohort, Part, PartLostError, Recorded, Report
from .pygfolder import read_pyg
from .sample import end_points, sample, visit_counts
from .transport import InProcess, Superstep, Transport
from .write import write

__all__ = [
    "Cohort",
    "InProcess",
    "Part",
    "PartLostError",
    "PartitionedGraph",
    "Recorded",
    "Report",
    "Superstep",
    "Transport",
    "convert",
    "end_points",
    "open",
    "owners",
    "read_dgl",
    "read_pyg",
    "sample",
    "split",
    "visit_counts",
    "write",
]
