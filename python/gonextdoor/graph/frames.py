"""pandas frames as tables of edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas
from pandas.api import types

from .._core import arrow
from .numbering import Text, are_whole, ids

__all__ = ["Frame"]

Array = npt.NDArray[Any]


class Frame:
    """A pandas frame as a ``Table``.

    Args:
        frame: a ``pandas.DataFrame``; its index is not used.
    """

    def __init__(self, frame: pandas.DataFrame) -> None:
        self._frame = frame
        self._labels = list(frame.columns)
        self.names = [str(label) for label in self._labels]
        columns = [frame.iloc[:, i] for i in range(len(self.names))]
        for name, column in zip(self.names, columns, strict=True):
            if isinstance(column.dtype, pandas.ArrowDtype) or getattr(column.dtype, "storage", None) == "pyarrow":
                arrow.checked(f"column {name!r}", column.array.__arrow_array__())
        self.kinds = [_kind(column) for column in columns]
        self.types = [str(column.dtype) for column in columns]
        self.first = 0

    def place(self, argument: str, given: Any) -> Any:
        """A choice of a column, with labels that are not text replaced by their positions.

        Raises:
            ValueError: columns are labelled by integers, and none or several by that one.
        """
        if given is None or isinstance(given, (str, bool, np.bool_)):
            return given
        places = [i for i, label in enumerate(self._labels) if type(label) is not str and label == given]
        if len(places) == 1:
            return places[0]
        if places or any(isinstance(label, (int, np.integer)) for label in self._labels):
            found = "several columns have" if places else "no column has"
            raise ValueError(f"{argument} = {given!r}: {found} that label; the columns are {self._labels}")
        return given

    def keep(self, needed: Sequence[int]) -> None:
        """Does nothing: a frame needs no preparation."""

    def whole(self, i: int) -> bool:
        """Whether the values of column i, of kind "float", are whole numbers."""
        column = self._frame.iloc[:, i]
        plain = isinstance(column.dtype, np.dtype)  # which has NaN for missing values, and is not copied
        return are_whole(np.asarray(column if plain else column.dropna(), np.float64))

    def missing(self, i: int) -> int | None:
        """The first row without a value in column i."""
        missing = self._frame.iloc[:, i].isna().to_numpy()
        return int(missing.argmax()) if missing.any() else None

    def numbers(self, i: int) -> Array:
        """Column i, which holds numbers without missing values."""
        column = self._frame.iloc[:, i]
        if self.kinds[i] == "date":
            return column.array.__arrow_array__().to_numpy(zero_copy_only=False) if _arrow(column) else _naive(column)
        if isinstance(column.dtype, np.dtype) and column.dtype.kind != "O":
            return np.asarray(column)
        if column.dtype == object and self.kinds[i] == "int":
            found = ids(self.names[i], column.to_numpy())
            return column.to_numpy() if isinstance(found, Text) else found  # larger than 64 bits
        if self.kinds[i] == "float":
            return np.asarray(column, np.float64)
        return np.asarray(column, np.uint64 if types.is_unsigned_integer_dtype(_values(column)) else np.int64)

    def text(self, i: int) -> Text:
        """Column i, which holds text without missing values."""
        column = self._frame.iloc[:, i]
        if isinstance(column.dtype, pandas.CategoricalDtype):
            return Text(column.cat.codes.to_numpy(), [str(word) for word in column.cat.categories])
        found = ids(self.names[i], column.astype(object).to_numpy())
        assert isinstance(found, Text)
        return found


def _values(column: Any) -> Any:
    """The dtype of a column's values."""
    categorical = isinstance(column.dtype, pandas.CategoricalDtype)
    return column.cat.categories.dtype if categorical else column.dtype


def _is_date(dtype: Any) -> bool:
    return str(dtype).startswith(("timestamp", "date"))


def _arrow(column: Any) -> bool:
    return isinstance(column.dtype, pandas.ArrowDtype)


def _naive(column: Any) -> Array:
    """Dates as numpy holds them, in UTC."""
    dates = pandas.to_datetime(column) if column.dtype == object else column
    return np.asarray(dates.dt.tz_convert("UTC").dt.tz_localize(None) if dates.dt.tz is not None else dates)


def _kind(column: Any) -> str:
    dtype = _values(column)
    if types.is_datetime64_any_dtype(dtype) or (_arrow(column) and _is_date(dtype)):
        return "date"
    if types.is_bool_dtype(dtype):
        return "other"
    if types.is_integer_dtype(dtype):
        return "int"
    if types.is_float_dtype(dtype):
        return "float"
    if dtype.kind == "O":
        values = column.cat.categories if isinstance(column.dtype, pandas.CategoricalDtype) else column
        inferred = types.infer_dtype(values, skipna=True)
        known = {"string": "text", "empty": "text", "integer": "int", "datetime": "date", "date": "date"}
        return known.get(inferred, "other")
    return "text" if types.is_string_dtype(dtype) else "other"
