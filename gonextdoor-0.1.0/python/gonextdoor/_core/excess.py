"""How calls on GPUs run whose graph may exceed their memory."""

from __future__ import annotations

from ..errors import DeviceError
from . import native

__all__ = ["FITS", "FROM_HOST", "IN_PARTS", "MAY_EXCEED", "excess_of"]

# The graph fits; it is copied part by part, or row by row; it fits, but perhaps not beside what else the GPU has; the
# CPU makes the samples. The core's numbers (gonextdoor.Excess).
FITS, IN_PARTS, MAY_EXCEED, FROM_HOST = range(4)


def excess_of(graph: int, app: int, roots: int, ids: tuple[int, ...], *, edges: bool) -> int:
    """Returns how GPUs run an app with that many roots per sample, with or without edge ids.

    graph and app are handles of the core. A GPU that cannot be used is reported by the call itself.
    """
    try:
        return int(native.call("DeviceExcess", graph, app, roots, sum(1 << id for id in ids), edges))
    except DeviceError:
        return FITS
