"""run: the samples of a call, as arrays."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from .._core import memory, native, records, running
from ..device import devices
from ..errors import FAULTS, DeviceError, warn
from ..graph.names import no_vertex
from ..samples.device import DeviceResult
from ..samples.host import HostResult, of_type
from ..samples.layers import Layers
from ..samples.sharded import ShardedResult
from .call import Call
from .place import Place, place

__all__ = ["after", "count_visits", "run"]

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..apps import SamplingApp

_T = TypeVar("_T")

Array = npt.NDArray[Any]

# A buffer of a call holds the record of the request, the record of the result, small samples and few roots.
_RESULT = records.REQUEST.size
_FROM_HOST = 8 * records.Request._fields.index("from_host")
_SAMPLES = _RESULT + records.LAYERS.size
_SMALL = 256  # vertices of samples that the core writes to the buffer
_ROOTS = _SAMPLES + 4 * _SMALL


def run(call: Call, at: Place) -> HostResult | DeviceResult | ShardedResult:
    """Returns the samples: on the GPUs, unless the memory of one is too small, or in host memory."""
    began = time.perf_counter()
    if at.devices:
        result = _on_devices(call, at)
        if result is not None:
            return result
    facts = call.samplers.facts
    if facts.layered and call.links:
        host = _layers(call, at)
    elif facts.layered or facts.width is None:
        host = _ragged(call, at)
    else:
        # Samples of one width. The call is made here: few frames are then between a user's call and the core.
        rows, slots, size = call.rows, facts.width, call.vertex.itemsize
        buffer = memory.buffer()
        small = rows * slots <= _SMALL and size == 4 and not call.edges
        if small:  # written to the buffer and copied, which is faster than to look up the address of an array
            out, ids = buffer.int32[_SAMPLES // 4 : _SAMPLES // 4 + rows * slots].reshape(rows, slots), None
            to, ids_to = buffer.address + _SAMPLES, 0
        else:
            out, ids, to, ids_to = _arrays(call, slots)
        sampler = _write(call, at, buffer, size=size, slots=slots, vertices=to, edge_ids=ids_to)
        if at.seconds < running.LONG and not call.progress:
            native.call("Sample", sampler, buffer.address, 0)
        else:
            _call("Sample", call, at, sampler, buffer)
        host = HostResult(out.copy() if small else out, None, ids, from_host=bool(buffer.bytes[_FROM_HOST]))
        buffer.release()
    if at.cold:
        call.sampled._warm.add(at.tables)
    host.seconds = time.perf_counter() - began
    return host


def after(call: Call, at: Place, error: Exception, function: Callable[[Call, Place], _T]) -> tuple[_T, Place]:
    """Handles the error of function(call, at).

    If device is "auto" and the GPU failed, the CPU runs the call and a warning is issued. An error of the app's own
    functions is raised with the line in them, that of GPUs with the reason if they do not share the graph.

    Returns:
        What the function returns for the CPU, and that place.
    """
    if not isinstance(error, DeviceError):

        def alone(app: SamplingApp, id: int) -> object:
            root = call.roots.of((id - call.first) // call.copies)
            one = Call(call.graph, app, root, 1, call.seed, id, "cpu", 1, names=False)
            return run(one, place(one))

        explained = call.app.explained(error, alone)
        if isinstance(explained, IndexError):
            raise no_vertex(call.graph, explained) from None
        if explained is error:
            raise error
        raise explained from None
    if call.devices is not None or not at.devices:
        sampler = call.samplers.kept(at.devices) if len(at.devices) > 1 else None
        why = "" if sampler is None else native.call("SamplerUnsplit", sampler.number)
        raise DeviceError(f"{error}; {why}") if why else error
    warn(f'device = "auto": sampling on the CPU instead, since {error}', RuntimeWarning)
    call.devices = devices.CPU
    at = place(call)
    try:
        return function(call, at), at
    except FAULTS as other:
        return after(call, at, other, function)


def count_visits(call: Call, at: Place, counts: Array | None, ends: Array | None) -> None:
    """Writes visits to counts, (num_vertices,) int64, and last vertices to ends, (rows,) int32."""
    if call.rows >> 62:
        raise ValueError(f"{call.rows} samples: expected fewer than 2^62 (roots x repeat)")
    visits, last = (0 if a is None else memory.address(a) for a in (counts, ends))
    buffer = memory.buffer()
    sampler = _write(call, at, buffer, visits=visits, slots=call.graph.num_vertices, ends=last)
    _call("CountVisits", call, at, sampler, buffer)
    buffer.release()


def _arrays(call: Call, slots: int) -> tuple[Array, Array | None, int, int]:
    """Allocates samples of one width, (rows, slots), and edge ids, (rows, slots - roots); with their addresses."""
    rows, taken = call.rows, slots - call.roots.width
    size = rows * (slots * call.vertex.itemsize + 8 * taken * call.edges)
    if size >= memory.LEND_FROM:
        _fits(call, size)
    out = memory.empty((rows, slots), call.vertex)
    if not call.edges:
        return out, None, memory.address(out), 0
    ids = memory.empty((rows, taken), np.int64)
    return out, ids, memory.address(out), memory.address(ids)


def _ragged(call: Call, at: Place) -> HostResult:
    """Samples that differ in length: values, offsets (rows + 1,) and the edges' ids, -1 at roots."""
    _check(call, 4 + 8 * call.edges)
    fields, from_host = _lent("SampleRagged", call, at, records.RAGGED, 3)
    lent = records.Ragged._make(fields)
    held = memory.wrap(lent.offsets, (call.rows + 1,), np.int64)
    recorded = memory.wrap(lent.edges, (lent.total,), np.int64) if call.edges else None
    values = of_type(call.vertex, memory.wrap(lent.vertices, (lent.total,), np.int32))
    return HostResult(values, held, recorded, from_host=from_host)


def _layers(call: Call, at: Place) -> HostResult:
    """Layered samples: values, offsets (rows + 1,), edge ids (-1 at roots), and their other arrays."""
    _check(call, 8 + 8 * call.edges)
    fields, from_host = _lent("SampleLayers", call, at, records.LAYERS, 11)
    lent = records.Layers._make(fields)
    rows, total, ends, links = call.rows + 1, lent.total, lent.end_count, lent.link_count

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
    return HostResult(of_type(call.vertex, values), offsets, ids, layers, from_host=from_host)


def _on_devices(call: Call, at: Place) -> DeviceResult | ShardedResult | None:
    """Returns samples that stay on the GPUs; None if the memory of one is too small for them."""
    record, count = records.DEVICE_RESULT, len(at.devices)
    buffer = memory.buffer()
    buffer.bytes[_RESULT : _RESULT + count * record.size] = bytes(count * record.size)

    def made() -> list[records.DeviceResult]:
        each = (record.unpack_from(buffer.bytes, _RESULT + i * record.size) for i in range(count))
        return [one for one in map(records.DeviceResult._make, each) if one.handle]

    try:
        _call("SampleOnDevices", call, at, _write(call, at, buffer, size=call.vertex.itemsize), buffer)
    except BaseException:  # the call may have ended all the same
        for one in made():
            native.call("DropResult", one.handle)
        raise
    shards = tuple(DeviceResult(one, call.vertex, call.edges) for one in made())
    buffer.release()
    if len(shards) > 1:
        return ShardedResult(shards)
    return shards[0] if shards else None


def _check(call: Call, each: int) -> None:
    """Raises MemoryError if the expected samples do not fit in memory.

    each is the number of bytes per vertex in the core; a copy of another type takes more. Samples without an expected
    size are refused when they have grown too large.
    """
    steps = call.app.steps_expected()
    expected = call.rows * (call.roots.width + steps) if steps < math.inf else 0
    _fits(call, int(expected * (each + 8 * (call.vertex != np.int32)) + 8 * call.rows))


def _fits(call: Call, size: int) -> None:
    """Raises MemoryError if samples of a size in bytes do not fit; the text says what to do."""
    try:
        memory.check(size)
    except MemoryError as error:
        ways = "fewer roots or repeats at a time (first_id continues)" if call.rows > 1 else "shorter samples"
        raise MemoryError(
            f"{error} for {call.rows} sample{'s' * (call.rows > 1)}: ask for {ways}, or use visit_counts"
        ) from None


def _lent(name: str, call: Call, at: Place, record: Any, blocks: int) -> tuple[tuple[int, ...], bool]:
    """Runs a call that lends a result.

    Returns:
        The fields of its record, of which the first are the addresses of blocks, and whether the CPU made the samples
        of a call on GPUs.
    """
    buffer = memory.buffer()
    buffer.bytes[_RESULT : _RESULT + record.size] = bytes(record.size)
    try:
        _call(name, call, at, _write(call, at, buffer), buffer)
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
    call: Call,
    at: Place,
    buffer: memory.Buffer,
    size: int = 4,
    vertices: int = 0,
    edge_ids: int = 0,
    slots: int = 0,
    visits: int = 0,
    ends: int = 0,
) -> int:
    """Writes the record of a call to a buffer and returns the number of the sampler that it is for."""
    roots = at.roots
    records.REQUEST.pack_into(  # the fields of records.Request, in order
        buffer.bytes, 0,
        roots.written(buffer, _ROOTS), roots.count, roots.kind, call.copies, call.seed, call.first, call.threads,
        call.edges, size, vertices, edge_ids, call.rows, slots, visits, ends, buffer.address + _RESULT,
        call.order, 0, call.ids,
    )  # fmt: skip
    return call.samplers.sampler(call.sampled, call.app, at.devices)


def _call(name: str, call: Call, at: Place, sampler: int, buffer: memory.Buffer) -> None:
    """Calls a function of the core with the record in a buffer, in a thread if the call may take long."""
    running.call(
        name, sampler, buffer.address, seconds=at.seconds, total=call.rows, progress=call.progress,
        label=type(call.app).__name__,
    )  # fmt: skip
    if at.cold:
        call.sampled._warm.add(at.tables)
