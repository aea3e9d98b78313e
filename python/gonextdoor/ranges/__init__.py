"""Sampling of ranges of ids: a run divided into parts that any machine makes, as Arrow tables or Parquet files.

``gonextdoor.ray`` runs them on a Ray cluster; Dask, Spark and batch systems run the same functions.
"""

from .minibatches import MiniBatches
from .pagerank import PageRank
from .ranges import Ranges

__all__ = ["MiniBatches", "PageRank", "Ranges"]


def __dir__() -> list[str]:
    return sorted(__all__)
