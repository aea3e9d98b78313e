"""Tables of edges, one row per edge: pandas frames, and anything that gives an Arrow stream."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from . import columns
from .edgelist import from_columns
from .numbering import Text, as_whole, ids

__all__ = [
    "Table", "attribute_of", "from_arrow", "from_pandas", "from_table", "ids_of", "kinds_of",
    "read_columns", "renamed",
]  # fmt: skip

Array = npt.NDArray[Any]


class Kinds(Protocol):
    """The columns of a table, before they are read."""

    kinds: list[str]  # "int", "float", "date", "text" or "other"

    def whole(self, i: int) -> bool:
        """Whether the first values of column i, of kind "float", are whole numbers."""


class Table(Kinds, Protocol):
    """A table whose columns are read on demand."""

    names: list[str]
    types: list[str]  # the library's type names, for errors
    first: int  # the position of row 0 in a larger table, for errors

    def keep(self, needed: Sequence[int]) -> None:
        """Names the columns that will be fetched, before the first is."""

    def missing(self, i: int) -> int | None:
        """The first row without a value in column i."""

    def numbers(self, i: int) -> Array:
        """Column i, of kind "int", "float" or "date", without missing values."""

    def text(self, i: int) -> Text:
        """Column i, of kind "text", without missing values."""


def from_table(
    table: Table, source: Any, target: Any, weight: Any, time: Any, label: Any, symmetric: bool, bipartite: Any
) -> tuple[int, str]:
    """The handle of the graph of a table, and its source; the core's rules choose the columns."""
    if not isinstance(symmetric, (bool, np.bool_)):
        raise TypeError(f"symmetric = {symmetric!r}: expected True or False")
    both = bool(symmetric)
    given = {"source": source, "target": target, "weight": weight, "time": time, "label": label}
    chosen = columns.choose(table.names, kinds_of(table), **given, symmetric=both)
    places = {role: i for role in columns.ROLES if (i := getattr(chosen, role)) is not None}
    ends, attributes = read_columns(table, places)
    names = (table.names[chosen.source], table.names[chosen.target])
    with renamed({role + "s": table.names[i] for role, i in places.items()}):
        number = from_columns(
            ends[0], ends[1], **attributes, symmetric=both, names=names, two_mode=chosen.two_mode, bipartite=bipartite
        )
    return number, chosen.said


def read_columns(table: Table, places: dict[str, int]) -> tuple[list[Array | Text], dict[str, Array]]:
    """The two ends and the attributes of the edges of a table, from its columns by role."""
    table.keep(list(places.values()))
    ends = [ids_of(table, places[role]) for role in ("source", "target")]
    roles = (role for role in ("weight", "time", "label") if role in places)
    return ends, {role + "s": attribute_of(table, role + "s", places[role]) for role in roles}


def kinds_of(table: Kinds) -> list[str]:
    """The kinds of the columns, with whole numbers as "int" also if they are floats: they may be times or labels."""
    return ["int" if kind == "float" and table.whole(i) else kind for i, kind in enumerate(table.kinds)]


@contextlib.contextmanager
def renamed(names: dict[str, str]) -> Iterator[None]:
    """Replaces the names of arguments at the beginning of errors by those of columns."""
    try:
        yield
    except (TypeError, ValueError) as error:
        text = str(error)
        for role, name in names.items():
            if text.startswith(role):
                raise type(error)(name + text.removeprefix(role)) from None
        raise


def ids_of(table: Table, i: int) -> Array | Text:
    """A column of ids of vertices."""
    name, kind = table.names[i], table.kinds[i]
    _refuse_missing(table, i, "integers or text")
    if kind == "text":
        return table.text(i)
    if kind == "int":
        return ids(name, table.numbers(i), table.first)
    raise TypeError(f"column {name!r} has type {table.types[i]}: expected integers or text for the ids of vertices")


def attribute_of(table: Table, role: str, i: int) -> Array:
    """A column of weights, times or labels."""
    name, kind = table.names[i], table.kinds[i]
    wanted = ("int", "float", "date") if role == "times" else ("int", "float")
    expected = "numbers" if role == "weights" else "integers"
    if kind not in wanted or (kind == "float" and role != "weights" and not table.first and not table.whole(i)):
        advice = {
            "times": " or dates; convert text by pandas.to_datetime",
            "labels": "; number the labels, for example by numpy.unique(x, return_inverse=True)",
        }.get(role, "")
        raise TypeError(f"column {name!r} has type {table.types[i]}: expected {expected} for {role}{advice}")
    _refuse_missing(table, i, expected)
    return table.numbers(i) if role == "weights" else as_whole(name, table.numbers(i), table.first)


def _refuse_missing(table: Table, i: int, expected: str) -> None:
    at = table.missing(i)
    if at is not None:
        raise ValueError(f"{table.names[i]}[{at}] is missing: expected {expected}")


def from_pandas(
    frame: Any, source: Any, target: Any, weight: Any, time: Any, label: Any, symmetric: bool, bipartite: Any
) -> tuple[int, str]:
    """The handle and the source of ``Graph.from_pandas``."""
    if not (hasattr(frame, "columns") and hasattr(frame, "iloc")):
        advice = "; use Graph.from_arrow" if hasattr(frame, "__arrow_c_stream__") else ""
        raise TypeError(f"frame: expected a pandas frame, got {type(frame).__name__}{advice}")
    from .frames import Frame

    table = Frame(frame)
    given = {"source": source, "target": target, "weight": weight, "time": time, "label": label}
    places = {role: table.place(role, choice) for role, choice in given.items()}
    number, said = from_table(table, **places, symmetric=symmetric, bipartite=bipartite)
    return number, f"pandas: {said}"


def from_arrow(
    table: Any, source: Any, target: Any, weight: Any, time: Any, label: Any, symmetric: bool, bipartite: Any
) -> tuple[int, str]:
    """The handle and the source of ``Graph.from_arrow``."""
    from .arrow import ArrowTable

    library = type(table).__module__.partition(".")[0].lstrip("_")
    stream = ArrowTable.of(table)
    number, said = from_table(stream, source, target, weight, time, label, symmetric, bipartite)
    return number, f"{library}: {said}"
