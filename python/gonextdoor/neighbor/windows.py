"""Time windows of the seed nodes of loaders: edges from a start to an end, for each seed node."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["chosen_end", "refuse_length", "window_of"]

Array = npt.NDArray[Any]

_FIRST, _LONGEST = -(1 << 63), (1 << 63) - 1


def chosen_end(name: str, given: Any, end: Any) -> Any:
    """The ends of the windows: the argument of that name, or ``input_end_time``.

    Raises:
        ValueError: both are given.
    """
    if given is not None and end is not None:
        raise ValueError(f"{name} and input_end_time: both are the ends of the windows; pass only one of them")
    return given if end is None else end


def refuse_length(name: str, values: Any, count: int, each: str) -> None:
    """Raises an error unless there is one time for each seed."""
    if len(values) != count:
        raise ValueError(f"{name} has {len(values)} elements: expected {count}, one per {each}")


def window_of(starts: Array | None, ends: Array, strict: bool) -> tuple[Array, Array | None]:
    """The times and windows by which the core takes edges of a time from ``starts[i]`` to ``ends[i]``.

    Args:
        starts: (n,) int64; None: any edge until the end.
        ends: (n,) int64.
        strict: whether edges at the end are left out.

    Returns:
        (times, windows): (n,) int64 each; windows is None without starts. A start more than 2^63 - 1 before the last
        time counts as 2^63 - 1 before it.

    Raises:
        ValueError: a window ends before it begins, or contains no time.
    """
    if starts is not None:
        wrong = np.flatnonzero(starts >= ends if strict else starts > ends)
        if wrong.size:
            at = wrong[0]
            shown = f"input_start_time[{at}] = {starts[at]}: the window ends at {ends[at]}"
            if starts[at] > ends[at]:
                raise ValueError(f"{shown}, before it begins; expected a start that is not after the end")
            raise ValueError(f"{shown}, which strict = True leaves out; expected a start before the end")
    if strict:
        first = np.flatnonzero(ends == _FIRST)
        if first.size:
            raise ValueError(f"input_end_time[{first[0]}] = -2^63: no time is earlier, as strict = True requires")
        ends = ends - 1
    if starts is None:
        return ends, None
    windows = ends - starts
    return ends, np.where(windows < 0, _LONGEST, windows)  # differences from 2^63 on wrap around
