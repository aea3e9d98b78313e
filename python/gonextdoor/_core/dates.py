"""Dates: times that are dates become integers of a unit since 1970-01-01 UTC."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["UNITS", "as_dates", "as_length", "dated", "duration", "from_dates", "moment", "unit_of_all", "whole_times"]

Array = npt.NDArray[Any]

UNITS = ("s", "ms", "us", "ns")
COARSE = ("Y", "M", "W", "D", "h", "m")  # become seconds


def from_dates(name: str, values: Any, unit: str | None = None) -> tuple[Array, str] | None:
    """Integers for an array of dates, and their unit; None if the values are no dates.

    Dates with a time zone are converted to UTC; without one, they are taken as UTC.

    Args:
        name: of the argument, for errors.
        values: dates of NumPy, pandas, Polars, Arrow or ``datetime``; or anything else.
        unit: the unit of the result; None: that of the values.

    Raises:
        ValueError: a date is missing, or cannot be expressed in the unit.
        TypeError: dates have a unit finer than nanoseconds or none, or are mixed with other values.
    """
    array = _as_numpy(name, values)
    return None if array is None else _integers(name, name + "[{}]", array, unit)


def moment(name: str, value: Any, unit: str | None) -> Any:
    """Integers of a unit for a date, or for an array or a list of dates; other values are returned as they are.

    A text, or an array or a list of texts, is read as dates of ISO 8601.

    Args:
        name: of the argument, for errors.
        value: a date of ``datetime``, NumPy or pandas, a text, or several.
        unit: the ``time_unit`` of the graph.

    Returns:
        An int for one date, (n,) int64 for n dates.

    Raises:
        ValueError: a date is missing, is no date of ISO 8601, or cannot be expressed in the unit.
        TypeError: the times of the graph have no unit.
    """
    dates = as_dates(name, value)
    if not isinstance(dates, (np.ndarray, np.datetime64)) or dates.dtype.kind != "M":
        return value
    one = dates.ndim == 0
    if unit is None:
        shown = f"{name} = {value!r}" if one else f"{name} has dates"
        raise TypeError(f"{shown}, but the times of this graph are integers without a unit: expected integers")
    whole, _ = _integers(name, name if one else name + "[{}]", np.atleast_1d(dates), unit)
    return int(whole[0]) if one else whole


def as_dates(name: str, value: Any) -> Any:
    """A ``datetime64`` for a date or a text, (n,) ``datetime64`` for n of them; other values are returned as they are.

    Args:
        name: of the argument, for errors.
        value: as for ``moment``.

    Raises:
        ValueError: a date is missing, or is no date of ISO 8601.
        TypeError: dates have a unit finer than nanoseconds or none.
    """
    one = isinstance(value, (str, datetime.date, np.datetime64))
    label = name if one else name + "[{}]"
    texts = _texts(value)
    if texts is not None:
        array: Array | None = np.array([_of_text(label.format(i), text) for i, text in enumerate(texts)], "M8")
    elif one and value != value:  # NaT of pandas or NumPy
        raise ValueError(f"{name} is NaT: expected a date")
    else:
        array = _as_numpy(name, value)
    if array is None:
        return value
    _integers(name, label, array, None)
    return array.reshape(-1)[0] if one else array


def dated(array: Array, unit: str | None) -> Array:
    """Integers of a unit as dates; integers without a unit as they are."""
    return array if unit is None else array.view(f"datetime64[{unit}]")


def _integers(name: str, label: str, array: Array, unit: str | None) -> tuple[Array, str]:
    """Integers for an array of ``datetime64``, and their unit; label has {} for the index of an element."""
    missing = np.flatnonzero(np.isnat(array))
    if missing.size:
        raise ValueError(f"{label.format(missing[0])} is NaT: expected a date" + " for every element" * (label != name))
    own = np.datetime_data(array.dtype)[0]
    if own in COARSE or (array.size == 0 and own == "generic"):
        own = "s"
    elif own not in UNITS:
        raise TypeError(f'{name}: dates of dtype {array.dtype}: expected a unit of s, ms, us or ns, as "M8[us]"')
    wanted = unit or own
    converted = array.astype(f"datetime64[{wanted}]")
    lossy = converted.astype(array.dtype) != array
    if lossy.any():
        at = int(np.argmax(lossy))
        shown = f"{label.format(at)} = {array[at]}"
        raise ValueError(f"{shown} is not a whole number of {wanted}, the unit of the graph's times")
    return np.ascontiguousarray(converted.astype(np.int64)), wanted


def as_length(value: datetime.timedelta | np.timedelta64) -> np.timedelta64:
    """A length of time as NumPy has it; those of pandas keep their nanoseconds."""
    length: np.timedelta64 = value.to_timedelta64() if hasattr(value, "to_timedelta64") else np.timedelta64(value)
    return length


def duration(name: str, value: Any, unit: str | None) -> Any:
    """An integer for a length of time, (n,) int64 for n of them; other values are returned as they are.

    Raises:
        ValueError: one is missing or not a whole number of the unit.
        TypeError: the times of the graph have no unit.
    """
    lengths = (datetime.timedelta, np.timedelta64)
    array = np.asarray(value) if str(getattr(value, "dtype", "")).startswith("timedelta64") else None
    if (array is not None and array.ndim == 1) or (
        isinstance(value, (list, tuple)) and value and isinstance(value[0], lengths)
    ):
        each = list(value) if array is None else list(array)
        return np.array([duration(f"{name}[{i}]", one, unit) for i, one in enumerate(each)], np.int64)
    if not isinstance(value, lengths):
        return value
    if unit is None:
        raise TypeError(f"{name} = {value!r}: the times of this graph are integers without a unit: expected an int")
    length = as_length(value)
    own = np.datetime_data(length.dtype)[0]
    whole = length.astype(f"timedelta64[{unit}]") if own not in ("Y", "M") else np.timedelta64("NaT")
    if np.isnat(length) or np.isnat(whole) or whole.astype(length.dtype) != length:
        raise ValueError(f"{name} = {value!r} is not a whole number of {unit}, the unit of the graph's times")
    return int(whole.astype(np.int64))


def whole_times(name: str, array: Array) -> Array:
    """Times of any integer type as int64."""
    if array.dtype == np.uint64 and array.size and int(array.max()) >> 63:
        at = int(np.argmax(array >> np.uint64(63)))
        raise ValueError(f"{name}[{at}] = {array[at]}: expected a time below 2^63")
    times: Array = np.ascontiguousarray(array, np.int64)
    return times


def unit_of_all(units: Mapping[str, str | None]) -> str | None:
    """The unit of times that are compared, from the units of each part.

    Raises:
        ValueError: they differ.
    """
    (first, unit), *others = units.items() or [("", None)]
    for name, other in others:
        if other != unit:
            shown = [
                f"{part} in {found!r}" if found else f"{part} as integers without a unit"
                for part, found in ((first, unit), (name, other))
            ]
            raise ValueError(
                f"times: {shown[0]}, {shown[1]}: expected one unit; convert the dates of one part, for "
                "example by astype('M8[us]')"
            )
    return unit


def _as_numpy(name: str, values: Any) -> Array | None:
    """An array of ``datetime64``, or None if the values are no dates."""
    if isinstance(values, np.ndarray) and values.dtype.kind not in "MO":
        return None
    dtype = getattr(values, "dtype", None)
    if getattr(dtype, "tz", None) is not None:  # pandas
        accessor = getattr(values, "dt", values)
        values = accessor.tz_convert("UTC").dt.tz_localize(None) if hasattr(values, "dt") else accessor.tz_convert(None)
    elif type(values).__module__.partition(".")[0] == "pyarrow" and hasattr(values, "null_count"):
        values = _of_arrow(name, values)
        if values is None:
            return None
    elif isinstance(values, (datetime.date, np.datetime64)):
        values = [values]
    elif isinstance(values, (list, tuple)) and not (values and isinstance(values[0], (datetime.date, np.datetime64))):
        return None
    try:
        array = np.asarray(values)
    except ValueError:
        return None
    if array.dtype.kind == "M":
        return array
    if array.dtype.kind != "O" or array.ndim != 1 or not array.size or not isinstance(array[0], datetime.date):
        return None
    return _of_objects(name, array)


def _texts(value: Any) -> list[str] | None:
    """The texts of a value, or None if it has none."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, np.ndarray):
        value = value.tolist() if value.dtype.kind in "UO" and value.ndim == 1 else ()
    return list(value) if isinstance(value, (list, tuple)) and value and isinstance(value[0], str) else None


def _of_text(name: str, text: Any) -> Any:
    """A date of ISO 8601, in UTC."""
    try:
        if "Z" in text or "+" in text or text.count("-") == 3:  # with a time zone, which NumPy does not read
            return np.datetime64(_utc(datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))))
        if text[4:5] == "-":  # a year alone is more likely a number
            return np.datetime64(text)
    except (TypeError, ValueError):
        pass
    raise ValueError(f'{name} = {text!r}: expected a date of ISO 8601, such as "2024-05-01" or "2024-05-01T12:30:00"')


def _of_arrow(name: str, values: Any) -> Array | None:
    import pyarrow

    if not (pyarrow.types.is_timestamp(values.type) or pyarrow.types.is_date(values.type)):
        return None
    if values.null_count:
        at = int(np.argmax(np.asarray(values.is_null().to_numpy(zero_copy_only=False))))
        raise ValueError(f"{name}[{at}] is missing: expected a date for every element")
    return np.asarray(values.to_numpy(zero_copy_only=False) if hasattr(values, "buffers") else values.to_numpy())


def _of_objects(name: str, array: Array) -> Array:
    """Objects of ``datetime`` or pandas."""
    fine = any(getattr(value, "nanosecond", 0) for value in array if value == value)
    naive = []
    for i, value in enumerate(array.tolist() if not fine else array):
        if value is None or value != value:
            raise ValueError(f"{name}[{i}] is {value!r}: expected a date for every element")
        if not isinstance(value, datetime.date):
            raise TypeError(f"{name}[{i}] = {value!r}: expected a date, as {name}[0] is")
        if isinstance(value, datetime.datetime) and value.tzinfo is not None:
            value = value.tz_convert(None) if hasattr(value, "tz_convert") else _utc(value)
        naive.append(value.to_datetime64() if fine and hasattr(value, "to_datetime64") else value)
    return np.array(naive, "datetime64[ns]" if fine else "datetime64[us]")


def _utc(value: Any) -> Any:
    return value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
