"""PartActor: a part of a partitioned graph in a process of a cluster."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._version import __version__
from ..partition import Cohort, Part, PartLostError, Report
from ..storage.head import head_of
from ..storage.location import located
from .calls import LARGE, ActorCalls, Counts, Packed
from .failed import reported
from .framework import ray
from .meters import Busy, Clock, count

if TYPE_CHECKING:
    from ..ranges.ranges import Ranges

__all__ = ["PartActor"]


class PartActor:
    """A part in a process of the cluster. Its arguments are texts and a number, so that it restarts anywhere.

    Args:
        version: of gonextdoor in the process that made the actor.
        folder: of the partitioned graph, or its URI.
        digest: of the graph.
        number: the part.

    It opens the part at its first call, which raises the error if that fails: Ray would report a lost actor if the
    constructor did.
    """

    def __init__(self, version: str, folder: str, digest: str, number: int) -> None:
        self._version, self._folder, self._digest, self._number = version, folder, digest, number
        self._opened: Part | None = None
        self._opening = threading.Lock()
        self._clock = Clock()

    def superstep(self, cohort: Cohort, step: int, packed: Packed, *large: Any) -> Report:
        """The report of a superstep, whose boxes are packed."""
        inboxes = [box for box in packed.boxes() if box.size] + list(large)
        report = self._part().superstep(cohort, step, inboxes)
        boxes = [ray.put(box) if box.size >= LARGE else box for box in report.boxes]
        return report._replace(boxes=Packed.of(boxes))

    def make(
        self, run: Ranges, ids: range, path: str | None, compression: str, actors: Sequence[Any], block: int
    ) -> tuple[Any, Counts, Busy]:
        """Makes a range of a run with the other parts. Returns the size of its file, or its table, and what that took.

        Args:
            run: the run.
            ids: the range.
            path, compression: as for ``Ranges.write``; None: a table.
            actors: those of all parts.
            block: of the numbers of the cohorts.
        """
        peers = Peers(actors, self._part(), block)
        try:
            if path is None:
                made = run.table(ids, transport=peers)
            else:
                made = run.write(ids, path, compression=compression, transport=peers)
        except PartLostError:
            raise
        except Exception as error:
            raise reported(error, ids) from error
        busy = self._clock.now()
        count(peers.counts, self._number)
        return made, peers.counts, busy

    def call(self, method: str, *arguments: Any) -> Any:
        """Calls a method of the part."""
        return getattr(self._part(), method)(*arguments)

    def node(self) -> str:
        """The node that the part is on, when it is open."""
        self._part()
        return str(ray.get_runtime_context().get_node_id())

    def _part(self) -> Part:
        with self._opening:
            if self._opened is None:
                self._check_version()
                head_of(located("folder", self._folder), self._digest)  # the graph of the run
                self._opened = Part(self._folder, self._number)
            return self._opened

    def _check_version(self) -> None:
        if self._version != __version__:
            raise RuntimeError(
                f"part {self._number}: this machine ({os.uname().nodename}) has gonextdoor {__version__}, but the run "
                f"was made by {self._version}: install the same version on all machines"
            )


class Peers(ActorCalls):
    """The way from a part to all parts. The process that made the actors makes lost ones again, and redoes the range.

    Args:
        actors: of the parts.
        part: the part in this process.
        block: of the numbers of cohorts.
    """

    redone = True
    cohorts = 1  # of a range: the fewer, the fewer calls. The parts make several ranges at once

    def __init__(self, actors: Sequence[Any], part: Part, block: int) -> None:
        super().__init__(len(actors))
        self._actors, self._own = actors, part
        self.home, self.block = part.number, block

    def _actor(self, part: int) -> Any:
        return self._actors[part]

    def here(self, part: int) -> Part | None:
        return self._own if part == self.home else None

    def restart(self, part: int) -> None:
        raise PartLostError(part)

    def close(self) -> None:
        """Does nothing: the process that made the actors ends them."""
