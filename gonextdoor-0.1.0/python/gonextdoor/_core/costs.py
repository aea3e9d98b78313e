"""The cost of work other than sampling, as the core's cost model has it (gonextdoor/plan/cost.go)."""

from __future__ import annotations

import functools

from . import memory, native, records

__all__ = ["costs"]


@functools.cache
def costs() -> records.Costs:
    """Returns the constants, in seconds. The core is asked once per process."""
    buffer = memory.buffer()
    native.call("Costs", buffer.address)
    read = records.Costs._make(records.COSTS.unpack_from(buffer.bytes))
    buffer.release()
    return read
