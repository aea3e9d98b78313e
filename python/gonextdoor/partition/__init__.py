"""Partitioned graphs: folders with the rows of a graph in several parts, for graphs larger than memory.

``write`` divides a graph that this machine can open. docs/partition.md specifies the folder.
"""

from .assign import owners
from .write import write

__all__ = ["owners", "write"]
