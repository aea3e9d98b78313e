"""Columns: which column of a table holds the sources, targets, weights, times and labels of the edges.

The rules are the core's, so text files, Parquet, Arrow and data frames obey the same ones.
"""

from __future__ import annotations

import dataclasses
import json
import operator
from typing import Any, Literal, SupportsIndex

import numpy as np

from .._core import native
from ..errors import warn

__all__ = ["ColumnChoice", "Columns", "WeightChoice", "choices", "choose"]

ColumnChoice = str | SupportsIndex | Literal[False] | None
WeightChoice = str | SupportsIndex | bool | None

ROLES = ("source", "target", "weight", "time", "label")


@dataclasses.dataclass(frozen=True)
class Columns:
    """The columns of a table by their role, as positions from 0; None for a role without a column.

    Attributes:
        source, target: positions of the columns of vertices.
        weight, time, label: positions of the columns of edge attributes, or None.
        said: what was decided, for example ``"columns node1 -> node2, weight 'weight'"``.
        warnings: what a user may not expect; empty if nothing.
    """

    source: int
    target: int
    weight: int | None
    time: int | None
    label: int | None
    said: str
    warnings: tuple[str, ...] = ()


def choose(
    names: list[str],
    kinds: list[str],
    *,
    source: ColumnChoice = None,
    target: ColumnChoice = None,
    weight: WeightChoice = "auto",
    time: ColumnChoice = None,
    label: ColumnChoice = None,
    symmetric: bool | None = None,
) -> Columns:
    """Finds the columns of a table of edges, and issues an ``InputWarning`` for what a user may not expect.

    A column that the caller names or numbers is taken. Otherwise a known name decides, such as ``source``, ``from``,
    ``node1``, ``weight``, ``timestamp`` or ``type``. Otherwise the vertices are the first two columns that no known
    name explains, and the weights are the only column left, if it follows them and holds numbers.

    Args:
        names: the names of the columns, ``""`` for a column without a name.
        kinds: what each column holds: ``"int"``, ``"float"``, ``"text"`` or ``"other"``.
        source, target: a name, a position from 0, or None to find the column.
        weight: a name, a position, ``"auto"`` to read weights if there are any, True to require them, or False or None
            to ignore them.
        time, label: a name, a position, None to take the column with a known name if there is one, or False for none.
        symmetric: added to ``said`` unless None.

    Returns:
        The columns, and the decisions.

    Raises:
        TypeError: a choice is of the wrong type.
        ValueError: a choice names no column or one that has another role, or several columns may hold the same role.

    Example:
        >>> choose(["node1", "node2", "weight"], ["text", "text", "float"]).said
        "columns node1 -> node2, weight 'weight'"
    """
    spec: dict[str, Any] = {"names": [str(name) for name in names], "kinds": list(kinds)}
    spec |= choices(source, target, weight, time, label)
    found = json.loads(native.call("ChooseColumns", json.dumps(spec)))
    for text in found["warnings"]:
        warn(text)
    said = found["said"] if symmetric is None else f"{found['said']}; symmetric={bool(symmetric)}"
    optional = {name: None if found[name] < 0 else found[name] for name in ROLES[2:]}
    return Columns(found["source"], found["target"], **optional, said=said, warnings=tuple(found["warnings"]))


def choices(
    source: ColumnChoice, target: ColumnChoice, weight: WeightChoice, time: ColumnChoice, label: ColumnChoice
) -> dict[str, dict[str, Any]]:
    """Returns the caller's choices as the core takes them.

    Raises:
        TypeError: a choice is neither a name nor a number, nor one of the words that its role has.
    """
    given = dict(zip(ROLES, (source, target, weight, time, label), strict=True))
    return {role: _choice(role, value) for role, value in given.items()}


def _choice(role: str, value: Any) -> dict[str, Any]:
    weight, attribute = role == "weight", role in ("weight", "time", "label")
    if isinstance(value, np.bool_):
        value = bool(value)
    if weight and value == "auto" and isinstance(value, str):
        return {"use": "auto"}
    if weight and value is True:
        return {"use": "required"}
    if (attribute and value is False) or (weight and value is None):
        return {"use": "ignored"}
    if value is None:
        return {"use": "auto"}
    if isinstance(value, str):
        return {"name": value}
    if not isinstance(value, bool):
        try:
            return {"number": operator.index(value)}
        except TypeError:
            pass
    words = '"auto", True, False, ' if weight else "None, False, " if attribute else "None, "
    raise TypeError(f"{role} = {value!r}: expected {words}or a column's name or number")
