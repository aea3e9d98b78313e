"""The checks of App's arguments: each names the argument, its value and the expected value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._core.arguments import refuse_masked
from .._core.binding import refuse_unknown
from .._core.checks import checked_count, checked_number
from ..apps.parameters import checked_fanouts
from .hooks import ALIASES
from .layout import MAX_ARRAYS, MAX_PARAMETERS
from .source import AppError, Source, number
from .table import Table
from .vocabulary import FIELDS, METHODS

__all__ = [
    "INF", "MAX_STEPS", "arrays_of", "choice_of", "fanouts_of", "fixed", "parameters_of", "renamed", "source_of",
    "steps_of",
]  # fmt: skip

INF = math.inf
"""The number of steps of an ``App`` that runs until no transit is left.

Examples:
    >>> def stop(ctx):
    ...     return ctx.chance(1 << 31)
    >>> gnd.App(stop=stop, steps=gnd.INF)
    App(stop=stop, steps=INF)
"""
MAX_STEPS = 65535
DTYPES = "bool, int8, uint8, int16, uint16, int32, uint32, int64, float32 or float64"


def fixed(x: float, one: int = 1 << 16) -> int:
    """Returns a weight as an int in units of 1/one, rounded to the nearest: for biases that hooks compute in ints.

    Args:
        x: the weight.
        one: the units per 1 (default 65536).

    Returns:
        The int, from 1 to 2^31 - 1.

    Raises:
        TypeError: an argument is not a number.
        ValueError: the result is not from 1 to 2^31 - 1.

    Examples:
        >>> gnd.fixed(0.5), gnd.fixed(0.25, one=100)
        (32768, 25)
    """
    exact = checked_number("x", x) * checked_number("one", one)
    value = round(exact) if math.isfinite(exact) else 0
    if not 0 < value < 1 << 31:
        raise ValueError(f"fixed({x!r}, {one!r}): expected from 1 to 2^31 - 1 units of 1/{one}")
    return value


def steps_of(steps: Any, fanouts: Sequence[int]) -> int:
    """The number of steps, 0 for INF; None: the number of listed fan-outs."""
    if steps is None:
        if not fanouts:
            raise TypeError(
                "App is missing steps: pass an int from 1 to 65535, or gonextdoor.INF to end by the hook stop"
            )
        return len(fanouts)
    if isinstance(steps, float) and steps == INF:
        return 0
    if isinstance(steps, float):
        raise TypeError(f"steps = {steps!r}: expected an int from 1 to {MAX_STEPS}, or gonextdoor.INF")
    count = checked_count("steps", steps, 1, MAX_STEPS)
    if len(fanouts) not in (0, count):
        raise ValueError(f"sample_size = {list(fanouts)}: expected one number, or one for each of {count} steps")
    return count


def fanouts_of(sample_size: Any) -> tuple[list[int], bool]:
    """The picks of each step, and whether they were listed; "all" is -1."""
    if isinstance(sample_size, str):
        if sample_size != "all":
            raise ValueError(f'sample_size = {sample_size!r}: expected an int, "all", a list of these, or a function')
        return [-1], False
    if isinstance(sample_size, (Sequence, np.ndarray)):
        listed = [-1 if isinstance(size, str) and size == "all" else size for size in sample_size]
        if not listed:
            raise ValueError("sample_size = []: expected one number per step")
        try:
            return list(checked_fanouts(listed, all_edges=True)), True
        except (TypeError, ValueError) as error:
            raise type(error)(str(error).replace("fanouts[", "sample_size[")) from None
    if isinstance(sample_size, bool) or not hasattr(sample_size, "__index__"):
        raise TypeError(f'sample_size = {sample_size!r}: expected an int, "all", a list of these, or a function')
    count = checked_count("sample_size", sample_size, -1, 1 << 28)
    if count == 0:
        raise ValueError("sample_size = 0: expected at least 1, or -1 for all")
    return [count], False


def choice_of(name: str, value: Any, choices: Mapping[Any, int]) -> int:
    """The number of a value among the allowed ones."""
    for choice, place in choices.items():
        if type(choice) is type(value) and (value.lower() if isinstance(value, str) else value) == choice:
            return place
    error = ValueError if isinstance(value, str) else TypeError
    raise error(f"{name} = {value!r}: expected {' or '.join(repr(choice) for choice in choices)}")


def parameters_of(params: Mapping[str, Any] | None) -> dict[str, int | float]:
    """The user's numbers by name."""
    found: dict[str, int | float] = {}
    for name, given in _named("params", params, MAX_PARAMETERS).items():
        value = number(given)
        if value is None:
            raise TypeError(f"params[{name!r}] = {given!r}: expected an int or a float")
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ValueError(f"params[{name!r}] = {value}: expected an int of 64 bits")
        found[name] = int(value) if isinstance(value, bool) else value
    return found


def arrays_of(arrays: Mapping[str, Any] | None, params: Mapping[str, Any]) -> dict[str, np.ndarray[Any, Any]]:
    """Returns read-only copies of the user's arrays, and the values of tables, by name."""
    found = {}
    for name, given in _named("arrays", arrays, MAX_ARRAYS).items():
        if name in params:
            raise ValueError(f"arrays[{name!r}]: there is a parameter of this name")
        if isinstance(given, Table):
            found[name] = given.values
            continue
        refuse_masked(f"arrays[{name!r}]", given)
        try:
            array = np.array(given, order="C")
        except ValueError as error:
            raise TypeError(f"arrays[{name!r}]: expected shape (n,) ({error})") from None
        if array.ndim != 1:
            raise TypeError(f"arrays[{name!r}]: expected shape (n,), got {array.shape}")
        if array.dtype.name not in DTYPES.replace(" or", ",").split(", "):
            raise TypeError(f"arrays[{name!r}]: expected {DTYPES}, got {array.dtype}")
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        array.flags.writeable = False
        found[name] = array
    return found


def _named(what: str, values: Any, most: int) -> dict[str, Any]:
    """Checks a mapping whose keys become attributes of ctx."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise TypeError(f"{what} = {values!r}: expected a dict of names and values")
    for name in values:
        if not isinstance(name, str) or not name.isidentifier():
            raise TypeError(f"{what}: {name!r} is not a valid name")
        if name in FIELDS or name in METHODS or name in ("fail",) or name.startswith("_"):
            raise ValueError(f"{what}[{name!r}]: ctx.{name} is taken")
    if len(values) > most:
        raise ValueError(f"{what}: {len(values)} given, expected at most {most}")
    return dict(values)


def renamed(given: dict[str, Any], plain: Mapping[str, Any], aliases: Mapping[str, Any], app: Any) -> dict[str, Any]:
    """The arguments, with other names replaced by the App's own."""
    refuse_unknown("App", app, aliases, ALIASES)
    for alias, value in aliases.items():
        name = ALIASES[alias]
        if given[name] is not plain.get(name):
            raise TypeError(f"{alias} and {name}: they are the same hook; pass only one of them")
        given[name] = value
    return given


def source_of(name: str, hook: Any) -> Source:
    """The text of a hook, which may be one already."""
    if isinstance(hook, Source):
        return hook
    try:
        return Source(hook)
    except AppError as error:
        raise AppError(f"{name}: {error}") from None
