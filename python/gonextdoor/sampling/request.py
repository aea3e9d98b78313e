"""Request: one sampling call, from its arguments to arrays."""

from __future__ import annotations

import math
import time
import warnings
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from .. import apps
from .._core import advice, memory, native, records, running
from .._core.arguments import cores
from .._core.checks import check_int
from .._core.seeds import entropy, signed
from ..apps import SamplingApp
from ..device import devices
from ..errors import DeviceError
from ..graph.graph import Graph
from ..samples.device import DeviceResult
from ..samples.host import HostResult
from ..samples.layers import Layers
from . import roots as _roots
from .plan import Estimate, plan_of

__all__ = ["FAULTS", "Request", "checked_threads", "vertex_type"]

_T = TypeVar("_T")

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core.seeds import Seed
    from ..device.devices import Device

    Roots = npt.ArrayLike | None

Array = npt.NDArray[Any]

FAULTS = DeviceError, ArithmeticError, IndexError, RuntimeError, ValueError  # that Request.after handles

_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)
_RESULT = records.REQUEST.size  # where the result's record is in a buffer, after the request's
_FEW = _RESULT + records.LAYERS.size  # and where few roots are copied to


class Request:
    """The checked arguments of a sampling call, the device that runs it, and the call."""

    __slots__ = (
        "_warm",
        "app",
        "auto",
        "copies",
        "devices",
        "first",
        "given",
        "graph",
        "plan",
        "progress",
        "roots",
        "rows",
        "seconds",
        "seed",
        "threads",
    )  # fmt: skip

    def __init__(
        self,
        graph: Graph,
        app: SamplingApp,
        roots: Roots,
        repeat: int,
        seed: Seed,
        first_id: int,
        device: Device,
        threads: int | None,
        progress: bool | None,
    ) -> None:
        # 1. Check the arguments.
        if not isinstance(graph, Graph):
            raise advice.graph_error("a gonextdoor.Graph", graph, "out")
        if not isinstance(app, SamplingApp):
            raise advice.app_error(app, apps.__all__)
        ids = None if type(device) is str and device == "auto" else devices.among(device)
        self.threads = checked_threads(threads)
        if progress is not None and not isinstance(progress, bool):
            raise TypeError(f"progress = {progress!r}: expected True, False or None")
        self.graph, self.app, self.progress = graph, app, progress
        self.seed = entropy(seed)
        self.copies = check_int("repeat", repeat, 1, 1 << 62)
        self.first = check_int("first_id", first_id, 0, (1 << 64) - 1)
        self.given = _roots.given(graph, app, roots, seed=self.seed, first_id=self.first, repeat=self.copies)
        self.rows = rows = self.given.count * self.copies
        if self.first + rows > 1 << 64:
            raise ValueError(f"first_id = {self.first}: expected at most 2^64 - {rows}, so that all ids fit in 64 bits")
        # 2. Choose the device.
        self.plan, self.auto = plan_of(graph, app, self.given.width), ids is None
        self._choose(ids)

    def _choose(self, ids: tuple[int, ...] | None) -> None:
        """Chooses the devices; None: the GPU if it is expected to finish sooner than the CPU, or has the roots."""
        expected = self.plan.estimate(self.graph, self.app, self.rows, self.threads)
        if ids is None:
            ids = devices.preferred()
            if ids is None and self.given.held is not None:
                ids = (self.given.held.device,)
            if ids is None and expected.cpu < expected.gpu:
                ids = devices.CPU
            elif ids != devices.CPU:
                ids = self._runs(ids, expected)
        self.devices, self.roots, self._warm = ids, self.given.among(ids), (type(self.app), ids)
        self.seconds = expected.until(len(ids), tables=self._warm not in self.graph._warm)

    def _runs(self, ids: tuple[int, ...] | None, expected: Estimate) -> tuple[int, ...]:
        """These GPUs, or the one that is expected to finish sooner than the CPU, if they run the app; otherwise the
        CPU."""
        asked = self.graph._held.number, self.app._planned().number, self.plan.roots
        if ids is not None:
            wanted = ids if native.call("DeviceRuns", *asked) else devices.CPU
        else:
            id = native.call("DeviceFor", *asked, expected.cpu, expected.gpu)
            wanted = devices.CPU if id < 0 else (id,)
        try:
            if wanted:
                self.plan.sampler(self.graph, self.app, wanted)
        except ImportError:  # nothing here compiles functions of the user's for a GPU
            return devices.CPU
        return wanted

    def explained(self, run: Callable[[], _T]) -> _T:
        """Returns run(), or what ``after`` does if it fails."""
        try:
            return run()
        except FAULTS as error:
            return self.after(error, run, stacklevel=4)

    def after(self, error: Exception, run: Callable[[], _T], stacklevel: int = 3) -> _T:
        """Handles the error of a call.

        If device is "auto" and the GPU failed, the CPU runs the call and a warning is issued. An error of the app's own
        functions is raised with the line in them, and any other error as it is.
        """
        if isinstance(error, DeviceError):
            if not self.auto or not self.devices:
                raise error
            text = f'device = "auto": the CPU samples, since {error}'
            warnings.warn(text, RuntimeWarning, stacklevel=stacklevel)
            self.auto = False
            self._choose(devices.CPU)
            return self.explained(run)

        def again(other: SamplingApp, id: int) -> object:
            root = self.given.of((id - self.first) // self.copies)
            alone = Request(self.graph, other, root, 1, self.seed, id, "cpu", 1, None)
            return alone.result(vertex_type(self.graph, None), edges=False)

        explained = self.app.explained(error, again)
        if explained is error:
            raise error
        raise explained from None

    def result(self, vertex: np.dtype[Any], edges: bool) -> HostResult | DeviceResult:
        """The samples: on the GPU, unless its memory is too small, or in this machine's memory."""
        began = time.perf_counter()
        plan = self.plan
        if len(self.devices) == 1 and not plan.layered:
            result = self._on_device(vertex, edges)
            if result is not None:
                return result
        if plan.layered:
            host = self._layers(vertex, edges)
        elif plan.width is None:
            host = self._ragged(vertex, edges)
        else:
            host = self._matrix(plan.width, vertex, edges)
        host.seconds = time.perf_counter() - began
        return host

    def _matrix(self, slots: int, vertex: np.dtype[Any], edges: bool) -> HostResult:
        """Samples of one width: (rows, slots), and the edges' ids (rows, slots - roots)."""
        rows, size = self.rows, vertex.itemsize
        taken = slots - self.plan.roots
        whole = rows * (slots * size + 8 * taken * edges)
        if whole >= memory.LEND_FROM:
            self._fits(whole)
        out = memory.empty((rows, slots), vertex)
        ids = memory.empty((rows, taken), np.int64) if edges else None
        where = 0 if ids is None else memory.address(ids)
        with memory.buffer() as buffer:
            self._call(
                "Sample", buffer, edges=edges, size=size, slots=slots, vertices=memory.address(out), edge_ids=where
            )
        return HostResult(out, None, ids)

    def _ragged(self, vertex: np.dtype[Any], edges: bool) -> HostResult:
        """Samples that differ in length: values, offsets (rows + 1,) and the edges' ids, -1 at roots."""
        self._check(4 + 8 * edges, vertex)
        lent = records.Ragged._make(self._lent("SampleRagged", edges, records.RAGGED, 3))
        held = memory.wrap(lent.offsets, (self.rows + 1,), np.int64)
        recorded = memory.wrap(lent.edges, (lent.total,), np.int64) if edges else None
        return HostResult(_of_type(vertex, memory.wrap(lent.vertices, (lent.total,), np.int32)), held, recorded)

    def _layers(self, vertex: np.dtype[Any], edges: bool) -> HostResult:
        """Layered samples: values, offsets (rows + 1,), the edges' ids, -1 at roots, and all that they know besides."""
        self._check(8 + 8 * edges, vertex)
        lent = records.Layers._make(self._lent("SampleLayers", edges, records.LAYERS, 11))
        rows, total, ends, links = self.rows + 1, lent.total, lent.end_count, lent.link_count

        def block(address: int, size: int, kind: npt.DTypeLike) -> Array | None:
            return memory.wrap(address, (size,), kind) if address else None

        offsets, values = block(lent.offsets, rows, np.int64), block(lent.vertices, total, np.int32)
        ids, parents = block(lent.edges, total, np.int64), block(lent.parents, total, np.int32)
        ends_from, step_ends = block(lent.ends_from, rows, np.int64), block(lent.ends, ends, np.int32)
        recorded = (
            block(lent.links_from, rows, np.int64), block(lent.sources, links, np.int32),
            block(lent.targets, links, np.int32), block(lent.link_edges, links, np.int64),
            block(lent.values, links, np.float64),
        )  # fmt: skip
        assert offsets is not None and values is not None and parents is not None
        assert ends_from is not None and step_ends is not None
        return HostResult(_of_type(vertex, values), offsets, ids, Layers(parents, ends_from, step_ends, *recorded))

    def _on_device(self, vertex: np.dtype[Any], edges: bool) -> DeviceResult | None:
        """Samples that stay on the GPU; None if its memory is too small for them."""
        record = records.DEVICE_RESULT
        with memory.buffer() as buffer:
            record.pack_into(buffer.bytes, _RESULT, *[0] * len(records.DeviceResult._fields))
            try:
                self._call("SampleOnDevice", buffer, edges=edges, size=vertex.itemsize)
            except BaseException:  # the call may have ended all the same
                made = records.DeviceResult._make(record.unpack_from(buffer.bytes, _RESULT))
                if made.handle:
                    native.call("DropResult", made.handle)
                raise
            made = records.DeviceResult._make(record.unpack_from(buffer.bytes, _RESULT))
        return DeviceResult(made, vertex, edges) if made.handle else None

    def count_visits(self, counts: Array | None, ends: Array | None) -> None:
        """Adds visits to counts, (num_vertices,) int64, and writes last vertices to ends, (rows,) int32."""
        if self.rows >> 62:
            raise ValueError(f"{self.rows} samples: expected fewer than 2^62 (roots x repeat)")
        where = [0 if a is None else memory.address(a) for a in (counts, ends)]
        with memory.buffer() as buffer:
            self._call("CountVisits", buffer, visits=where[0], slots=self.graph.num_vertices, ends=where[1])

    def _check(self, each: int, vertex: np.dtype[Any]) -> None:
        """Refuses what will not fit, by the bytes that the core has for each vertex, and those of a copy of the wanted
        type; what cannot be foreseen is refused as it grows."""
        steps = self.app.steps_expected()
        expected = self.rows * (self.plan.roots + steps) if steps < math.inf else 0
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

    def _lent(self, name: str, edges: bool, record: Any, blocks: int) -> tuple[int, ...]:
        """Runs a call that lends a result: the fields of its record, of which the first are the addresses of blocks."""
        with memory.buffer() as buffer:
            buffer.bytes[_RESULT : _RESULT + record.size] = bytes(record.size)
            try:
                self._call(name, buffer, edges=edges)
            except BaseException:
                for block in record.unpack_from(buffer.bytes, _RESULT)[:blocks]:
                    if block:
                        native.call("Return", block)
                raise
            fields: tuple[int, ...] = record.unpack_from(buffer.bytes, _RESULT)
            return fields

    def _call(
        self,
        name: str,
        buffer: memory.Buffer,
        edges: bool = False,
        size: int = 4,
        vertices: int = 0,
        edge_ids: int = 0,
        slots: int = 0,
        visits: int = 0,
        ends: int = 0,
    ) -> int:
        """Calls the core with the record of this request, which is written to the buffer."""
        sampler = self.plan.sampler(self.graph, self.app, self.devices)
        roots = self.roots
        request = records.Request(
            roots=roots.written(buffer, _FEW), root_count=roots.count, kind=roots.kind, repeat=self.copies,
            seed=signed(self.seed), first=signed(self.first), threads=self.threads, edges=edges, size=size,
            vertices=vertices, edge_ids=edge_ids, rows=self.rows, slots=slots, visits=visits, ends=ends,
            result=buffer.address + _RESULT,
        )  # fmt: skip
        records.REQUEST.pack_into(buffer.bytes, 0, *request)
        number: int
        if self.seconds < running.LONG and not self.progress:
            number = native.call(name, sampler.number, buffer.address, 0)
        else:
            number = running.call(
                name, sampler.number, buffer.address, seconds=self.seconds, total=self.rows, progress=self.progress,
                label=type(self.app).__name__,
            )  # fmt: skip
        self.graph._warm.add(self._warm)  # the app's tables are there
        return number


def vertex_type(graph: Graph, dtype: npt.DTypeLike | None) -> np.dtype[Any]:
    """The type of a result's vertices."""
    small = graph.num_vertices < 1 << 31
    if dtype is None:
        return _INT32 if small else _INT64
    try:
        wanted = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"dtype = {dtype!r}: expected int32 or int64") from None
    if wanted not in (_INT32, _INT64):
        raise TypeError(f"dtype = {wanted}: expected int32 or int64")
    if wanted == _INT32 and not small:
        raise ValueError(f"dtype = int32: the graph has {graph.num_vertices} vertices, expected int64")
    return wanted


def checked_threads(threads: int | None) -> int:
    """The number of CPU threads to use; None: one per core that this process may use."""
    if threads is not None:
        return min(check_int("threads", threads, 1, 1 << 31), 1 << 12)
    return cores()


def _of_type(vertex: np.dtype[Any], values: Array) -> Array:
    """Vertices of 32 bits, all there, as they are or as int64."""
    if vertex == _INT32:
        return values
    memory.check(8 * values.size)
    wide = memory.empty(values.shape, np.int64)
    for at in range(0, values.size, 1 << 24):  # pieces, so that Ctrl-C is heard between them
        wide[at : at + (1 << 24)] = values[at : at + (1 << 24)].view(np.uint32)
    return wide
