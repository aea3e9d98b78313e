"""Ray: samples graphs on a cluster, as datasets of Ray Data or as Parquet files."""

from .datasets import sample
from .written import Written, write

__all__ = ["Written", "sample", "write"]
