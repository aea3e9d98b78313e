"""Part: the rows of one part, and the walks that are at its vertices."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._core import memory, native, running
from .._core.seeds import signed
from ..errors import FormatError
from ..graph.heterofolder import HeteroRecord, has_record, read_record
from ..storage.parts import opened
from .answer import answered
from .inboxes import located

__all__ = ["EDGES", "ENDS", "TRACES", "VISITS", "Cohort", "Part", "PartLostError", "Recorded", "Report"]

Array = npt.NDArray[Any]

TRACES, EDGES, VISITS, ENDS = 1, 2, 4, 8  # what is recorded, as bits

BLOCK = 32  # a driver has 2^32 numbers of cohorts
KEPT = 4  # apps whose tables a part keeps
BYTE = 4e-9  # seconds per byte of an inbox, about


class PartLostError(RuntimeError):
    """A part lost the state of a cohort, for example because its process died.

    Attributes:
        part: the number of the part.
        reason: why it was lost; empty if that is not known.

    Examples:
        >>> str(gnd.partition.PartLostError(2, "its node died"))
        'part 2 was lost: its node died'
    """

    def __init__(self, part: int, reason: str = "") -> None:
        super().__init__(f"part {part} was lost{reason and ': '}{reason}")
        self.part, self.reason = part, reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.part, self.reason)


@dataclasses.dataclass(frozen=True)
class Cohort:
    """Samples that are made together, and made again together if a part is lost.

    Attributes:
        number: of this attempt; no other attempt at these parts has it. Number >> 32 is ``Transport.block``.
        app: the name and the parameters of the app.
        roots: the roots of a sample.
        seed: the seed.
        first_id: the id of the first sample.
        count: the number of samples.
        record: what is recorded: 1 for traces, 2 for the ids of edges, 4 for visits, 8 for ends, added up.

    Examples:
        >>> class Showing(gnd.partition.InProcess):
        ...     def superstep(self, part, cohort, step, inboxes):
        ...         print(part, cohort.app[0], cohort.count, step, cohort.record)
        ...         return super().superstep(part, cohort, step, inboxes)
        >>> graph = gnd.partition.split(gnd.Graph.from_edges([0, 1], [1, 2]), 3, [0, 1, 2])
        >>> with Showing(graph) as transport:
        ...     walks = gnd.partition.sample(graph, gnd.apps.DeepWalk(2), [0, 1], seed=1, transport=transport)
        0 DeepWalk 2 0 1
        1 DeepWalk 2 0 1
        2 DeepWalk 2 0 1
        1 DeepWalk 2 1 1
        2 DeepWalk 2 1 1
    """

    number: int
    app: tuple[str, str]
    roots: int
    seed: int
    first_id: int
    count: int
    record: int


class Report(NamedTuple):
    """The outcome of a superstep at a part.

    Attributes:
        sizes: the bytes of the box to each part; 0: it is empty.
        messages: the messages in all boxes to other parts, without vertices where walks ended.
        boxes: the box to each part: bytes as uint8, or what a transport has for them.

    Examples:
        >>> boxes = [np.zeros(size, np.uint8) for size in (0, 0, 40)]
        >>> report = gnd.partition.Report(sizes=(0, 0, 40), messages=2, boxes=boxes)
        >>> [part for part, size in enumerate(report.sizes) if size]  # the parts that have a next superstep
        [2]
    """

    sizes: tuple[int, ...]
    messages: int
    boxes: Any


class Recorded(NamedTuple):
    """What a part recorded of a cohort.

    Attributes:
        steps: (n, 3) uint32: the walk, the step and the vertex. The number of the walk is sample * roots + root; steps
            count from 0. Of ends, the number of steps and the last vertex.
        edges: (n,) int64: the ids of the steps' edges, -1 if there is none; None if they are not recorded.
        vertices, counts: the vertices that were visited at this part, uint32, and how often, int64.

    Examples:
        >>> steps, none = np.array([[5, 0, 17], [5, 1, 3]], np.uint32), np.empty(0, np.uint32)
        >>> recorded = gnd.partition.Recorded(steps, None, none, none.astype(np.int64))
        >>> recorded.steps[:, 2]  # the vertices of walk 5
        array([17,  3], dtype=uint32)
    """

    steps: Array
    edges: Array | None
    vertices: Array
    counts: Array


class HeldPart(native.Held):
    """A handle of a part."""

    __slots__ = ("_folder", "_part")

    def __init__(self, number: int, folder: str | None, part: int) -> None:
        super().__init__(number, "DropPart")
        self._folder, self._part = folder, part

    def remade(self) -> int:
        if self._folder is None:
            raise RuntimeError("the parts were made in memory before this process was forked: split the graph again")
        number: int = native.call("PartOpen", self._folder, self._part)
        return number


def divided_record(folder: str) -> HeteroRecord:
    """The record of the folder of a partitioned heterogeneous graph.

    Raises:
        OSError: a file cannot be read.
        FormatError: it is not such a folder, or a part of it is missing or another one.
    """
    record = read_record(folder)
    if not record.parts:
        raise FormatError(f"{folder}: the graph is not partitioned; open it with gonextdoor.HeteroGraph.open")
    return record


class HeldHeteroPart(native.Held):
    """A handle of a part of a heterogeneous graph, which keeps those of its relations."""

    __slots__ = ("_relations", "_spec")

    def __init__(
        self, relations: Sequence[HeldPart], num_vertices: Mapping[str, int], names: Sequence[tuple[str, str, str]]
    ) -> None:
        self._relations, types = list(relations), list(num_vertices)
        self._spec = (
            {"types": types, "counts": list(num_vertices.values())},
            [
                {"destination": types.index(d), "source": types.index(s), "name": repr((s, name, d))}
                for s, name, d in names
            ],
        )
        super().__init__(native.call("PartOfRelations", self._text()), "DropPart")

    @classmethod
    def opened(cls, folder: str, number: int) -> HeldHeteroPart:
        """Opens a part of a folder."""
        record = divided_record(folder)
        parts = [HeldPart(native.call("PartOpen", path, number), path, number) for path in record.relations.values()]
        return cls(parts, record.num_vertices, list(record.relations))

    def _text(self) -> str:
        types, relations = self._spec
        graphs = [{**one, "graph": part.number} for one, part in zip(relations, self._relations, strict=True)]
        return json.dumps({**types, "relations": graphs})

    def remade(self) -> int:
        number: int = native.call("PartOfRelations", self._text())
        return number


class HeldState(native.Held):
    """A handle of walks or of a cohort, which keeps what it refers to."""

    __slots__ = ("_owner",)

    def __init__(self, number: int, drop: str, owner: object) -> None:
        super().__init__(number, drop)
        self._owner = owner

    def remade(self) -> int:
        raise RuntimeError("the walks were begun before this process was forked: begin them again")


class HeldCohort(HeldState):
    """A handle of a cohort."""

    __slots__ = ("edges", "last")

    def __init__(self, walks: HeldState, cohort: Cohort) -> None:
        number = native.call("CohortNew", walks.number, signed(cohort.first_id), cohort.count)
        super().__init__(number, "DropCohort", walks)
        self.edges = bool(cohort.record & EDGES)  # whether ids of edges are recorded
        self.last = 0  # the last superstep


def taken(held: native.Held, parts: int) -> Report:
    """The report with the boxes of a cohort to all parts, which are empty afterwards."""
    counts = np.empty(parts, np.int64)
    total = native.call("CohortSizes", held.number, memory.address(counts), parts)
    sizes, messages = counts.tolist(), 0
    together = memory.empty((total,), np.uint8)
    if total:
        messages = native.call("CohortEncode", held.number, memory.address(together), total)
    boxes, first = [], 0
    for size in sizes:
        boxes.append(together[first : first + size])
        first += size
    return Report(tuple(sizes), messages, boxes)


class Part:
    """One part of a partitioned graph, which may be heterogeneous: its rows, and the walks that are at its vertices.

    A transport makes one for each part, where it runs, and calls ``superstep``, ``collect`` and ``forget``. The calls
    for one cohort follow one another; those for several cohorts may run at the same time.

    Args:
        folder: the folder of the partitioned graph, or its URI, from which the part is copied to this machine; see
            ``open``.
        number: the part, from 0.

    Attributes:
        folder: the folder, or its URI; None if the part is in memory.
        number: the part.
        parts: the number of parts.

    Raises:
        IndexError: there is no such part.
        OSError: the part cannot be read, or not be copied.
        FormatError: it is not of this partitioned graph, or is damaged.

    Examples:
        >>> gnd.partition.write(gnd.rmat(8, seed=1), "parts", parts=2)
        >>> gnd.partition.Part("parts", 1)
        Part(1 of 2)
    """

    __slots__ = ("_building", "_cohorts", "_held", "_retired", "_walks", "folder", "number", "parts")

    _held: Any  # a HeldPart, or a HeldHeteroPart

    def __init__(self, folder: str, number: int) -> None:

        def held(here: str) -> HeldPart | HeldHeteroPart:
            if has_record(here):
                return HeldHeteroPart.opened(here, number)
            return HeldPart(native.call("PartOpen", here, number), here, number)

        self._take(folder, number, opened(folder, number, held))

    @classmethod
    def _of_memory(cls, number: int, held: HeldPart | HeldHeteroPart) -> Part:
        """A part in memory."""
        part = cls.__new__(cls)
        part._take(None, number, held)
        return part

    def _take(self, folder: str | None, number: int, held: HeldPart | HeldHeteroPart) -> None:
        self.folder, self.number, self._held = folder, number, held
        self.parts: int = native.call("PartCount", held.number)
        self._walks: dict[tuple[Any, ...], HeldState] = {}
        self._building = threading.Lock()  # guards the walks: each table is built once
        self._cohorts: dict[int, HeldCohort] = {}
        self._retired: set[int] = set()  # blocks of numbers

    def __repr__(self) -> str:
        return f"Part({self.number} of {self.parts})"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.folder is None:
            raise TypeError("a part in memory cannot be pickled: write it with gonextdoor.partition.write")
        return Part, (self.folder, self.number)

    def superstep(self, cohort: Cohort, step: int, inboxes: Sequence[Array]) -> Report:
        """Advances the walks that other parts sent, until each has ended or needs another part.

        Args:
            cohort: the cohort.
            step: the superstep, from 0. Superstep 0 begins the cohort.
            inboxes: the boxes for this part, of the superstep before, in any order.

        Raises:
            PartLostError: this part does not know the cohort, made the superstep before, or has retired the cohort.
            FormatError: a box is not of this cohort.
        """
        held = self._state(cohort, step)
        given = located(inboxes)
        where, seconds = memory.address(given.table), given.size * BYTE
        running.call("CohortRun", held.number, where, len(given.table), seconds=seconds, progress=False)
        return taken(held, self.parts)

    def _state(self, cohort: Cohort, step: int) -> HeldCohort:
        """The state of a cohort, which superstep 0 begins."""
        if step == 0:
            held = self._cohorts[cohort.number] = HeldCohort(self._walks_of(cohort), cohort)
            if cohort.number >> BLOCK in self._retired:  # or retire finds the cohort, which runs in another thread
                self.forget(cohort.number)
                raise PartLostError(self.number, f"cohort {cohort.number} is of an attempt that has ended")
            return held
        known = self._cohorts.get(cohort.number)
        if known is None or known.last >= step:
            raise PartLostError(self.number, f"it has not made the supersteps of cohort {cohort.number} before {step}")
        known.last = step
        return known

    def _walks_of(self, cohort: Cohort) -> HeldState:
        """The walks of a cohort's app, with the tables that it reads. Those of the last apps are kept."""
        key = cohort.app, cohort.roots, cohort.seed, cohort.record
        with self._building:
            walks = self._walks.pop(key, None)
            if walks is None:
                arguments = *cohort.app, cohort.roots, signed(cohort.seed), cohort.record
                walks = HeldState(native.call("PartWalks", self._held.number, *arguments), "DropWalks", self._held)
            self._walks[key] = walks
            while len(self._walks) > KEPT:
                del self._walks[next(iter(self._walks))]
            return walks

    def answer(self, question: Array) -> Array:
        """Answers a question about rows of this part: the edges that they choose. The part keeps nothing of it.

        Args:
            question: (n,) uint8: what another part sent.

        Returns:
            (m,) uint8: the answer.

        Raises:
            FormatError: the question is not of this graph.
        """
        return answered(self._held.number, question)

    def collect(self, number: int) -> Recorded:
        """Returns what this part recorded of a cohort, and forgets the cohort.

        Args:
            number: ``Cohort.number``.

        Raises:
            PartLostError: this part does not know the cohort.
        """
        held = self._cohorts.get(number)
        if held is None:
            raise PartLostError(self.number, f"it does not know cohort {number}")
        count = native.call("CohortSteps", held.number, 0, 0)
        steps, edges = memory.empty((count, 3), np.uint32), None
        if held.edges:
            edges = memory.empty((count,), np.int64)
        if count:
            where = 0 if edges is None else memory.address(edges)
            native.call("CohortSteps", held.number, memory.address(steps), where)
        visited = native.call("CohortVisits", held.number, 0, 0)
        vertices, counts = np.empty(visited, np.uint32), np.empty(visited, np.int64)
        if visited:
            native.call("CohortVisits", held.number, memory.address(vertices), memory.address(counts))
        self.forget(number)
        return Recorded(steps, edges, vertices, counts)

    def forget(self, number: int) -> None:
        """Forgets a cohort, if this part knows it."""
        self._cohorts.pop(number, None)

    def retire(self, block: int) -> None:
        """Forgets all cohorts of a driver that has ended, and refuses their supersteps that are still to come.

        Args:
            block: ``Transport.block`` of the driver, not 0.
        """
        self._retired.add(block)
        for number in [number for number in list(self._cohorts) if number >> BLOCK == block]:
            self.forget(number)
