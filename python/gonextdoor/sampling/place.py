"""Place: the devices that run a sampling call, and the time that it will take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._core import native, running
from .._core.log import DEBUG, logger
from ..device import devices
from .explanation import log_call

if TYPE_CHECKING:
    from .call import Call
    from .estimate import Estimate

__all__ = ["Place", "place"]


class Place:
    """The devices that run a call.

    Attributes:
        devices: the GPUs; empty: the CPU.
        roots: the roots of the call, in memory that the devices read.
        tables: names the app's tables in ``Graph._warm``.
        cold: whether the tables must be made.
        seconds: the expected time of the call.
    """

    __slots__ = ("cold", "devices", "roots", "seconds", "tables")

    def __init__(self, call: Call, ids: tuple[int, ...], expected: Estimate) -> None:
        self.devices = ids
        self.roots = call.roots if call.roots.array is not None else call.roots.among(ids)
        self.tables: tuple[Any, ...] = type(call.app), ids
        self.cold = cold = self.tables not in call.sampled._warm
        seconds = expected.until(len(ids), tables=cold) if ids or cold else expected.cpu
        if ids and seconds < running.LONG <= expected.cpu and call.samplers.exceeds(call.sampled, call.app, ids):
            seconds = expected.cpu  # the estimate for GPUs is that of a graph in their memory
        self.seconds = seconds
        # Short calls on built tables are not logged, nor delayed.
        if (cold or seconds >= running.LONG) and logger.isEnabledFor(DEBUG):
            log_call(call, ids, seconds)


def place(call: Call) -> Place:
    """Chooses the devices of a call: those that are named or have the roots, or else the GPU if it is expected to
    finish before the CPU. "auto" is the CPU if the GPU does not run the app."""
    samplers = call.samplers
    expected = samplers.estimate(call.sampled, call.app, call.rows, call.threads)
    ids, _ = call.preferred()
    if call.devices is not None or ids == devices.CPU or (ids is None and expected.cpu < expected.gpu):
        return Place(call, ids or devices.CPU, expected)
    asked = call.sampled._held.number, call.app._planned().number, samplers.roots
    if ids is not None:
        ids = ids if native.call("DeviceRuns", *asked) else devices.CPU
    else:
        id = native.call("DeviceFor", *asked, min(call.rows, 1 << 62), expected.cpu, expected.gpu)
        ids = devices.CPU if id < 0 else (id,)
    try:
        if ids:
            samplers.sampler(call.sampled, call.app, ids)
    except ImportError:  # no compiler for GPUs is installed
        ids = devices.CPU
    return Place(call, ids, expected)
