"""Partitioned graphs: folders with the rows of a graph in several parts, for graphs larger than memory.

``write`` divides a graph that this machine can open, ``convert`` edges in Parquet files. docs/partition.md specifies
the folder.
"""

from .assign import owners
from .convert import convert
from .dglchunks import read_dgl
from .pygfolder import read_pyg
from .write import write

__all__ = ["convert", "owners", "read_dgl", "read_pyg", "write"]
