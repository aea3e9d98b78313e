"""Prototype: the hand-written Go engines that the package is measured against: building, running, their graph file."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]


class Prototype:
    """A prototype's program, compiled from a copy of its folder; removed at the end."""

    def __init__(self, source: str) -> None:
        if not (Path(source) / "go.mod").is_file():
            sys.exit(f"--prototype {source}: expected a folder with go.mod")
        self._folder = tempfile.TemporaryDirectory(prefix="prototype-")
        copy = Path(self._folder.name) / "source"
        shutil.copytree(source, copy)
        self.program = str(Path(self._folder.name) / "program")
        subprocess.run(["go", "build", "-o", self.program, "."], cwd=copy, check=True)

    def run(self, *arguments: str) -> float:
        """Runs it and gives the median rate that it prints, in millions per second of wall time."""
        printed = subprocess.run([self.program, *arguments], check=True, capture_output=True, text=True).stdout
        found = re.search(r"wall med\s+([\d.]+)", printed)
        if found is None:
            sys.exit(f"the prototype printed no median: {printed!r}")
        return float(found[1])


def read_graph(folder: str) -> tuple[Array, Array, Array]:
    """indptr, indices and weights of a g.bin: u64 n, m; u64 offsets[n+1]; u32 neighbours[m]; f32 weights[m]."""
    with open(Path(folder) / "g.bin", "rb") as file:
        n, m = np.fromfile(file, np.uint64, 2).astype(int)
        indptr = np.fromfile(file, np.uint64, n + 1).astype(np.int64)
        indices = np.fromfile(file, np.uint32, m)
        weights = np.fromfile(file, np.float32, m)
    if len(weights) != m:
        sys.exit(f"{folder}/g.bin is cut short: expected {m} weights, found {len(weights)}")
    return indptr, indices, weights


def roots(count: int, vertices: int) -> Array:
    """The vertices at which the prototype's walkers start."""
    return below(mix(np.arange(count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(99)), vertices)


def mix(x: Array) -> Array:
    """The prototype's hash, lea64: two multiplications, shifts by 32."""
    x = x ^ x >> np.uint64(32)
    for _ in range(2):
        x = x * np.uint64(0xD6E8FEB86659FD93)
        x = x ^ x >> np.uint64(32)
    return x


def below(words: Array, n: int) -> Array:
    """The high half of words * n, for n below 2^32."""
    low, high = words & np.uint64(0xFFFFFFFF), words >> np.uint64(32)
    return (high * np.uint64(n) + (low * np.uint64(n) >> np.uint64(32)) >> np.uint64(32)).astype(np.int64)
