"""Compiled hooks: their machine code in memory, and the contents of their cache files."""

from __future__ import annotations

import json
import mmap
import os

import numpy as np

from . import cache

__all__ = ["Code"]

KIND = "gonextdoor hooks 1"  # of files


class Code:
    """Machine code in memory. ``addresses`` has those of its kernels, which are the same in a forked child.

    Args:
        kernels: the offset of each kernel in flat code, or its address if another object holds the code.
        code: the flat code, or the object that holds it.
    """

    def __init__(self, kernels: dict[str, int], code: object) -> None:
        self.kernels, self.code, start = kernels, code, 0
        if isinstance(code, bytes):
            self._memory = _executable(code)
            start = int(np.frombuffer(self._memory, np.uint8).__array_interface__["data"][0])
        self.addresses = {name: start + place for name, place in kernels.items()}

    def packed(self) -> bytes | None:
        """The contents of a file: a line of kernels, the code; None for code that is not flat."""
        if not isinstance(self.code, bytes):
            return None
        body = json.dumps(self.kernels, sort_keys=True).encode() + b"\n" + self.code
        return cache.sealed(KIND, body)

    @classmethod
    def unpacked(cls, data: bytes | None) -> Code | None:
        """The code of a cache file; None if it is damaged or something else."""
        body = cache.opened(KIND, data)
        if body is None:
            return None
        line, _, code = body.partition(b"\n")
        return cls(json.loads(line), code)


def _executable(code: bytes) -> mmap.mmap:
    """Memory that holds the code, and can be run but not written."""
    descriptor = os.memfd_create("gonextdoor hooks")
    try:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(code)
        return mmap.mmap(descriptor, len(code), flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC)
    finally:
        os.close(descriptor)
