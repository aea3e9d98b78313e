"""The checks of apps' parameters: each names the parameter, its value and the expected value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, SupportsIndex

from .._core.checks import checked_auto, checked_ints

__all__ = [
    "MAX_LENGTH",
    "MAX_WIDTH",
    "Bias",
    "Weighted",
    "Weights",
    "checked_bias",
    "checked_fanouts",
    "checked_weighted",
    "checked_weights",
    "checked_word",
    "put",
    "tree_width",
]

Weighted = bool | Literal["auto"]
"""The type of the parameter ``weighted``: ``"auto"`` uses edge weights if the graph has them.

Examples:
    >>> app = gnd.apps.NonBacktracking(4, weighted="auto")
    >>> app.weighted
    'auto'
"""
Bias = Literal["uniform", "weight", "degree"]
Weights = Weighted | Literal["computed"]  # of walks

MAX_LENGTH = 1 << 24  # steps of a sample, as in the core
MAX_WIDTH = 1 << 28  # vertices of a sample


def put(app: object, **values: Any) -> None:
    """Sets checked values: a frozen dataclass refuses plain assignment."""
    for name, value in values.items():
        object.__setattr__(app, name, value)


def checked_weighted(value: Any) -> Weighted:
    chosen = checked_auto("weighted", value)
    return "auto" if chosen is None else chosen


def checked_weights(value: Any) -> Weights:
    """As checked_weighted, for apps that can also compute biases for each choice."""
    if isinstance(value, str) and value == "computed":
        return "computed"
    try:
        return checked_weighted(value)
    except TypeError:
        raise TypeError(f'weighted = {value!r}: expected "auto", "computed", True or False') from None


def checked_fanouts(values: Iterable[SupportsIndex], *, all_edges: bool) -> tuple[int, ...]:
    """Fan-outs as integers; with all_edges, -1 is allowed and means all edges."""
    expected = "at least 1, or -1 for all" if all_edges else "at least 1"
    fanouts = checked_ints("fanouts", values, "one per hop", f", {expected}")
    for i, number in enumerate(fanouts):
        if number > MAX_WIDTH:
            raise ValueError(f"fanouts[{i}] = {number}: expected at most 2^28")
        if not (number >= 1 or (all_edges and number == -1)):
            hint = "; gonextdoor.apps.Snowball takes all neighbours" if number == -1 else ""
            raise ValueError(f"fanouts[{i}] = {number}: expected {expected}{hint}")
    return tuple(fanouts)


def checked_bias(value: Any) -> Bias:
    if value is None:
        return "uniform"
    if isinstance(value, str) and value in ("uniform", "weight", "degree"):
        return value  # type: ignore[return-value]
    kind = ValueError if isinstance(value, str) else TypeError
    raise kind(f'bias = {value!r}: expected "uniform", "weight" or "degree"')


def checked_word(name: str, value: Any, words: Sequence[str]) -> None:
    """Raises an error unless the value is one of some words."""
    if not isinstance(value, str) or value not in words:
        kind = ValueError if isinstance(value, str) else TypeError
        *most, last = (f'"{word}"' for word in words)
        raise kind(f"{name} = {value!r}: expected {', '.join(most)} or {last}")


def tree_width(fanouts: Sequence[int], frontier: int = MAX_WIDTH) -> int:
    """The vertices of a tree, its root included, of whose steps at most ``frontier`` vertices grow; a number above
    MAX_WIDTH if there are more than that."""
    total = level = 1
    for fanout in fanouts:
        level = min(level, frontier) * fanout
        total += level
        if total > MAX_WIDTH:
            break
    return total
