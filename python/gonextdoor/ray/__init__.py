"""Ray: samples graphs on a cluster, as datasets of Ray Data or as Parquet files, and divides graphs."""

from .conversion import convert
from .datasets import sample
from .explanation import RunPlan, explain
from .transport import ActorTransport
from .written import Written, write

__all__ = ["ActorTransport", "RunPlan", "Written", "convert", "explain", "sample", "write"]


def __dir__() -> list[str]:
    return sorted(__all__)
