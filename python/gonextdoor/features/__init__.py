"""Features of vertices or edges: rows that are read by id, from arrays, tensors and files.

The rows that a batch needs are copied by the core on several CPU threads. ``open`` makes a ``Features`` of a source
without copying it; ``features[ids]`` equals ``source[ids]``.
"""

from .cached import cached
from .cachedfeatures import CachedFeatures, PendingRows, read_all
from .counts import Stats
from .opening import open
from .pending import PendingRead, PendingReads
from .policies import count_visits
from .rows import DeviceRows
from .shared import SharedFeatures
from .store import Features
from .typed import TypedFeatures

__all__ = [
    "CachedFeatures",
    "DeviceRows",
    "Features",
    "PendingRead",
    "PendingReads",
    "PendingRows",
    "SharedFeatures",
    "Stats",
    "TypedFeatures",
    "cached",
    "count_visits",
    "open",
    "read_all",
]


def __dir__() -> list[str]:
    return sorted(__all__)
