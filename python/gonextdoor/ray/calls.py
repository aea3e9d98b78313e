"""ActorCalls: calls of the parts of a partitioned graph, which are actors."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..partition import Cohort, PartLostError, Recorded, Report, Transport
from .framework import ray

__all__ = ["ActorCalls", "Counts"]

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
        small = [box for box in inboxes if not isinstance(box, ray.ObjectRef)]
        large = [box for box in inboxes if isinstance(box, ray.ObjectRef)]
        return part, self._actor(part).superstep.remote(cohort, step, small, *large)

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
        self.counts.add(value)
        return value
