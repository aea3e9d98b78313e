"""Times at which walks start and end: one for all roots, or one per root; integers or dates."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory
from .._core.arguments import integers
from .._core.checks import check_int
from .._core.dates import as_dates, as_length, whole_times

__all__ = ["Time", "checked_order", "checked_time", "checked_window", "passed_time"]

Array = npt.NDArray[Any]
Time = int | str | datetime.date | np.datetime64 | npt.ArrayLike

LEAST, MOST = -(1 << 63), (1 << 63) - 1


def checked_time(name: str, value: Any) -> int | np.datetime64 | Array | None:
    """A time, or a read-only copy of one per root."""
    value = as_dates(name, value)
    if value is None or isinstance(value, np.datetime64):
        return value
    if not isinstance(value, bool) and hasattr(value, "__index__") and getattr(value, "ndim", 0) == 0:
        return check_int(name, value, LEAST, MOST)
    if isinstance(value, (bool, float)):
        raise TypeError(f"{name} = {value!r}: expected an int or a date, or an array with one per root")
    times: Array = value if getattr(value, "dtype", np.dtype(int)).kind == "M" else integers(name, value)
    if times.ndim != 1:
        raise ValueError(f"{name} has shape {times.shape}: expected one time, or (n,) times for n roots")
    kept = times.copy() if times.dtype.kind == "M" else np.array(whole_times(name, times))
    kept.setflags(write=False)
    return kept


def checked_window(name: str, value: Any) -> Any:
    """A length of time, at least 0: an int, a ``timedelta64`` or None."""
    if value is None or not isinstance(value, (datetime.timedelta, np.timedelta64)):
        return None if value is None else check_int(name, value, 0, MOST)
    length = as_length(value)
    if not length >= np.timedelta64(0):  # NaT, too
        raise ValueError(f"{name} = {value!r}: expected at least 0")
    return length


def checked_order(start: Any, end: Any, direction: str) -> None:
    """Raises an error if no edge is between a start and an end that all walks have."""
    if any(time is None or isinstance(time, np.ndarray) for time in (start, end)) or type(start) is not type(end):
        return
    if start > end if direction == "forward" else start < end:
        side, way = ("after", "forward") if direction == "forward" else ("before", "backward")
        raise ValueError(f'start = {start}: it is {side} end = {end}, so no walk of direction = "{way}" has an edge')


def passed_time(time: Any) -> Any:
    """A time as it is passed to the core. Dates depend on the graph's unit and are left out."""
    if isinstance(time, np.datetime64) or (isinstance(time, np.ndarray) and time.dtype.kind == "M"):
        return None
    if isinstance(time, np.ndarray):
        return memory.described(time)
    return time
