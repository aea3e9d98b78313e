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
from .._core.arguments import checked_threads, cores, vertex_type
from .._core.checks import check_int
from .._core.log import DEBUG, logger
from .._core.seeds import entropy
from ..apps import SamplingApp
from ..device import devices
from ..errors import DeviceError
from ..graph.graph import Graph
from ..samples.device import DeviceResult
from ..samples.host import HostResult, of_type
from ..samples.layers import Layers
from ..samples.sharded import ShardedResult
from . import roots as _roots
from .plan import Estimate, plan_of

__all__ = ["FAULTS", "Request"]

_T = TypeVar("_T")

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core.seeds import Seed
    from ..device.devices import Device

    Roots = npt.ArrayLike | None

Array = npt.NDArray[Any]

FAULTS = DeviceError, ArithmeticError, IndexError, RuntimeError, ValueError  # that Request.after handles

_LAST = (1 << 64) - 1  # the largest id of a sample

# A buffer of a call holds the record of the request, the record of the result, small samples and few roots.
_RESULT = records.REQUEST.size
_FROM_HOST = 8 * records.Request._fields.index("from_host")
_SAMPLES = _RESULT + records.LAYERS.size
_SMALL = 256  # vertices of samples that the core writes to the buffer
_ROOTS = _SAMPLES + 4 * _SMALL


class Request:
    """A sampling call: its checked arguments, the device that runs it, and the execution."""

    __slots__ = (
        "_cold",
        "_warm",
        "app",
        "auto",
        "copies",
        "devices",
        "first",
        "given",
        "graph",
        "order",
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
        order: int = 0,
    ) -> None:
        # 1. Check the arguments.
        if not isinstance(graph, Graph):
            raise advice.graph_error("a gonextdoor.Graph", graph, "out")
        if not isinstance(app, SamplingApp):
            raise advice.app_error(app, apps.__all__)
        ids = None if type(device) is str and device == "auto" else devices.among(device)
        if threads is not None:
            threads = checked_threads(threads)
        if progress is not None and not isinstance(progress, bool):
            raise TypeError(f"progress = {progress!r}: expected True, False or None")
        if app._infers:
            app = app._on(graph)
        self.graph, self.app, self.progress, self.order = graph, app, progress, order
        self.seed = entropy(seed)
        copies = repeat if type(repeat) is int and repeat == 1 else check_int("repeat", repeat, 1, 1 << 62)
        first = first_id if type(first_id) is int and first_id == 0 else check_int("first_id", first_id, 0, _LAST)
        self.copies, self.first = copies, first
        # 2. Read the roots. The plan for one root per sample has the pool, which is the same for any number of roots.
        plan = plan_of(graph, app, 1)
        self.given = given = _roots.given(graph, app, roots, plan.pool, seed=self.seed, first_id=first, repeat=copies)
        self.rows = rows = given.count * copies
        if first + rows > 1 << 64:
            raise ValueError(f"first_id = {first}: expected at most 2^64 - {rows}, so that all ids fit in 64 bits")
        # 3. Choose the device. One sample has one thread, and to count the cores takes as long as some samples.
        if threads is None:
            threads = cores() if rows > 1 else 0
        self.threads = threads
        self.plan = plan if given.width == 1 else plan_of(graph, app, given.width)
        self.auto = ids is None
        self._choose(ids)

    def _choose(self, ids: tuple[int, ...] | None) -> None:
        """Sets the devices; None: the GPU if it is expected to finish before the CPU, or has the roots."""
        given = self.given
        expected = self.plan.estimate(self.graph, self.app, self.rows, self.threads)
        if ids is None:
            ids = devices.preferred()
            if ids is None and given.held is not None:
                ids = (given.held.device,)
            if ids is None and expected.cpu < expected.gpu:
                ids = devices.CPU
            elif ids != devices.CPU:
                ids = self._runs(ids, expected)
        self.devices = ids
        self.roots = given if given.array is not None else given.among(ids)
        self._warm = type(self.app), ids
        self._cold = self._warm not in self.graph._warm  # the app's tables must be made
        self.seconds = expected.until(len(ids), tables=self._cold) if ids or self._cold else expected.cpu
        if ids and self.seconds < running.LONG <= expected.cpu and self.plan.exceeds(self.graph, self.app, ids):
            self.seconds = expected.cpu  # the estimate for GPUs is that of a graph in their memory
        # Short calls on built tables are not logged, nor delayed.
        if (self._cold or self.seconds >= running.LONG) and logger.isEnabledFor(DEBUG):
            from .calllog import log_call

            log_call(self)

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
        except ImportError:  # no compiler for GPUs is installed
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
                raise self._unsplit(error)
            text = f'device = "auto": sampling on the CPU instead, since {error}'
            warnings.warn(text, RuntimeWarning, stacklevel=stacklevel)
            self.auto = False
            self._choose(devices.CPU)
            return self.explained(run)

        def again(other: SamplingApp, id: int) -> object:
            root = self.given.of((id - self.first) // self.copies)
            alone = Request(self.graph, other, root, 1, self.seed, id, "cpu", 1, None)
            return alone.result(vertex_type(self.graph._info["vertices"], None), edges=False)

        explained = self.app.explained(error, again)
        if explained is error:
            raise error
        raise explained from None

    def _unsplit(self, error: DeviceError) -> DeviceError:
        """The error of a call, with the reason if GPUs do not share a graph that does not fit one of them."""
        sampler = self.plan.kept(self.devices) if len(self.devices) > 1 else None
        why = "" if sampler is None else native.call("SamplerUnsplit", sampler.number)
        return DeviceError(f"{error}; {why}") if why else error

    def result(self, vertex: np.dtype[Any], edges: bool) -> HostResult | DeviceResult | ShardedResult:
        """Returns the samples: on the GPUs, unless the memory of one is too small, or in host memory."""
        began = time.perf_counter()
        plan = self.plan
        if self.devices:
            result = self._on_devices(vertex, edges)
            if result is not None:
                return result
        if plan.layered:
            host = self._layers(vertex, edges)
        elif plan.width is None:
            host = self._ragged(vertex, edges)
        else:
            # Samples of one width. The call is made here: few frames are then between a user's call and the core.
            rows, slots, size = self.rows, plan.width, vertex.itemsize
            buffer = memory.buffer()
            small = rows * slots <= _SMALL and size == 4 and not edges
            if small:  # written to the buffer and copied, which is faster than to look up the address of an array
                out, ids = buffer.int32[_SAMPLES // 4 : _SAMPLES // 4 + rows * slots].reshape(rows, slots), None
                to, ids_to = buffer.address + _SAMPLES, 0
            else:
                out, ids, to, ids_to = self._arrays(slots, vertex, edges)
            sampler = self._write(buffer, edges=edges, size=size, slots=slots, vertices=to, edge_ids=ids_to)
            if self.seconds < running.LONG and not self.progress:
                native.call("Sample", sampler, buffer.address, 0)
            else:
                self._run("Sample", sampler, buffer)
            host = HostResult(out.copy() if small else out, None, ids, from_host=bool(buffer.bytes[_FROM_HOST]))
            buffer.release()
        if self._cold:
            self.graph._warm.add(self._warm)
        host.seconds = time.perf_counter() - began
        return host

    def _arrays(self, slots: int, vertex: np.dtype[Any], edges: bool) -> tuple[Array, Array | None, int, int]:
        """Allocates samples of one width, (rows, slots), and edge ids, (rows, slots - roots); with their addresses."""
        rows, taken = self.rows, slots - self.plan.roots
        size = rows * (slots * vertex.itemsize + 8 * taken * edges)
        if size >= memory.LEND_FROM:
            self._fits(size)
        out = memory.empty((rows, slots), vertex)
        if not edges:
            return out, None, memory.address(out), 0
        ids = memory.empty((rows, taken), np.int64)
        return out, ids, memory.address(out), memory.address(ids)

    def _ragged(self, vertex: np.dtype[Any], edges: bool) -> HostResult:
        """Samples that differ in length: values, offsets (rows + 1,) and the edges' ids, -1 at roots."""
        self._check(4 + 8 * edges, vertex)
        fields, from_host = self._lent("SampleRagged", edges, records.RAGGED, 3)
        lent = records.Ragged._make(fields)
        held = memory.wrap(lent.offsets, (self.rows + 1,), np.int64)
        recorded = memory.wrap(lent.edges, (lent.total,), np.int64) if edges else None
        values = of_type(vertex, memory.wrap(lent.vertices, (lent.total,), np.int32))
        return HostResult(values, held, recorded, from_host=from_host)

    def _layers(self, vertex: np.dtype[Any], edges: bool) -> HostResult:
        """Layered samples: values, offsets (rows + 1,), edge ids (-1 at roots), and their other arrays."""
        self._check(8 + 8 * edges, vertex)
        fields, from_host = self._lent("SampleLayers", edges, records.LAYERS, 11)
        lent = records.Layers._make(fields)
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
        layers = Layers(parents, ends_from, step_ends, *recorded)
        return HostResult(of_type(vertex, values), offsets, ids, layers, from_host=from_host)

    def _on_devices(self, vertex: np.dtype[Any], edges: bool) -> DeviceResult | ShardedResult | None:
        """Returns samples that stay on the GPUs; None if the memory of one is too small for them."""
        record, count = records.DEVICE_RESULT, len(self.devices)
        buffer = memory.buffer()
        buffer.bytes[_RESULT : _RESULT + count * record.size] = bytes(count * record.size)

        def made() -> list[records.DeviceResult]:
            each = (record.unpack_from(buffer.bytes, _RESULT + i * record.size) for i in range(count))
            return [one for one in map(records.DeviceResult._make, each) if one.handle]

        try:
            self._run("SampleOnDevices", self._write(buffer, edges=edges, size=vertex.itemsize), buffer)
        except BaseException:  # the call may have ended all the same
            for one in made():
                native.call("DropResult", one.handle)
            raise
        shards = tuple(DeviceResult(one, vertex, edges) for one in made())
        buffer.release()
        if len(shards) > 1:
            return ShardedResult(shards)
        return shards[0] if shards else None

    def count_visits(self, counts: Array | None, ends: Array | None) -> None:
        """Writes visits to counts, (num_vertices,) int64, and last vertices to ends, (rows,) int32."""
        if self.rows >> 62:
            raise ValueError(f"{self.rows} samples: expected fewer than 2^62 (roots x repeat)")
        visits, last = (0 if a is None else memory.address(a) for a in (counts, ends))
        buffer = memory.buffer()
        sampler = self._write(buffer, visits=visits, slots=self.graph.num_vertices, ends=last)
        self._run("CountVisits", sampler, buffer)
        buffer.release()

    def _check(self, each: int, vertex: np.dtype[Any]) -> None:
        """Raises MemoryError if the expected samples do not fit in memory.

        each is the number of bytes per vertex in the core; a copy of another type takes more. Samples without an
        expected size are refused when they have grown too large.
        """
        steps = self.app.steps_expected()
        expected = self.rows * (self.plan.roots + steps) if steps < math.inf else 0
        self._fits(int(expected * (each + 8 * (vertex != np.int32)) + 8 * self.rows))

    def _fits(self, size: int) -> None:
        """Raises MemoryError if samples of a size in bytes do not fit; the text says what to do."""
        try:
            memory.check(size)
        except MemoryError as error:
            ways = "fewer roots or repeats at a time (first_id continues)" if self.rows > 1 else "shorter samples"
            raise MemoryError(
                f"{error} for {self.rows} sample{'s' * (self.rows > 1)}: ask for {ways}, or use visit_counts"
            ) from None

    def _lent(self, name: str, edges: bool, record: Any, blocks: int) -> tuple[tuple[int, ...], bool]:
        """Runs a call that lends a result.

        Returns:
            The fields of its record, of which the first are the addresses of blocks, and whether the CPU made the
            samples of a call on GPUs.
        """
        buffer = memory.buffer()
        buffer.bytes[_RESULT : _RESULT + record.size] = bytes(record.size)
        try:
            self._run(name, self._write(buffer, edges=edges), buffer)
        except BaseException:
            for block in record.unpack_from(buffer.bytes, _RESULT)[:blocks]:
                if block:
                    native.call("Return", block)
            raise
        fields: tuple[int, ...] = record.unpack_from(buffer.bytes, _RESULT)
        from_host = bool(buffer.bytes[_FROM_HOST])
        buffer.release()
        return fields, from_host

    def _write(
        self,
        buffer: memory.Buffer,
        edges: bool = False,
        size: int = 4,
        vertices: int = 0,
        edge_ids: int = 0,
        slots: int = 0,
        visits: int = 0,
        ends: int = 0,
    ) -> int:
        """Writes the record of this request to a buffer and returns the number of the sampler that it is for."""
        roots = self.roots
        records.REQUEST.pack_into(  # the fields of records.Request, in order
            buffer.bytes, 0,
            roots.written(buffer, _ROOTS), roots.count, roots.kind, self.copies, self.seed, self.first, self.threads,
            edges, size, vertices, edge_ids, self.rows, slots, visits, ends, buffer.address + _RESULT,
            self.order, 0,
        )  # fmt: skip
        return self.plan.sampler(self.graph, self.app, self.devices)

    def _run(self, name: str, sampler: int, buffer: memory.Buffer) -> None:
        """Calls a function of the core with the record in a buffer, in a thread if the call may take long."""
        running.call(
            name, sampler, buffer.address, seconds=self.seconds, total=self.rows, progress=self.progress,
            label=type(self.app).__name__,
        )  # fmt: skip
        if self._cold:
            self.graph._warm.add(self._warm)
