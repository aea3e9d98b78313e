"""The checks of apps' parameters: each names the parameter, its value and what was expected."""

from __future__ import annotations

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
    if isinstance(value, bool):
        raise TypeError(f"{name} = {value!r}: expected an int, from {least} to {most}")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} = {value!r}: expected an int, from {least} to {most}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} = {number}: expected from {least} to {most}")
    return number


def checked_number(name: str, value: Any) -> float:
    if isinstance(value, (bool, str, bytes)):
        raise TypeError(f"{name} = {value!r}: expected a number")
    try:
        return float(value)
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
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"fanouts = {values!r}: expected a sequence of ints, one a hop")
    expected = "at least 1, or -1 for all" if all_edges else "at least 1"
    fanouts = []
    for i, value in enumerate(values):
        name = f"fanouts[{i}]"
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(f"{name} = {value!r}: expected an int, {expected}")
        number = operator.index(value)
        if not (1 <= number <= MAX_WIDTH or (all_edges and number == -1)):
            raise ValueError(f"{name} = {number}: expected {expected}")
        fanouts.append(number)
    return tuple(fanouts)


def checked_bias(value: Any) -> Bias:
    if value is None:
        return "uniform"
    if isinstance(value, str) and value in ("uniform", "weight", "degree"):
        return value  # type: ignore[return-value]
    kind = ValueError if isinstance(value, str) else TypeError
    raise kind(f'bias = {value!r}: expected "uniform", "weight" or "degree"')
