"""Checks of arguments. Each error names the argument, its value and the expected range."""

from __future__ import annotations

import contextlib
import math
import operator
from typing import Any, SupportsIndex

import numpy as np

__all__ = [
    "check_int",
    "check_size",
    "checked_auto",
    "checked_count",
    "checked_flag",
    "checked_int",
    "checked_ints",
    "checked_number",
    "checked_probability",
    "shown",
]


def shown(value: Any) -> str:
    """A value in an error: its repr on one line, cut after 80 characters."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def checked_auto(name: str, value: Any) -> bool | None:
    """Returns an argument that is True, False or "auto" as a bool, and None for "auto"."""
    if isinstance(value, str) and value == "auto":
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise TypeError(f'{name} = {value!r}: expected "auto", True or False')


def checked_count(name: str, value: SupportsIndex, least: int, most: int) -> int:
    """Returns an app's parameter as an int from least to most."""
    number = checked_int(name, value, f", from {least} to {most}")
    if not least <= number <= most:
        raise ValueError(f"{name} = {number}: expected from {least} to {most}")
    return number


def checked_int(name: str, value: Any, range: str = "") -> int:
    """Returns a value as an int of any size; range describes the expected ints in an error."""
    if type(value) is int:
        return value
    if not isinstance(value, bool):
        with contextlib.suppress(TypeError):
            return operator.index(value)
    raise TypeError(f"{name} = {shown(value)}: expected an int{range}")


def checked_ints(name: str, values: Any, each: str, range: str = "") -> list[int]:
    """Returns a sequence as a list of ints; each describes in an error the item to which one int belongs."""
    if not isinstance(values, (str, bytes)):
        with contextlib.suppress(TypeError):
            values = list(values)
    if not isinstance(values, list):
        raise TypeError(f"{name} = {shown(values)}: expected a sequence of ints, {each}{_listed(values)}")
    return [checked_int(f"{name}[{i}]", value, range) for i, value in enumerate(values)]


def _listed(value: Any) -> str:
    return f", such as [{value}]" if isinstance(value, (int, np.integer)) and not isinstance(value, bool) else ""


def checked_number(name: str, value: Any) -> float:
    """Returns a value as a float; ints that are too large become infinite."""
    if isinstance(value, (bool, str, bytes)):
        raise TypeError(f"{name} = {shown(value)}: expected a number")
    try:
        return float(value)
    except OverflowError:  # an int beyond all floats
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        raise TypeError(f"{name} = {shown(value)}: expected a number") from None


def checked_flag(name: str, value: Any) -> bool:
    """Returns a bool of Python or numpy as a bool."""
    if value is True or value is False:
        return value
    if type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise TypeError(f"{name} = {shown(value)}: expected True or False")


def checked_probability(name: str, value: Any) -> float:
    """Returns a value as a float from 0 to 1."""
    number = checked_number(name, value)
    if not 0 <= number <= 1:
        raise ValueError(f"{name} = {shown(value)}: expected a probability from 0 to 1")
    return number


def check_int(name: str, value: Any, least: int, most: int) -> int:
    """Returns a value as an int from least to most."""
    if type(value) is not int:
        if isinstance(value, (bool, np.bool_, np.ndarray)):
            raise TypeError(f"{name} = {shown(value)}: expected an int")
        try:
            value = operator.index(value)
        except TypeError:
            raise TypeError(f"{name} = {shown(value)}: expected an int") from None
    if not least <= value <= most:
        end = "2^64 - 1" if most == (1 << 64) - 1 else "2^63 - 1" if most == (1 << 63) - 1 else str(most)
        raise ValueError(f"{name} = {value}: expected from {least} to {end}")
    return int(value)


def check_size(name: str, value: SupportsIndex) -> int:
    """Returns a number of vertices as an int from 0 to 2^32 - 2."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} = {shown(value)}: expected an int")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} = {shown(value)}: expected an int") from None
    if not 0 <= number <= (1 << 32) - 2:
        raise ValueError(f"{name} = {number}: expected from 0 to 2^32 - 2")
    return number
