"""Exchanges of mini-batches and trees: the part that asks sends its questions to the others and reads their answers."""

from __future__ import annotations

import dataclasses
import os
import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory, native, running
from .graph import PartitionedGraph
from .hetero import PartitionedHeteroGraph
from .part import Part, PartLostError
from .transport import InProcess, Transport

__all__ = ["Asking", "HeldCall", "Traffic"]

Array = npt.NDArray[Any]

ATTEMPTS = 4  # at a question, if the part is lost each time
STEPS = 64  # hops or steps whose rows are counted
BYTE = 2e-9  # seconds to read a byte of an answer, about


@dataclasses.dataclass
class Traffic:
    """What the part that asks has exchanged with others.

    Attributes:
        messages: questions and answers; a hop has at most one of each per part.
        bytes: of them.
        rows: by hop or step, the rows from which edges were chosen.
        asked: by hop or step, those of them that other parts chose from.

    Examples:
        >>> graph = gnd.partition.split(gnd.rmat(8, seed=1), 2)
        >>> sampler = gnd.partition.NeighborSampler(graph, [3, 2])
        >>> batch = sampler.sample([3, 7], batch_seed=1)
        >>> sampler.traffic.rows, sampler.traffic.messages
        ([2, 6], 2)
    """

    messages: int = 0
    bytes: int = 0
    rows: list[int] = dataclasses.field(default_factory=list)
    asked: list[int] = dataclasses.field(default_factory=list)

    def add(self, other: Traffic) -> None:
        """Adds the counts of another call."""
        self.messages, self.bytes = self.messages + other.messages, self.bytes + other.bytes
        self.rows, self.asked = _sums(self.rows, other.rows), _sums(self.asked, other.asked)


def _sums(these: list[int], others: list[int]) -> list[int]:
    """The sums of elements; missing ones count as 0."""
    longest = max(len(these), len(others))
    padded = [list(counts) + [0] * (longest - len(counts)) for counts in (these, others)]
    return [a + b for a, b in zip(*padded, strict=True)]


class HeldCall(native.Held):
    """A handle of a call of the core that asks parts. The owner is what it refers to."""

    __slots__ = ("_owner",)

    def __init__(self, number: int, owner: object) -> None:
        super().__init__(number, "DropPartCall")
        self._owner = owner

    def remade(self) -> int:
        raise RuntimeError("the call was begun before this process was forked: begin it again")

    def traffic(self) -> Traffic:
        """What the call has exchanged so far."""
        counts = np.zeros(2 + 2 * STEPS, np.int64)
        steps = min(native.call("PartCallTraffic", self.number, memory.address(counts), STEPS), STEPS)
        messages, size, *rest = counts.tolist()
        return Traffic(messages, size, rest[: 2 * steps : 2], rest[1 : 2 * steps : 2])


class Asking:
    """A part that asks, and the way to the others.

    Args:
        graph: the partitioned graph.
        home: the part that asks; None: ``Transport.home``.
        transport: the way to the parts; None: they are in this process.

    Attributes:
        graph, home, transport: as given.
        traffic: what all calls have exchanged.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: there is no such part, or the transport has another number of parts.
    """

    def __init__(self, graph: Any, home: Any, transport: Any) -> None:
        if not isinstance(graph, (PartitionedGraph, PartitionedHeteroGraph)):
            raise TypeError(
                f"graph: expected a PartitionedGraph, got {type(graph).__name__}; "
                "gonextdoor.partition.open opens one, gonextdoor.partition.split divides a Graph"
            )
        if home is None:
            home = transport.home if isinstance(transport, Transport) else Transport.home
        if isinstance(home, bool) or not isinstance(home, (int, np.integer)):
            raise TypeError(f"home = {home!r}: expected the number of a part")
        if not 0 <= home < graph.parts:
            raise ValueError(f"home = {home}: expected a part from 0 to {graph.parts - 1}")
        if transport is not None and not isinstance(transport, Transport):
            raise TypeError(f"transport: expected a gonextdoor.partition.Transport, got {type(transport).__name__}")
        if transport is not None and transport.parts != graph.parts:
            raise ValueError(f"transport has {transport.parts} parts: expected {graph.parts}, as many as the graph")
        self.graph, self.home, self.transport = graph, int(home), transport
        self.traffic, self._lock = Traffic(), threading.Lock()
        self._own: tuple[int, Transport] | None = None
        self._part: Part | None = None

    @property
    def part(self) -> Part:
        """The part that asks, which is in this process."""
        if self._part is None:
            there = None if self.transport is None else self.transport.here(self.home)
            self._part = self.graph.part(self.home) if there is None else there
        return self._part

    def _ways(self) -> Transport:
        """The transport. One that was made here is made again in a forked child, which has no threads."""
        if self.transport is not None:
            return self.transport
        if self._own is None or self._own[0] != os.getpid():
            self._own = os.getpid(), InProcess(self.graph)
        return self._own[1]

    def run(self, call: HeldCall) -> None:
        """Exchanges questions and answers until a call is complete.

        Raises:
            PartLostError: a part was lost at every attempt.
            FormatError: a part is not of this graph.
        """
        parts, transport = self.graph.parts, self._ways()
        sizes = np.zeros(parts, np.int64)
        size = 0
        while running.call("PartCallAsk", call.number, memory.address(sizes), seconds=size * BYTE) >= 0:
            # 1. Ask all parts, which work at the same time.
            asked = []
            for part, length in enumerate(sizes.tolist()):
                if length:
                    question = np.empty(length, np.uint8)
                    native.call("PartCallQuestion", call.number, part, memory.address(question))
                    asked.append((part, question, transport.ask(part, "answer", question)))
            # 2. Read the answers.
            answers, size = [], 0
            table = np.zeros((parts, 2), np.int64)
            for part, question, ticket in asked:
                answer = np.ascontiguousarray(_result(transport, part, question, ticket)).view(np.uint8).reshape(-1)
                answers.append(answer)  # keeps the memory until the call has read it
                table[part] = memory.address(answer), answer.size
                size += answer.size
            running.call("PartCallAnswer", call.number, memory.address(table), parts, seconds=size * BYTE)
        with self._lock:
            self.traffic.add(call.traffic())

    def close(self) -> None:
        """Ends the transport, if it was made here."""
        if self._own is not None and self._own[0] == os.getpid():
            self._own[1].close()
        self._own = None

    def __getstate__(self) -> dict[str, Any]:
        return {"graph": self.graph, "home": self.home, "transport": self.transport}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]


def _result(transport: Transport, part: int, question: Array, ticket: Any, attempts: int = ATTEMPTS) -> Any:
    """The answer of a part. A part that was lost is made again and asked again: it keeps nothing between questions."""
    try:
        return transport.result(ticket)
    except PartLostError:
        if attempts == 1:
            raise
    transport.restart(part)
    return _result(transport, part, question, transport.ask(part, "answer", question), attempts - 1)
