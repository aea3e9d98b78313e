"""Call: one sampling call of the core, from checked arguments to arrays."""

from __future__ import annotations

import math
import threading
import time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._core import memory, native, running
from ..apps import SamplingApp
from ..device import devices
from ..graph.graph import Graph
from ..samples.device import HEADER, DeviceResult
from ..samples.host import HostResult
from ..samples.layers import Layers
from . import roots as _roots

__all__ = ["Call"]

Array = npt.NDArray[Any]

_INT32 = np.dtype(np.int32)


class Call:
    """One run of the core."""

    __slots__ = ("app", "asked", "devices", "given", "graph", "progress", "roots", "rows", "seconds", "warm", "width")

    def __init__(
        self,
        graph: Graph,
        app: SamplingApp,
        roots: _roots.Roots,
        asked: tuple[int, int, int, int],  # repeat, seed, first id, threads
        progress: bool | None,
        ids: tuple[int, ...] | None,
    ) -> None:
        self.graph, self.app, self.progress, self.given = graph, app, progress, (roots, asked)
        self.rows, self.width, workers = roots.count * asked[0], roots.width, asked[3]
        expected = estimate(graph, app, self.rows, self.width, workers)
        self.devices = self._paying(expected, roots) if ids is None else ids
        self.roots = roots.among(self.devices)
        self.asked = (*self.roots.crossing(), *asked)
        self.warm = (type(app), self.devices)
        self.seconds = expected.until(len(self.devices), tables=self.warm not in graph._warm)

    def on(self, ids: tuple[int, ...]) -> Call:
        """The same run on other devices."""
        return Call(self.graph, self.app, *self.given, self.progress, ids)

    def _paying(self, expected: Estimate, roots: _roots.Roots) -> tuple[int, ...]:
        """The GPU that is expected to run this sooner than the CPU, or that has the roots."""
        ids = devices.preferred()
        if ids is None and roots.held is not None:
            ids = (roots.held.device,)
        if ids == devices.CPU or (ids is None and expected.cpu < expected.gpu):
            return devices.CPU
        asked = self.graph._held.number, self.app._planned().number, self.width
        if ids is not None:
            wanted = ids if native.call("DeviceRuns", *asked) else devices.CPU
        else:
            id = native.call("DeviceFor", *asked, expected.cpu, expected.gpu)
            wanted = devices.CPU if id < 0 else (id,)
        try:
            if wanted:
                self.app._held_on(self.graph, self.width, wanted[0])
        except ImportError:  # nothing here compiles functions of the user's for a GPU
            return devices.CPU
        return wanted

    def made(self, vertex: np.dtype[Any], edges: bool) -> HostResult | DeviceResult:
        """The samples, of the app's kind."""
        began = time.perf_counter()
        result: HostResult | DeviceResult
        if len(self.devices) == 1 and not self.app.layered(self.width):
            result = self.on_device(vertex, edges)
        else:
            result = self.on_host(vertex, edges)
            result.seconds = time.perf_counter() - began
        self.graph._warm.add(self.warm)
        return result

    def on_device(self, vertex: np.dtype[Any], edges: bool) -> HostResult | DeviceResult:
        """Samples that stay on the GPU, or come to the host where the GPU's memory is too small for them."""
        header, where = _header.there
        header[-1] = 0
        try:
            number = self._run("SampleOnDevice", self.devices[0], edges, vertex.itemsize, where)
        except BaseException:  # the call may have ended all the same
            if header[-1]:
                native.call("DropResult", int(header[-1]))
            raise
        if number:
            return DeviceResult(number, header.tolist(), vertex, edges)
        return self.on_host(vertex, edges)

    def tally(self, counts: Array | None, ends: Array | None) -> None:
        """Adds visits to counts, (num_vertices,) int64, and writes last vertices to ends, (rows,) int32."""
        where = [0 if a is None else memory.address(a) for a in (counts, ends)]
        self._run("Tally", self._mask(), where[0], self.graph.num_vertices, where[1], self.rows)
        self.graph._warm.add(self.warm)

    def on_host(self, vertex: np.dtype[Any], edges: bool) -> HostResult:
        """Samples in this machine's memory."""
        if self.app.layered(self.width):
            return self.layers(vertex, edges)
        return self.ragged(vertex, edges) if self.app.width(self.width) is None else self.matrix(vertex, edges)

    def matrix(self, vertex: np.dtype[Any], edges: bool) -> HostResult:
        """Samples of one width: (rows, slots), and the edges' ids (rows, slots - roots)."""
        slots = self.app.width(self.width) or 0
        self._fits(self.rows * (slots * vertex.itemsize + 8 * (slots - self.width) * edges))
        out = memory.empty((self.rows, slots), vertex)
        ids = memory.empty((self.rows, slots - self.width), np.int64) if edges else None
        # An address even where there is nothing to write: 0 means that edges are not wanted.
        where = 0 if ids is None else memory.address(ids)
        self._run("Sample", self._mask(), memory.address(out), self.rows, slots, vertex.itemsize, where)
        return HostResult(out, None, ids)

    def ragged(self, vertex: np.dtype[Any], edges: bool) -> HostResult:
        """Samples that differ in length: values, offsets (rows + 1,) and the edges' ids, -1 at roots."""
        self._check(4 + 8 * edges, vertex)
        offsets, values, ids, total = self._lent("SampleRagged", edges, 3, 1)
        held = memory.wrap(offsets, (self.rows + 1,), np.int64)
        recorded = memory.wrap(ids, (total,), np.int64) if edges else None
        return HostResult(_of_type(vertex, memory.wrap(values, (total,), np.int32)), held, recorded)

    def layers(self, vertex: np.dtype[Any], edges: bool) -> HostResult:
        """Layered samples: values, offsets (rows + 1,), the edges' ids, -1 at roots, and all that they know besides."""
        self._check(8 + 8 * edges, vertex)
        *blocks, total, ends, links = self._lent("SampleLayers", edges, 11, 3)
        rows = self.rows + 1
        sizes = [rows, total, total, total, rows, ends, rows, links, links, links, links]
        i4, i8, f8 = np.int32, np.int64, np.float64
        kinds = [i8, i4, i8, i4, i8, i4, i8, i4, i4, i8, f8]
        held = [
            memory.wrap(block, (size,), kind) if block else None
            for block, size, kind in zip(blocks, sizes, kinds, strict=True)
        ]
        offsets, values, ids, parents, ends_from, step_ends, *recorded = held
        assert offsets is not None and values is not None and parents is not None
        assert ends_from is not None and step_ends is not None
        return HostResult(_of_type(vertex, values), offsets, ids, Layers(parents, ends_from, step_ends, *recorded))

    def _check(self, each: int, vertex: np.dtype[Any]) -> None:
        """Refuses what will not fit, by the bytes that the core has for each vertex, and those of a copy of the wanted
        type; what cannot be foreseen is refused as it grows."""
        steps = self.app.steps_expected()
        expected = self.rows * (self.width + steps) if steps < math.inf else 0
        self._fits(int(expected * (each + 8 * (vertex != _INT32)) + 8 * self.rows))

    def _fits(self, size: int) -> None:
        """Refuses samples of that many bytes that do not fit, with what to do."""
        try:
            memory.check(size)
        except MemoryError as error:
            ways = "fewer roots or repeats at a time (first_id continues)" if self.rows > 1 else "shorter samples"
            raise MemoryError(
                f"{error} for {self.rows} sample{'s' * (self.rows > 1)}: ask for {ways}, or use visit_counts"
            ) from None

    def _lent(self, name: str, edges: bool, blocks: int, counts: int) -> list[int]:
        """Runs a call that lends a result: the addresses of its blocks, then counts."""
        lent = np.zeros(blocks + counts, np.int64)
        try:
            self._run(name, self._mask(), edges, memory.address(lent))
        except BaseException:
            for block in lent[:blocks].tolist():
                if block:
                    native.call("Return", block)
            raise
        return list(lent.tolist())

    def _mask(self) -> int:
        return devices.mask(self.devices)

    def _run(self, name: str, *rest: Any) -> int:
        label = type(self.app).__name__
        app = self.app._held_on(self.graph, self.width, self.devices[0]) if self.devices else self.app._held()
        asked = (self.graph._held.number, app.number, *self.asked, *rest)
        number: int = running.call(
            name, *asked, seconds=self.seconds, total=self.rows, progress=self.progress, label=label
        )
        return number


class _HeaderOfThread(threading.local):
    """A thread's buffer for the header of a result; kept, since looking up its address takes as long as a call into
    Go."""

    def __init__(self) -> None:
        array = np.zeros(HEADER, np.int64)
        self.there = array, memory.address(array)


_header = _HeaderOfThread()


class Estimate(NamedTuple):
    """The seconds that the core expects a call to take (plan.Estimate).

    Attributes:
        cpu: on the CPU, its tables made; infinite if nothing bounds the samples.
        cpu_tables: more, if the app's tables of the graph must be made.
        gpu: on a GPU that has the graph, until the result is in the host's memory.
        gpu_wait: on one GPU, until the call returns; the GPU may work on.
        gpus_wait: on several GPUs, until the call returns.
        gpu_tables: more, if the process's context and the graph's tables must be made.
        upload: of which is the copy of the graph.
    """

    cpu: float
    cpu_tables: float
    gpu: float
    gpu_wait: float
    gpus_wait: float
    gpu_tables: float
    upload: float

    def until(self, gpus: int, *, tables: bool) -> float:
        """Seconds until a call on so many GPUs (0: on the CPU) returns, with or without making tables."""
        if not gpus:
            return self.cpu + (self.cpu_tables if tables else 0.0)
        return (self.gpu_wait if gpus == 1 else self.gpus_wait) + (self.gpu_tables if tables else 0.0)


class _EstimateOfThread(threading.local):
    """What the core writes an estimate to."""

    def __init__(self) -> None:
        array = np.zeros(len(Estimate._fields), np.float64)
        self.there = array, memory.address(array)


_estimate = _EstimateOfThread()


def estimate(graph: Graph, app: SamplingApp, samples: int, width: int, threads: int) -> Estimate:
    """What a call for so many samples of so many roots each is expected to take, by the core's cost model."""
    seconds, where = _estimate.there
    native.call("Estimate", graph._held.number, app._planned().number, samples, width, threads, where)
    return Estimate._make(seconds.tolist())


def _of_type(vertex: np.dtype[Any], values: Array) -> Array:
    """Vertices of 32 bits, all there, as they are or as int64."""
    if vertex == _INT32:
        return values
    memory.check(8 * values.size)
    wide = memory.empty(values.shape, np.int64)
    for at in range(0, values.size, 1 << 24):  # pieces, so that Ctrl-C is heard between them
        wide[at : at + (1 << 24)] = values[at : at + (1 << 24)].view(np.uint32)
    return wide
