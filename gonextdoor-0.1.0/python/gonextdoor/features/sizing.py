"""Workspace: the GPU memory that is left for caches while batches are used."""

from __future__ import annotations

from collections.abc import Sequence

from .._core import native
from ..device.devices import among

__all__ = ["Workspace"]

BATCHES = 8  # that are read before caches are opened; the caller has used the first of them by then
MARGIN = 0.25  # of the measured workspace, which is left free besides


class Workspace:
    """Measures how much GPU memory graphs, batches and the caller's steps leave, over the first batches of a loader.

    Frameworks keep the memory of their largest step, so what is free after some steps excludes it. A quarter of the
    memory that was taken meanwhile is left free besides, for larger batches.

    Args:
        devices: the GPUs that batches use.

    Raises:
        DeviceError: a GPU cannot be used.
    """

    def __init__(self, devices: Sequence[str]) -> None:
        self._ids = among(list(devices)) or ()
        self._first = self._free()
        self._least = list(self._first)
        self._batches = 0

    def observe(self) -> bool:
        """Measures before a batch is read, and returns whether there have been enough of them."""
        self._least = [min(pair) for pair in zip(self._least, self._free(), strict=True)]
        self._batches += 1
        return self._batches >= BATCHES

    def room(self) -> int:
        """The bytes that caches may take of each GPU."""
        taken = zip(self._first, self._least, strict=True)
        return max(0, min(int(least - MARGIN * (first - least)) for first, least in taken))

    def _free(self) -> list[int]:
        return [int(native.call("FeatureMemory", id)) for id in self._ids]
