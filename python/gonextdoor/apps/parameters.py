"""The checks of apps' parameters: each names the parameter, its value and what was expected."""

from __future__ import annotations

import contextlib
import math
import operator
from collections.abc import Iterable
from typing import Any, Literal, SupportsIndex

__all__ = [
    "MAX_LENGTH",
    "MAX_WIDTH",
    "Bias",
    "Weighted",
    "Weights",
    "checked_bias",
    "checked_count",
    "checked_fanouts",
    "checked_flag",
    "checked_int",
    "checked_ints",
    "checked_number",
    "checked_probability",
    "checked_weighted",
    "checked_weights",
    "put",
]  # fmt: skip

Weighted = bool | Literal["auto"]
Bias = Literal["uniform", "weight", "degree"]
Weights = Weighted | Literal["computed"]  # of walks

MAX_LENGTH = 1 << 24  # steps of a sample, as in the core
MAX_WIDTH = 1 << 28  # vertices of a sample


def put(app: object, **values: Any) -> None:
    """Puts checked values in place: a frozen dataclass refuses plain assignment."""
    for name, value in values.items():
        object.__setattr__(app, name, value)


def checked_count(name: str, value: SupportsIndex, least: int, most: int) -> int:
    number = checked_int(name, value, f", from {least} to {most}")
    if not least <= number <= most:
        raise ValueError(f"{name} = {number}: expected from {least} to {most}")
    return number


def checked_int(name: str, value: Any, range: str = "") -> int:
    if not isinstance(value, bool):
        with contextlib.suppress(TypeError):
            return operator.index(value)
    raise TypeError(f"{name} = {value!r}: expected an int{range}")


def checked_ints(name: str, values: Any, each: str, range: str = "") -> list[int]:
    """The ints of a sequence, one for each of what the refusal says."""
    if not isinstance(values, (str, bytes)):
        with contextlib.suppress(TypeError):
            values = list(values)
    if not isinstance(values, list):
        raise TypeError(f"{name} = {values!r}: expected a sequence of ints, {each}")
    return [checked_int(f"{name}[{i}]", value, range) for i, value in enumerate(values)]


def checked_number(name: str, value: Any) -> float:
    if isinstance(value, (bool, str, bytes)):
        raise TypeError(f"{name} = {value!r}: expected a number")
    try:
        return float(value)
    except OverflowError:  # an int beyond all floats
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        raise TypeError(f"{name} = {value!r}: expected a number") from None


def checked_flag(name: str, value: Any) -> bool:
    if value is True or value is False:
        return value
    if type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise TypeError(f"{name} = {value!r}: expected True or False")


def checked_weighted(value: Any) -> Weighted:
    if isinstance(value, str) and value == "auto":
        return "auto"
    try:
        return checked_flag("weighted", value)
    except TypeError:
        raise TypeError(f'weighted = {value!r}: expected "auto", True or False') from None


def checked_weights(value: Any) -> Weights:
    """As checked_weighted, where biases may be computed too."""
    if isinstance(value, str) and value == "computed":
        return "computed"
    try:
        return checked_weighted(value)
    except TypeError:
        raise TypeError(f'weighted = {value!r}: expected "auto", "computed", True or False') from None


def checked_probability(name: str, value: Any) -> float:
    number = checked_number(name, value)
    if not 0 <= number <= 1:
        raise ValueError(f"{name} = {value!r}: expected a probability from 0 to 1")
    return number


def checked_fanouts(values: Iterable[SupportsIndex], *, all_edges: bool) -> tuple[int, ...]:
    """Fan-outs as integers; -1, all edges, where that is allowed."""
    expected = "at least 1, or -1 for all" if all_edges else "at least 1"
    fanouts = checked_ints("fanouts", values, "one a hop", f", {expected}")
    for i, number in enumerate(fanouts):
        if number > MAX_WIDTH:
            raise ValueError(f"fanouts[{i}] = {number}: expected at most 2^28")
        if not (number >= 1 or (all_edges and number == -1)):
            raise ValueError(f"fanouts[{i}] = {number}: expected {expected}")
    return tuple(fanouts)


def checked_bias(value: Any) -> Bias:
    if value is None:
        return "uniform"
    if isinstance(value, str) and value in ("uniform", "weight", "degree"):
        return value  # type: ignore[return-value]
    kind = ValueError if isinstance(value, str) else TypeError
    raise kind(f'bias = {value!r}: expected "uniform", "weight" or "degree"')
