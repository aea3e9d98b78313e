"""ActorCalls: calls of the parts of a partitioned graph, which are actors."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..partition import Cohort, PartLostError, Recorded, Report, Transport
from .framework import ray

__all__ = ["LARGE", "LOST", "ActorCalls", "Counts", "Packed"]

Array = npt.NDArray[Any]

# Bytes from which a box is a separate object, which passes from actor to actor. Smaller ones are in the report, and
# pass through the driver: an object costs as much CPU time as copying about 1 MB.
LARGE = 1 << 20

# Errors of Ray that mean that an actor, or what it returned, was on a machine that is lost.
LOST = (
    ray.exceptions.RayActorError,
    ray.exceptions.ActorUnavailableError,
    ray.exceptions.ObjectLostError,
    ray.exceptions.OwnerDiedError,
    ray.exceptions.GetTimeoutError,
)


@dataclasses.dataclass
class Counts:
    """What calls of parts have returned.

    Attributes:
        steps: the steps of walks.
        messages: walkers that were sent, questions and answers.
        bytes: of boxes and answers.
    """

    steps: int = 0
    messages: int = 0
    bytes: int = 0

    def add(self, value: Any) -> None:
        """Adds the result of a call, or the counts of others."""
        if isinstance(value, Report):
            self.messages += value.messages
            self.bytes += sum(value.sizes)
        elif isinstance(value, Recorded):
            self.steps += len(value.steps)
        elif isinstance(value, np.ndarray):
            self.messages += 2
            self.bytes += value.nbytes
        elif isinstance(value, Counts):
            self.steps, self.messages = self.steps + value.steps, self.messages + value.messages
            self.bytes += value.bytes


class Packed(NamedTuple):
    """Boxes as they pass between processes: small ones in one array, since each array of a call takes time.

    Attributes:
        sizes: the bytes of each box.
        small: the boxes below ``LARGE``, one after the other.
        large: the others, by their position: objects in Ray's store, which pass from actor to actor.
    """

    sizes: tuple[int, ...]
    small: Array
    large: dict[int, Any]

    @classmethod
    def of(cls, boxes: Sequence[Any]) -> Packed:
        """Packs boxes that are arrays, or objects already."""
        small = [box for box in boxes if not isinstance(box, ray.ObjectRef)]
        together = np.concatenate(small) if small else np.empty(0, np.uint8)
        large = {at: box for at, box in enumerate(boxes) if isinstance(box, ray.ObjectRef)}
        return cls(tuple(0 if at in large else box.size for at, box in enumerate(boxes)), together, large)

    def boxes(self) -> list[Any]:
        """The boxes in their order."""
        ends = np.cumsum(self.sizes).tolist()
        views = [self.small[end - size : end] for end, size in zip(ends, self.sizes, strict=True)]
        return [self.large.get(at, view) for at, view in enumerate(views)]


class ActorCalls(Transport):
    """A transport whose parts are actors. A ticket is the part and Ray's reference.

    Attributes:
        counts: what the calls have returned.
    """

    def __init__(self, parts: int) -> None:
        self.parts, self.counts = parts, Counts()

    def _actor(self, part: int) -> Any:
        """The actor of a part."""
        raise NotImplementedError

    def superstep(self, part: int, cohort: Cohort, step: int, inboxes: Sequence[Any]) -> Any:
        packed = Packed.of(inboxes)
        call = self._actor(part).superstep
        # Ray waits for objects that are arguments, not for those in arguments.
        return part, call.remote(cohort, step, packed._replace(large={}), *packed.large.values())

    def ask(self, part: int, method: str, *arguments: Any) -> Any:
        return part, self._actor(part).call.remote(method, *arguments)

    def result(self, ticket: Any) -> Any:
        part, reference = ticket
        try:
            value = ray.get(reference)
        except LOST as error:
            raise PartLostError(part, type(error).__name__) from error
        except ray.exceptions.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, LOST):  # an inbox was lost
                raise PartLostError(part, type(cause).__name__) from error
            if not isinstance(cause, Exception):
                raise
            raise cause from error
        if isinstance(value, Report):
            value = value._replace(boxes=value.boxes.boxes())
        self.counts.add(value)
        return value
