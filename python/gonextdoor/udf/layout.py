"""The structs that compiled hooks read, as the core's package hook lays them out, and the kinds of faults."""

from __future__ import annotations

__all__ = ["ARRAYS", "BLOCK", "MAX_ARRAYS", "MAX_PARAMETERS", "NO_VERTEX", "PARAMETERS", "RUN", "Kind"]

MAX_PARAMETERS, MAX_ARRAYS = 32, 16
NO_VERTEX = 0xFFFFFFFF  # in columns of uint32

_RUN = (
    "Indptr", "Indices", "Weights", "Labels", "Times", "EdgeIDs", "Largest", "Prefix", "Slots", "Fault", "Vertices",
    "Edges", "First", "EdgeIDSize", "SetBuckets", "SetBits", "SetShift", "Mirrored",
)  # fmt: skip
_BLOCK = (
    "Run", "N", "Step", "Row", "Transit", "Prev", "PrevEdge", "Slot", "Size", "Key", "Words", "Sample", "Ends", "Roots",
    "Edge", "Dst", "Out",
)  # fmt: skip

RUN = {name: 8 * i for i, name in enumerate(_RUN)}  # byte offsets; all fields have 8 bytes
PARAMETERS = 8 * len(_RUN)
ARRAYS = PARAMETERS + 8 * MAX_PARAMETERS  # pairs of address and length
BLOCK = {name: 8 * i for i, name in enumerate(_BLOCK)}


class Kind:
    """What went wrong inside a hook."""

    OUT_OF_ARRAY, NO_VERTEX, NO_EDGE, NEGATIVE, TOO_LARGE, DIVIDED_BY_ZERO, OVERFLOW, FAILED = range(1, 9)
    NOT_A_VERTEX, ABOVE_BOUND, NOT_FINITE, ENDLESS, NOT_A_NEIGHBOR, NEVER_ENDS, BAD_FANOUT, NEGATIVE_ROOT = range(9, 17)
