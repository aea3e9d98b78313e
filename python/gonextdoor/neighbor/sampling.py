"""NeighborSampling: the parameters of neighbour sampling in the core, and the call that draws batches by them."""

from __future__ import annotations

import functools
import json
import math
import struct
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory, native, running
from .._core.arguments import integer_kind
from .._core.costs import costs
from .._core.log import logger
from ..device.devices import CPU, mask, named, refuse_inherited
from ..graph.hetero import HeldHetero
from ._record import Request, header_words
from .batch import NeighborBatch, PendingBatch
from .device import ArenaArray, HeldBatches, PendingBatches

__all__ = ["NeighborSampling"]

Array = npt.NDArray[Any]
_Buffer = tuple[Array, int, memoryview]  # int64, their address, and their bytes

_INT64, _UNSIGNED = np.dtype(np.int64), np.dtype(np.uint64)
_POOL = 8  # buffers that are kept for the next calls
_ROOM = 8192  # int64 at the end of a record, for arenas that are copied in less time than it takes to lend them
_SHORT = 2048  # seed nodes that are copied in less time than it takes to look up their address
_QUICK = 100_000  # edges that are found in much less than running.LONG

_PENDING = Request._fields.index("pending")

# The record of one batch of one type: the request, the batch seed and the number of seed nodes.
_ONE = struct.Struct(f"={len(Request._fields)}qQq")
_ONE_WORDS = _ONE.size // 8


class NeighborSampling:
    """The parameters of neighbour sampling, held in the core (app.NeighborSampling); they fit any graph with as
    many relations.

    Attributes:
        parameters: what the sampler was made from, as the core reads it.
        hops: the number of hops.
        pairs: whether edges are returned as pairs (layout "coo").
    """

    __slots__ = (
        "_buffers", "_held", "_latest", "_lock", "_most", "_sizes", "_turns", "_used", "_weighted", "hops", "pairs",
        "parameters",
    )  # fmt: skip

    def __init__(self, fanouts: list[list[int]], **parameters: Any) -> None:
        self.parameters = {"fanouts": fanouts, **parameters}
        self._held = native.HeldText("NewNeighborSampling", "DropNeighborSampling", json.dumps(self.parameters))
        self.hops, self.pairs = len(fanouts), parameters["layout"] == "coo"
        self._weighted = parameters["weighted"] is not False
        self._most = most_edges(fanouts) if parameters.get("method") is None else math.inf  # LABOR reads whole rows
        self._sizes: dict[tuple[int, int], int] = {}  # the words of a header, by the types and relations of the graph
        self._used: set[int] = set()  # GPUs that have drawn before
        self._buffers: list[_Buffer] = []
        self._turns, self._lock = 0, threading.Lock()  # the batches that several GPUs have drawn
        self._latest: weakref.ref[PendingBatches] | None = None  # of the latest call that GPUs have not ended

    def sample(
        self,
        graph: HeldHetero,
        seed_nodes: list[list[Array]],
        batch_seeds: list[int],
        times: list[list[Array]] | None,
        excluded: list[list[Array]] | None,
        threads: int,
        on: tuple[int, ...] = CPU,
        windows: list[list[Array]] | None = None,
    ) -> list[NeighborBatch]:
        """Samples batches in one call of the core. If GPUs draw several, it returns once the work is submitted and all
        arguments are checked, and waits for the call before it, so that two calls are in progress at most.

        Args:
            graph: the graph in the core.
            seed_nodes: by batch and type: (n,) ints.
            batch_seeds: the random seed of each batch, from 0 to 2^64 - 1.
            times: by batch and type: the time of each seed node, or None.
            excluded: by batch and relation: ids of edges to leave out, or None.
            threads: CPU threads; 0: all cores.
            on: the GPUs that draw, by their numbers; empty: the CPU. Several take turns, batch by batch.
            windows: by batch and type: the time window of each seed node, or None.

        Raises:
            IndexError, ValueError: a seed node or an edge is not in the graph, or a seed node repeats in a batch whose
                trees are not disjoint; the text names the argument, the batch and the place.
        """
        count, types, relations = len(seed_nodes), graph.types, graph.relations
        if not count:
            return []
        # 1. Lengths, and the arrays that are passed by address.
        arrays = [array for batch in seed_nodes for array in batch]
        sizes = [array.size for array in arrays]
        total = sum(sizes)
        times_at = windows_at = excluded_at = 0
        counts = [*sizes]
        if times is not None:
            moments = _one_each("times", times, sizes)
            times_at = memory.address(moments)
        if windows is not None:
            spans = _one_each("time_window", windows, sizes)
            windows_at = memory.address(spans)
        if excluded is not None:
            left, left_sizes = joined(excluded)
            excluded_at = memory.address(left)
            counts += left_sizes
        nodes_at, kind, inline = 0, -8, total
        if (len(arrays) == 1 and total > _SHORT) or _UNSIGNED in [array.dtype for array in arrays]:
            kept, _ = joined(seed_nodes)
            nodes_at, kind, inline = memory.address(kept), integer_kind(kept), 0

        # 2. The record: request, counts, seed nodes if they are few or several arrays, headers, room for small arenas.
        size, room = self._header_words(types, relations), 0 if on else _ROOM
        nodes_from = len(Request._fields) + count + len(counts)
        headers_from = nodes_from + inline
        room_from = headers_from + count * size
        buffer = self._buffer(room_from + room)
        words, at, _ = buffer
        place, turn = (mask(on), self._turn(len(on), count)) if on else (threads, 0)
        pending = -1 if on and count > 1 else 0
        request = Request(count, place, turn, nodes_at, kind, times_at, windows_at, excluded_at, room, pending)
        struct.pack_into(f"{len(request)}q{count}Q{len(counts)}q", words.data, 0, *request, *batch_seeds, *counts)
        if inline:
            np.concatenate(arrays, out=words[nodes_from:headers_from])
        words[headers_from:room_from:size] = 0  # no arenas yet

        # 3. The call.
        call, seconds = (graph.number, self._held.number, at), self._seconds(graph, total, on)
        headers = words[headers_from:room_from]
        arenas: list[Any] = []
        if on:
            read = functools.partial(self._read, on, turn, buffer, headers, size)
            later = self._on_devices(call, words, seconds, headers[::size])
            if later:
                return self._later(PendingBatches(later, named(on), graph, read), graph, count)
            numbers, arenas = read()
        else:
            try:
                self._call(*call, seconds=seconds)
            except BaseException:  # the call may have ended all the same
                for address in headers[::size].tolist():
                    if address:
                        native.call("Return", address)
                raise
            numbers, at = headers.tolist(), room_from
            for address, length in zip(numbers[::size], numbers[1::size], strict=True):
                if address:
                    arenas.append(memory.wrap(address, (length,), _INT64))
                else:
                    arenas.append(words[at : at + length].copy())
                    at += length
            self._buffers.append(buffer)
        if self._weighted:
            graph.warm = True
        return [
            NeighborBatch(
                arena, numbers[i * size : (i + 1) * size], types, relations, self.hops, self.pairs, graph.names
            )
            for i, arena in enumerate(arenas)
        ]

    def sample_one(
        self, graph: HeldHetero, seed_nodes: Array, batch_seed: int, threads: int, on: tuple[int, ...] = CPU
    ) -> NeighborBatch:
        """Samples one batch of a graph of one type, as ``sample`` does, in less time.

        Args:
            graph, threads, on: as for ``sample``.
            seed_nodes: (n,) ints.
            batch_seed: the random seed of the batch, from 0 to 2^64 - 1.

        Raises:
            as ``sample``.
        """
        count, relations = seed_nodes.size, graph.relations
        known = self._most * count <= _QUICK and (graph.warm or not self._weighted)  # to take less than running.LONG
        short = (known and not on) or self._seconds(graph, count, on) < running.LONG
        if not short or count > _SHORT or graph.types > 1 or seed_nodes.dtype == _UNSIGNED:
            return self.sample(graph, [[seed_nodes]], [batch_seed], None, None, threads, on)[0]
        # 1. The record: request, batch seed, seed nodes, header, room for a small arena.
        size = self._sizes.get((1, relations)) or self._header_words(1, relations)
        header_from = _ONE_WORDS + count
        room_from = header_from + size
        buffer = self._buffer(room_from + _ROOM)
        words, at, memory_of = buffer
        place, turn = (mask(on), self._turn(len(on), 1)) if on else (threads, 0)
        _ONE.pack_into(memory_of, 0, 1, place, turn, 0, -8, 0, 0, 0, 0 if on else _ROOM, 0, batch_seed, count)
        words[_ONE_WORDS:header_from] = seed_nodes
        words[header_from] = 0  # no arena yet
        # 2. The call.
        if on:
            headers = words[header_from:room_from]
            self._on_devices((graph.number, self._held.number, at), words, 0.0, headers[:1])
            numbers = headers.tolist()
            self._buffers.append(buffer)
            self._drawn(on, numbers[2])
            device = on[0] if len(on) == 1 else sorted(on)[turn]
            return NeighborBatch(_arena(numbers, device), numbers, 1, relations, self.hops, self.pairs, graph.names)
        try:
            native.call("SampleNeighbors", graph.number, self._held.number, at, 0)
        except BaseException:  # the call may have ended all the same
            if words[header_from]:
                native.call("Return", int(words[header_from]))
            raise
        # 3. The header, and the arena.
        numbers = words[header_from:room_from].tolist()
        address, length = numbers[0], numbers[1]
        arena = memory.wrap(address, (length,), _INT64) if address else words[room_from : room_from + length].copy()
        self._buffers.append(buffer)
        if self._weighted:
            graph.warm = True
        return NeighborBatch(arena, numbers, 1, relations, self.hops, self.pairs, graph.names)

    def _header_words(self, types: int, relations: int) -> int:
        """Returns the length of a header, in int64, for a graph with that number of types and relations."""
        size = self._sizes.get((types, relations))
        if size is None:
            size = self._sizes[types, relations] = header_words(types, relations, self.hops, self.pairs)
        return size

    def _buffer(self, words: int) -> _Buffer:
        """Returns a buffer of at least that many int64, its address, and its bytes.

        Looking up the address takes a good part of a short call, so a finished call returns its buffer to a pool.
        """
        while len(self._buffers) > _POOL:
            self._buffers.pop()
        try:
            buffer = self._buffers.pop()
            if buffer[0].size >= words:
                return buffer
        except IndexError:  # all are in use
            pass
        block = np.empty(words + words // 4 + 64, np.int64)
        return block, memory.address(block), block.data.cast("B")

    # Samples the batches that a record requests, and writes their headers to it.
    _call: Callable[..., object] = staticmethod(functools.partial(running.call, "SampleNeighbors"))

    def _turn(self, devices: int, batches: int) -> int:
        """The place of the GPU that draws the first batch of a call, after the batches of earlier calls."""
        if devices == 1:
            return 0
        with self._lock:
            turn = self._turns
            self._turns += batches
        return turn % devices

    def _later(self, call: PendingBatches, graph: HeldHetero, count: int) -> list[NeighborBatch]:
        """Returns the batches of a call that GPUs have not ended, and ends the call before it."""
        earlier, self._latest = self._latest, weakref.ref(call)
        before = None if earlier is None else earlier()
        if before is not None:
            before.finish()
        if self._weighted:
            graph.warm = True
        shape = graph.types, graph.relations, self.hops, self.pairs
        return [PendingBatch(call, i, shape, graph.names) for i in range(count)]

    @staticmethod
    def _on_devices(call: tuple[int, int, int], record: Array, seconds: float, arenas: Array) -> int:
        """Draws on GPUs. Returns the handle of a call that has not ended, or 0 if the headers have those of arenas."""
        refuse_inherited()
        try:
            running.call("SampleNeighborsOnDevices", *call, seconds=seconds)
            return int(record[_PENDING])
        except BaseException:  # the call may have ended all the same
            if record[_PENDING] > 0:
                native.call("DropNeighbors", int(record[_PENDING]))
            for number in set(arenas.tolist()) - {0}:
                native.call("DropNeighborBatches", number)
            raise

    def _read(
        self, on: tuple[int, ...], turn: int, buffer: _Buffer, headers: Array, size: int
    ) -> tuple[list[int], list[Any]]:
        """Returns the headers of batches that GPUs have drawn, and the arena of each; several usually share one. The
        buffer of their record returns to the pool."""
        numbers, ids = headers.tolist(), sorted(on)
        self._buffers.append(buffer)
        self._drawn(on, any(numbers[2::size]))
        arenas: dict[int, ArenaArray] = {}
        for i in range(0, len(numbers), size):
            if numbers[i] not in arenas:
                arenas[numbers[i]] = _arena(numbers[i : i + 2], ids[(turn + i // size) % len(ids)])
        return numbers, [arenas[number] for number in numbers[::size]]

    def _drawn(self, on: tuple[int, ...], by_host: int) -> None:
        """Records that GPUs have drawn batches, or that the CPU has drawn some for them."""
        if by_host:
            logger.debug("the graph does not fit %s: the CPU drew the mini-batches", named(on))
        elif not self._used.issuperset(on):
            self._used.update(on)

    def _seconds(self, graph: HeldHetero, nodes: int, on: tuple[int, ...]) -> float:
        """Estimates the time of a call from the most edges that it can find."""
        cost = costs()
        edges = min(self._most, float(graph.edges) * self.hops) * max(nodes, 1)
        tables = cost.first_call_edge * graph.edges if self._weighted and not graph.warm else 0.0
        seconds = cost.neighbor_edge * edges + tables
        if not on:
            return seconds
        return seconds / cost.neighbor_gpu if self._used.issuperset(on) else seconds + cost.neighbor_upload


def _arena(header: list[int], device: int) -> ArenaArray:
    """The arena of a batch on a GPU, of which the header begins with the handle and the length."""
    return ArenaArray(HeldBatches(header[0], device), device, 0, header[1])


def most_edges(fanouts: list[list[int]]) -> float:
    """The most edges that are found from one vertex; infinite if a fan-out takes all edges."""
    edges, nodes = 0.0, 1.0
    for hop in fanouts:
        width = float(sum(hop)) if min(hop, default=0) >= 0 else math.inf
        edges, nodes = edges + (nodes * width if width else 0.0), nodes * (1 + width)
    return edges


def joined(batches: list[list[Array]]) -> tuple[Array, list[int]]:
    """The arrays of all batches as one array of one integer type, and their lengths."""
    arrays = batches[0] if len(batches) == 1 else [array for batch in batches for array in batch]
    if len(arrays) == 1:
        return arrays[0], [arrays[0].size]
    some = [array for array in arrays if array.size] or arrays[:1]
    if len({array.dtype for array in some}) > 1:  # numpy would make floats of int64 and uint64
        some = [_as_int64(array) for array in some]
    return np.concatenate(some), [array.size for array in arrays]


def _one_each(name: str, given: list[list[Array]], sizes: list[int]) -> Array:
    """The numbers of all seed nodes as one array."""
    numbers, each = joined(given)
    if each != sizes:
        raise ValueError(f"{name} has {len(numbers)} elements: expected {sum(sizes)}, one per seed")
    return numbers


def _as_int64(array: Array) -> Array:
    """The integers as int64; larger ones become 2^63 - 1, which the core refuses as no vertex."""
    limit = (1 << 63) - 1
    return (np.minimum(array, np.uint64(limit)) if array.dtype == np.uint64 else array).astype(np.int64)
