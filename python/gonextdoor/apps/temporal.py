"""Walks in the order of the times of edges."""

from __future__ import annotations

import dataclasses
import datetime
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .._core import memory
from .._core.arguments import integers
from .._core.checks import check_int, checked_count, checked_flag
from .._core.dates import as_dates, as_length, duration, moment, whole_times
from .app import SamplingApp
from .arrays import ArrayApp
from .parameters import MAX_LENGTH, checked_word, put
from .picture import app_parameters

__all__ = ["TemporalWalk"]

Array = npt.NDArray[Any]
Time = int | str | datetime.date | np.datetime64 | npt.ArrayLike

LEAST, MOST = -(1 << 63), (1 << 63) - 1


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class TemporalWalk(ArrayApp):
    """Walks of ``length`` steps along edges in order of time (CTDNE: Nguyen et al., WWW'18 Companion; Tempest).

    Forward, each edge is later than the one before it; backward, earlier. The first step takes any edge of the root.
    Parallel edges are separate candidates of a step. A walk ends at a vertex without a candidate; later vertices of the
    sample are -1. ``edges=True`` of ``gonextdoor.sample`` returns the edges, and so their times. Weights are ignored.

    A walk can have limits in time: ``start``, ``start_window`` and ``end``. Both ends of the period are included, and
    edges outside of it are no candidates. With ``direction="backward"`` a walk leads back from its start to an earlier
    end. If the graph was read with dates (``graph.time_unit``), limits may be dates: ``datetime``, ``np.datetime64`` or
    text of ISO 8601, in UTC unless they have a time zone. A root without an edge in its period has a walk of no edges.

    The first walk orders the rows by time (20 bytes per edge for each direction and strictness, 8 for each scale, and 8
    if there are limits). The tables are kept with the graph.

    Args:
        length: steps of a walk, from 0 (default 80). A sample has length + 1 vertices.
        direction: the direction in time: with ``"forward"`` (default) times ascend along the walk; with
            ``"backward"`` they descend.
        bias: how edges are chosen: ``"uniform"`` (default) chooses them uniformly at random; ``"linear"`` chooses the
            i-th nearest in time of n in proportion to n + 1 - i; ``"exponential"`` in proportion to exp(-d / scale), d
            being the time from the nearest. The nearest edge is the earliest, or backward the latest.
        strict: whether successive edges have different times (default True). False also permits equal times, as CTDNE
            does.
        scale: the time in which ``"exponential"`` falls to 1/e, an int from 1 in the unit of the graph's times; None
            (default): the mean time between two edges of a vertex, which is the graph's time span divided by the mean
            degree, rounded down, and at least 1.
        start: the time at which walks start, an int or a date: the first edge is at it or later, or backward at it or
            earlier. Or (n,) times, one per root of the call. None (default): any time.
        start_window: the longest time from the start to the first edge, an int from 0 or a ``timedelta``; None
            (default): any.
        end: the time at which walks end, an int or a date: edges are at it or earlier, or backward at it or later. Or
            (n,) times, one per root. None (default): any time.

    Raises:
        TypeError: a parameter is of the wrong type; or, in a call, a date is given but the graph's times have no unit.
        ValueError: a parameter is out of range, a scale is given for another bias, a window without a start, or a start
            after the end; or, in a call, there are not as many times as roots.

    Examples:
        >>> graph = gnd.Graph.from_edges([0, 0, 1, 1, 2], [1, 2, 2, 3, 3], times=[5, 9, 4, 6, 7])
        >>> gnd.sample(graph, gnd.apps.TemporalWalk(2), [0, 1], seed=1).numpy()
        array([[ 0,  2, -1],
               [ 1,  2,  3]], dtype=int32)
        >>> gnd.sample(graph, gnd.apps.TemporalWalk(2, start=[5, 6], end=8), [0, 1], seed=1).numpy()
        array([[ 0,  1,  3],
               [ 1,  3, -1]], dtype=int32)
    """

    length: int = 80
    direction: Literal["forward", "backward"] = "forward"
    bias: Literal["uniform", "linear", "exponential"] = "uniform"
    strict: bool = True
    scale: int | None = None
    start: Time | None = None
    start_window: int | datetime.timedelta | np.timedelta64 | None = None
    end: Time | None = None

    def __post_init__(self) -> None:
        length = checked_count("length", self.length, 0, MAX_LENGTH)
        checked_word("direction", self.direction, ("forward", "backward"))
        checked_word("bias", self.bias, ("uniform", "linear", "exponential"))
        scale = self.scale
        if scale is not None:
            scale = checked_count("scale", scale, 1, (1 << 63) - 1)
            if self.bias != "exponential":
                raise ValueError(f'scale = {scale}: only bias="exponential" has a scale')
        start, end = checked_time("start", self.start), checked_time("end", self.end)
        window = checked_window("start_window", self.start_window)
        if window is not None and start is None:
            raise ValueError(f"start_window = {window}: it begins at the start of walks; pass start, too")
        checked_order(start, end, self.direction)
        put(self, length=length, strict=checked_flag("strict", self.strict), scale=scale)
        put(self, start=start, start_window=window, end=end)
        dated = any(getattr(limit, "dtype", np.dtype(int)).kind in "mM" for limit in (start, window, end))
        put(self, _infers=dated, _per_root=self.per_root() is not None)  # _on converts the dates

    def parameters(self) -> dict[str, Any]:
        given = SamplingApp.parameters(self)  # with those that are None
        if self._infers:
            return given | {"start": None, "start_window": None, "end": None}
        return given | {"start": passed_time(self.start), "end": passed_time(self.end)}

    def per_root(self) -> str | None:
        """Returns the name of a parameter that has one time per root, or None if there is none."""
        return next((name for name in ("start", "end") if isinstance(getattr(self, name), np.ndarray)), None)

    def _check_roots(self, count: int) -> None:
        """Raises an error if there are times per root for another number of roots."""
        for name in ("start", "end"):
            times = getattr(self, name)
            if isinstance(times, np.ndarray) and len(times) != count:
                expected = f"expected {count}, one per root, or one time for all roots"
                raise ValueError(f"{name} has {len(times)} elements: {expected}")

    def _on(self, graph: Any) -> SamplingApp:
        if not self._infers:
            return self
        converted: dict[str | None, TemporalWalk] = self.__dict__.setdefault("_converted", {})
        unit = graph.time_unit
        if unit not in converted:
            limits: dict[str, Any] = {"start": None, "start_window": None, "end": None}
            if graph._info["times"]:  # otherwise the core refuses the graph
                window = duration("start_window", self.start_window, unit)
                limits = {"start": moment("start", self.start, unit), "end": moment("end", self.end, unit)}
                limits["start_window"] = window
            converted[unit] = dataclasses.replace(self, **limits)
        return converted[unit]

    def __repr__(self) -> str:
        shown = app_parameters(self).items()
        return f"TemporalWalk({', '.join(f'{name}={text}' for name, text in shown)})"


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
