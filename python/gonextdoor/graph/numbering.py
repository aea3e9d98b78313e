"""Numbering: vertices that the input names by any integers or by text, as 0 ... V-1."""

from __future__ import annotations

import dataclasses
import operator
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Text", "are_numbers", "are_whole", "as_whole", "ids", "numbered", "share_ids", "two_sides"]

Array = npt.NDArray[Any]


@dataclasses.dataclass(frozen=True)
class Text:
    """A column of text that stores each distinct text once.

    Attributes:
        codes: (n,) ints: the position of each element in words.
        words: texts; some may not occur.
        integers: whether the words are integers, of which some do not fit in 64 bits with a sign.
    """

    codes: Array
    words: list[str]
    integers: bool = False  # the words are integers that do not fit in 64 bits with a sign

    @classmethod
    def of_integers(cls, values: Array) -> Text:
        """The column of integers of any size, as text."""
        distinct, codes = np.unique(values, return_inverse=True)
        return cls(codes.reshape(-1), [str(value) for value in distinct.tolist()], True)

    @classmethod
    def of(cls, values: Array) -> Text:
        """The column of an array of objects that are text."""
        listed: list[str] = values.tolist()
        words = list(dict.fromkeys(listed))
        code = dict(zip(words, range(len(words)), strict=True))
        return cls(np.fromiter(map(code.__getitem__, listed), np.int64, len(listed)), words)

    def __len__(self) -> int:
        return len(self.codes)

    def occurring(self) -> set[str]:
        """The words that occur."""
        there = np.zeros(len(self.words), bool)
        there[self.codes] = True
        return {word for word, occurs in zip(self.words, there.tolist(), strict=True) if occurs}

    def numbers(self, number: dict[str, int]) -> Array:
        """The number of each element, (n,) int64; the words that occur have one."""
        of_word = np.fromiter((number.get(word, -1) for word in self.words), np.int64, len(self.words))
        return of_word[self.codes] if len(self.codes) else np.empty(0, np.int64)


def numbered(src: Array | Text, dst: Array | Text, names: tuple[str, str]) -> tuple[Array, Array, Array]:
    """Numbers the distinct ids of two columns in ascending order; text is compared by code points.

    Args:
        src, dst: ids, both as ``ids`` returns them.
        names: what the caller names the columns, for errors.

    Returns:
        The numbers of src and of dst, (E,) int64, and the distinct ids, (V,) int64 or objects that are text.

    Raises:
        TypeError: one column is text and the other is not.
    """
    if isinstance(src, Text) and src.integers and isinstance(dst, np.ndarray):
        dst = Text.of_integers(dst)
    if isinstance(dst, Text) and dst.integers and isinstance(src, np.ndarray):
        src = Text.of_integers(src)
    if isinstance(src, Text) and isinstance(dst, Text):
        distinct = sorted(src.occurring() | dst.occurring())
        number = dict(zip(distinct, range(len(distinct)), strict=True))
        array = np.empty(len(distinct), object)
        array[:] = distinct
        return src.numbers(number), dst.numbers(number), array
    if isinstance(src, Text) or isinstance(dst, Text):
        kinds = ["text" if isinstance(column, Text) else "integers" for column in (src, dst)]
        raise TypeError(
            f"{names[0]} has {kinds[0]} and {names[1]} has {kinds[1]}: expected integers in both, or text in both; "
            "convert integers to text with .astype(str)"
        )
    order, numbers = np.unique(np.concatenate([src, dst]), return_inverse=True)
    numbers = numbers.reshape(-1)
    return numbers[: len(src)], numbers[len(src) :], order


def two_sides(src: Array | Text, dst: Array | Text, kinds: tuple[str, str]) -> tuple[Array, Array, Array]:
    """Numbers the distinct ids of each column in ascending order, the sources before the targets, as ``numbered`` does.

    Args:
        src, dst: ids, as ``ids`` returns them.
        kinds: what the sources and the targets are.

    Returns:
        The numbers of src and of dst, (E,) int64, and the names of the vertices, such as "user:1", (V,) objects.
    """
    numbers, names = [], list[str]()
    for kind, side in zip(kinds, (src, dst), strict=True):
        if isinstance(side, Text):
            distinct: list[Any] = sorted(side.occurring())
            number = dict(zip(distinct, range(len(names), len(names) + len(distinct)), strict=True))
            numbers.append(side.numbers(number))
        else:
            order, codes = np.unique(side, return_inverse=True)
            distinct = order.tolist()
            numbers.append(codes.reshape(-1) + len(names))
        names += [f"{kind}:{name}" for name in distinct]
    array = np.empty(len(names), object)
    array[:] = names
    return numbers[0], numbers[1], array


def share_ids(src: Array | Text, dst: Array | Text) -> bool:
    """Whether an id occurs in both columns."""
    if isinstance(src, Text) and isinstance(dst, Text):
        return not src.occurring().isdisjoint(dst.occurring())
    if isinstance(src, Text) or isinstance(dst, Text):
        return False
    return bool(np.intersect1d(src, dst).size)


_FEW = 100  # values


def are_whole(values: Any) -> bool:
    """Whether floats are whole numbers. Missing values do not count."""
    for part in (values[:_FEW], values):  # most columns of fractions begin with one
        present = part[np.isfinite(part)]
        if (present % 1 != 0).any():
            return False
    return bool(present.size)


def as_whole(name: str, values: Array, first: int = 0) -> Array:
    """Floats that are whole numbers as int64; other arrays as they are.

    Raises:
        ValueError: one has a fraction, or does not fit in 64 bits; the text has its position from ``first``.
    """
    if values.dtype.kind != "f":
        return values
    wrong = ~(np.isfinite(values) & (np.floor(values) == values) & (np.abs(values) < 2.0**63))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(f"{name}[{first + at}] = {values[at]}: expected a whole number")
    return values.astype(np.int64)


def are_numbers(distinct: Array) -> bool:
    """Whether ascending ids are 0 ... n-1."""
    if not len(distinct):
        return True
    return distinct.dtype.kind == "i" and bool(distinct[0] == 0 and distinct[-1] == len(distinct) - 1)


def ids(name: str, values: Array, first: int = 0) -> Array | Text:
    """A column of vertex ids: int64 if they are integers, or text.

    numpy joins int64 and uint64 as floats, which are not exact; hence one integer type. ``first`` is the position of
    the first value in a larger column, for errors.

    Raises:
        TypeError: they are neither integers nor text.
        ValueError: they are not of shape (n,), or one is missing or does not fit in 64 bits with a sign.
    """
    if values.ndim != 1:
        raise ValueError(f"{name}: expected shape (n,), got {values.shape}")
    kind = values.dtype.kind
    if kind == "u" and values.dtype.itemsize == 8 and values.size and int(values.max()) >> 63:
        return Text.of_integers(values)
    if kind in "iu":
        return values.astype(np.int64, copy=False)
    if kind in "UT":
        return Text.of(values.astype(object))
    if kind == "O":
        return _of_objects(name, values)
    if kind == "f":
        missing = np.flatnonzero(np.isnan(values))
        if missing.size:
            raise ValueError(f"{name}[{missing[0]}] is missing (NaN): expected integers or text")
        raise TypeError(f"{name}: expected integers or text, got {values.dtype}; convert it with .astype(np.int64)")
    advice = "; decode it, for example by np.char.decode" if kind == "S" else ""
    raise TypeError(f"{name}: expected integers or text, got {values.dtype}{advice}")


def _of_objects(name: str, values: Array) -> Array | Text:
    kinds = set(map(type, values.tolist()))
    if all(issubclass(kind, str) for kind in kinds):
        return Text.of(values)
    missing = next((i for i, value in enumerate(values) if _is_missing(value)), None)
    if missing is not None:
        raise ValueError(f"{name}[{missing}] is missing ({values[missing]!r}): expected integers or text")
    if all(issubclass(kind, (int, np.integer)) and kind is not bool for kind in kinds):
        numbers = [operator.index(value) for value in values]
        if not all(-(1 << 63) <= number < 1 << 63 for number in numbers):
            return Text.of_integers(np.array(numbers, object))
        return np.array(numbers, np.int64)
    found = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise TypeError(f"{name}: expected integers or text, got {values.dtype} ({found})")


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, or one of pandas' marks of a missing value."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value
