"""Features of vertices or edges: rows that are read by id, from arrays, tensors and files.

The rows that a batch needs are copied by the core on several CPU threads. ``open`` makes a ``Features`` of a source
without copying it; ``features[ids]`` equals ``source[ids]``.
"""

from .counts import Stats
from .opening import open
from .pending import PendingRead, PendingReads
from .store import Features
from .typed import TypedFeatures

__all__ = ["Features", "PendingRead", "PendingReads", "Stats", "TypedFeatures", "open"]
