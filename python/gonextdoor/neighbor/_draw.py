"""What is drawn around a batch, and the call of the core that draws it, for any number of batches at once."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory, native, running
from .._core.arguments import integer_kind
from ..device.devices import CPU, refuse_inherited
from ..graph.hetero import HeldHetero
from .batch import Drawn
from .device import ArenaArray, HeldBlocks

__all__ = ["Rule"]

Array = npt.NDArray[Any]


class Rule:
    """What is drawn around each batch, whatever the graph: app.MiniBatch."""

    __slots__ = ("_held", "_most", "_rooms", "_used", "hops", "pairs", "parameters")

    def __init__(self, fanouts: list[list[int]], **parameters: Any) -> None:
        self.parameters = {"fanouts": fanouts, **parameters}
        self._held = native.HeldText("NewMiniBatch", "DropMiniBatch", json.dumps(self.parameters))
        self.hops, self.pairs = len(fanouts), parameters["layout"] == "coo"
        self._most = most(fanouts)
        self._used: set[int] = set()  # GPUs
        self._rooms: list[tuple[Array, int]] = []

    def draw(
        self,
        graph: HeldHetero,
        seeds: list[list[Array]],
        words: list[int],
        times: list[list[Array]] | None,
        excluded: list[list[Array]] | None,
        threads: int,
        on: tuple[int, ...] = CPU,
    ) -> list[Drawn]:
        """The neighbourhoods of batches, whose arrays come by type and by relation, drawn on the CPU or a GPU."""
        count, types, relations = len(seeds), graph.types, graph.relations
        if not count:
            return []
        size = 2 + types * (3 + self.hops) + relations * (3 + self.hops if self.pairs else 6 * self.hops)
        arrays = [array for batch in seeds for array in batch]
        sizes = [array.size for array in arrays]
        moments, left = _NOTHING, _NOTHING
        left_sizes: list[int] = []
        if times is not None:
            moments, each = joined(times)
            if each != sizes:
                raise ValueError(f"times has {len(moments)} elements: expected {sum(sizes)}, one a seed")
        if excluded is not None:
            left, left_sizes = joined(excluded)
        told = [word - (word >> 63 << 64) for word in words] + sizes + left_sizes
        facts_end, told_end, total = count * size, count * size + len(told), sum(sizes)
        copied = len(arrays) > 1 or total <= _SHORT
        room = self._take(told_end + (total if copied else 0))
        block, at = room
        block[:facts_end] = 0
        block[facts_end:told_end] = told
        vertices_at, kind, whole = at + 8 * told_end, -8, None
        if not copied or _UNSIGNED in {array.dtype for array in arrays}:
            whole, _ = joined(seeds)
            vertices_at, kind = memory.address(whole), integer_kind(whole)
        elif len(arrays) == 1:
            block[told_end : told_end + total] = arrays[0]
        else:
            np.concatenate(arrays, out=block[told_end : told_end + total])
        sizes_at = at + 8 * (facts_end + count)
        args = (
            graph.number, self._held.number, count, at + 8 * facts_end, vertices_at, kind, sizes_at,
            0 if times is None else memory.address(moments), 0 if excluded is None else memory.address(left),
            0 if excluded is None else sizes_at + 8 * len(sizes), at,
        )  # fmt: skip
        facts = block[:facts_end]
        seconds = self._seconds(graph, total)
        if on:
            numbers, arenas = self._on_device(args, on[0], seconds, facts, size)
        else:
            numbers, arenas = self._on_host((*args, threads), seconds, facts, size)
        self._rooms.append(room)
        if self.parameters["weighted"] is not False:
            graph.warm = True
        return [
            Drawn(arena, numbers[i * size : (i + 1) * size], types, relations, self.hops, self.pairs)
            for i, arena in enumerate(arenas)
        ]

    def _take(self, words: int) -> tuple[Array, int]:
        """An array of so many int64, for what goes to the core and comes from there, and its address. To ask for that
        takes a good part of a call, so who has made his leaves the array for the next."""
        while len(self._rooms) > _KEPT:
            self._rooms.pop()
        try:
            block, at = self._rooms.pop()
            if block.size >= words:
                return block, at
        except IndexError:  # all are in use
            pass
        block = np.empty(words + words // 4 + 64, np.int64)
        return block, memory.address(block)

    def _on_host(self, args: tuple[int, ...], seconds: float, facts: Array, size: int) -> tuple[list[int], list[Any]]:
        """Draws, and gives what the core tells, and the arena of each batch."""
        try:
            running.call("DrawBatches", *args, seconds=seconds)
        except BaseException:  # the call may have ended all the same
            for address in facts[::size].tolist():
                if address:
                    native.call("Return", address)
            raise
        numbers = facts.tolist()
        where = zip(numbers[::size], numbers[1::size], strict=True)
        return numbers, [memory.wrap(address, (length,), _INT64) for address, length in where]

    def _on_device(
        self, args: tuple[int, ...], device: int, seconds: float, facts: Array, size: int
    ) -> tuple[list[int], list[Any]]:
        """The same on a GPU, where several mostly have one arena."""
        refuse_inherited()
        used = device in self._used
        try:
            # The first call takes the graph there.
            running.call("DrawBatchesOnDevice", *args, device, seconds=seconds / 50 if used else seconds + 1.0)
        except BaseException:
            for number in set(facts[1::size].tolist()) - {0}:
                native.call("DropBlocks", number)
            raise
        self._used.add(device)
        numbers = facts.tolist()
        arenas: dict[int, ArenaArray] = {}
        for i in range(0, len(numbers), size):
            length, number = numbers[i : i + 2]
            if number not in arenas:
                arenas[number] = ArenaArray(HeldBlocks(number, f"cuda:{device}"), device, 0, length)
        return numbers, [arenas[number] for number in numbers[1::size]]

    def _seconds(self, graph: HeldHetero, seeds: int) -> float:
        """What a call may take, by the most edges that it can find."""
        edges = min(self._most, float(graph.edges) * self.hops) * max(seeds, 1)
        tables = 0.0 if graph.warm or self.parameters["weighted"] is False else 3e-8 * graph.edges
        return 2e-8 * edges + tables


_NOTHING = np.empty(0, np.int64)
_INT64, _UNSIGNED = np.dtype(np.int64), np.dtype(np.uint64)
_KEPT = 8  # arrays that are kept for the next calls
_SHORT = 2048  # seeds that are copied in less time than it takes to ask for their address


def most(fanouts: list[list[int]]) -> float:
    """The most edges that are found from one vertex; infinite where all of a vertex's are."""
    edges, nodes = 0.0, 1.0
    for hop in fanouts:
        width = float(sum(hop)) if min(hop, default=0) >= 0 else math.inf
        edges, nodes = edges + (nodes * width if width else 0.0), nodes * (1 + width)
    return edges


def joined(batches: list[list[Array]]) -> tuple[Array, list[int]]:
    """The arrays of all batches one behind the other, of one type of integers, and their lengths."""
    arrays = batches[0] if len(batches) == 1 else [array for batch in batches for array in batch]
    if len(arrays) == 1:
        return arrays[0], [arrays[0].size]
    some = [array for array in arrays if array.size] or arrays[:1]
    if len({array.dtype for array in some}) > 1:  # int64 beside uint64 would make floats
        some = [_wide(array) for array in some]
    return np.concatenate(some), [array.size for array in arrays]


def _wide(array: Array) -> Array:
    """The integers as int64; those beyond are refused by the core as they stand for no vertex."""
    limit = (1 << 63) - 1
    return (np.minimum(array, np.uint64(limit)) if array.dtype == np.uint64 else array).astype(np.int64)
