"""Names: the ids that vertices had in the input, and the vertices that names stand for."""

from __future__ import annotations

import itertools
import operator
import re
from typing import Any, NoReturn, Protocol, SupportsIndex

import numpy as np
import numpy.typing as npt

from .._core import arrow
from .._core.advice import close_matches
from .._core.arguments import integers
from ..device.interop import on_gpu
from ..errors import warn

__all__ = ["NameIndex", "ids", "no_vertex", "text_of", "told_apart", "vertex", "vertices"]

Array = npt.NDArray[Any]

_COMPARED = 20_000  # names searched for a close match: difflib takes about 10 us each
_NO_VERTEX = re.compile(r"(?:= |has vertex )(\d+)(?:: the graph has| is out of range: vertex ids)")
_INTEGER = re.compile(r"-?[1-9][0-9]*|0")  # as Python writes integers


class Named(Protocol):
    """A graph that finds its vertices by their names."""

    @property
    def num_vertices(self) -> int: ...
    @property
    def vertex_names(self) -> Array | None: ...

    _numbers_meant: bool  # whether integers need no warning that they are numbers, and not names

    def _names_index(self) -> NameIndex: ...


class NameIndex:
    """Finds vertices by their names.

    Args:
        names: (V,) ints or text; None: the names are 0 ... V-1.
        count: V.
    """

    def __init__(self, names: Array | None, count: int) -> None:
        self._count = count
        self._text: dict[str, int] | None = None
        self._names: Array | None = None  # integers, ascending
        self._order: Array | None = None  # vertices in the order of their names, unless that is their own
        if names is not None and names.dtype.kind != "i":
            texts: list[str] = names.tolist()
            self._text = dict(zip(texts, range(count), strict=True))
            self._repeated = self._repeats(texts) if len(self._text) < count else {}
            return
        self._names = names
        if names is not None and not bool((names[1:] >= names[:-1]).all()):
            self._order = np.argsort(names, kind="stable")
            self._names = names[self._order]

    @staticmethod
    def _repeats(names: list[str]) -> dict[str, list[int]]:
        """The vertices of each name that several vertices have."""
        found: dict[str, list[int]] = {}
        for vertex, name in enumerate(names):
            found.setdefault(name, []).append(vertex)
        return {name: vertices for name, vertices in found.items() if len(vertices) > 1}

    def find(self, argument: str, names: Array) -> Array:
        """The vertex numbers of names: int64, of the same shape.

        Args:
            argument: what the caller named the names, for errors.
            names: ints, or objects that should be text.

        Raises:
            TypeError: a name is neither text nor an int, or an int although the names are text.
            ValueError: no vertex has that name, or several have.
        """
        flat = names.reshape(-1)
        if names.dtype.kind in "iu":
            if self._text is not None and flat.size:
                raise TypeError(
                    f"{place(argument, names, 0)} = {flat[0]}: the names of this graph are text, and an int is already "
                    "the number of a vertex"
                )
            return self._find_integers(argument, names, flat).reshape(names.shape)
        for i, name in enumerate(flat.tolist()):
            if not isinstance(name, str):
                raise TypeError(f"{place(argument, names, i)} = {name!r}: expected a name, as text")
        if self._text is None:
            return self._find_integers(argument, names, self._parsed(argument, names, flat)).reshape(names.shape)
        get = self._text.get
        found = np.fromiter((get(name, -1) for name in flat), np.int64, flat.size)
        missing = np.flatnonzero(found < 0)
        if missing.size:
            self._refuse(argument, names, int(missing[0]))
        if self._repeated:
            for i, name in enumerate(flat):
                if name in self._repeated:
                    _refuse_repeated(place(argument, names, i), name, self._repeated[name])
        return found.reshape(names.shape)

    def absent(self, argument: str, names: Array) -> Array:
        """The distinct names that no vertex has, ascending: (k,) int64, or (k,) objects that are text.

        Args:
            argument, names: (n,), as for ``find``.

        Raises:
            TypeError, ValueError: a name is not of the kind of the others.
        """
        if self._text is not None:
            if names.dtype.kind in "iu" and names.size:
                self.find(argument, names[:1])  # refuses it
            texts = {name for name in names.tolist() if name not in self._text}
            other = next((name for name in texts if not isinstance(name, str)), None)
            if other is not None:
                raise TypeError(f"{argument} has {other!r}: expected names, as text")
            found = np.empty(len(texts), object)
            found[:] = sorted(texts)
            return found
        wanted = np.unique(names if names.dtype.kind in "iu" else self._parsed(argument, names, names))
        if self._names is None:
            return wanted[wanted >= self._count]
        return np.setdiff1d(wanted.astype(np.int64), self._names)

    def _parsed(self, argument: str, names: Array, flat: Array) -> Array:
        """Text as integers, if it is written as Python writes them."""
        for i, name in enumerate(flat):
            if not _INTEGER.fullmatch(name) or not -(1 << 63) <= int(name) < 1 << 63:
                raise ValueError(
                    f"{place(argument, names, i)} = {name!r}: the graph has no vertex of that name; its names are "
                    "integers"
                )
        return np.array([int(name) for name in flat], np.int64)

    def _find_integers(self, argument: str, names: Array, wanted: Array) -> Array:
        if wanted.dtype == np.uint64 and wanted.size and int(wanted.max()) >> 63:
            self._refuse(argument, names, int(np.argmax(wanted >> np.uint64(63))))
        wanted = wanted.astype(np.int64)
        if self._names is None:
            outside = np.flatnonzero((wanted < 0) | (wanted >= self._count))
            if outside.size:
                self._refuse(argument, names, int(outside[0]))
            return wanted
        at = np.searchsorted(self._names, wanted)
        there = at < self._count
        there[there] = self._names[at[there]] == wanted[there]
        if not there.all():
            self._refuse(argument, names, int(np.argmin(there)))
        after = at + 1
        again = after < self._count
        again[again] = self._names[after[again]] == wanted[again]
        if again.any():
            i = int(np.argmax(again))
            several = np.flatnonzero(self._names == wanted[i])
            vertices = several if self._order is None else self._order[several]
            _refuse_repeated(place(argument, names, i), names.reshape(-1).tolist()[i], vertices.tolist())
        return at if self._order is None else self._order[at]

    def _refuse(self, argument: str, names: Array, i: int) -> NoReturn:
        name = names.reshape(-1).tolist()[i]
        text = f"{place(argument, names, i)} = {name!r}: the graph has no vertex of that name"
        if self._text is None and self._names is None:
            raise ValueError(f"{text}; its vertices are 0 to {self._count - 1}" if self._count else text)
        if self._text is not None:
            close = self._closest(name)
            raise ValueError(text + (f"; did you mean {close!r}?" if close is not None else ""))
        raise ValueError(text)

    def _closest(self, name: str) -> str | None:
        """The most similar name, among those of similar length."""
        assert self._text is not None
        alike = (other for other in self._text if abs(len(other) - len(name)) <= 2)
        some = list(itertools.islice(alike, _COMPARED))
        folded = {other.casefold().strip(): other for other in reversed(some)}
        match = folded.get(name.casefold().strip())
        return match if match is not None else next(iter(close_matches(name, some)), None)


def _refuse_repeated(where: str, name: Any, vertices: list[int]) -> NoReturn:
    shown = ", ".join(map(str, vertices[:3])) + (", ..." if len(vertices) > 3 else "")
    raise ValueError(f"{where} = {name!r}: several vertices have that name ({shown}); pass the vertex number")


def place(argument: str, names: Array, i: int) -> str:
    """Describes an element of an array in an error."""
    if names.ndim == 0:
        return argument
    return f"{argument}[{', '.join(str(int(x)) for x in np.unravel_index(i, names.shape))}]"


def text_of(values: Any) -> Array | None:
    """The values as an array of objects if they are text, or begin with text; else None."""
    if isinstance(values, np.ndarray):
        array = values
    elif isinstance(values, str):
        array = np.array(values, object)
    elif isinstance(values, (list, tuple)):
        first: Any = values
        while isinstance(first, (list, tuple)) and first:
            first = first[0]
        if not isinstance(first, str):
            return None
        array = _objects(values)
    elif hasattr(values, "__array__") and on_gpu(values) is None:
        array = np.asarray(values)
    else:
        return None
    if array.dtype.kind == "U" or array.dtype.kind == "T":
        return array.astype(object)
    return array if array.dtype.kind == "O" and array.size and isinstance(array.reshape(-1)[0], str) else None


def _objects(values: Any) -> Array:
    """Nested lists as an array of objects; numpy would give text the width of the longest."""
    try:
        return np.array(values, object)
    except ValueError:  # lists of different lengths
        array = np.empty(len(values), object)
        array[:] = values
        return array


def vertex(graph: Named, argument: str, v: SupportsIndex | str) -> int:
    """The number of a vertex that is given by its number, or by its name as text.

    Raises:
        TypeError: it is neither.
        IndexError: no vertex has that number.
        ValueError: none has that name, or several have.
    """
    if isinstance(v, str):
        return int(graph._names_index().find(argument, np.array(v, object)))
    if isinstance(v, (bool, np.bool_)):
        raise TypeError(f"{argument} = {v!r}: expected a vertex, an int or a name")
    try:
        number = operator.index(v)
    except TypeError:
        raise TypeError(f"{argument} = {v!r}: expected a vertex, an int or a name") from None
    if not 0 <= number < graph.num_vertices:
        raise no_vertex(graph, IndexError(f"{argument} = {number}: the graph has {graph.num_vertices} vertices"))
    return number


def no_vertex(graph: Named, error: IndexError) -> IndexError:
    """The error for a number that is no vertex, with the way to the vertex that has this number as its name."""
    names, found = graph.vertex_names, _NO_VERTEX.search(str(error))
    number = -1 if found is None else int(found[1])
    if found is None or names is None or names.dtype.kind != "i" or number >> 63 or number not in names:
        return error
    return IndexError(f"{error}; the vertex with that name is graph.ids([{number}])")


def told_apart(graph: Named, argument: str, values: Any, names: bool | None = None) -> Any:
    """Vertices as a caller gives them, after integers that are names have been replaced by the numbers of the vertices.

    Args:
        names: whether integers are names; None: they are numbers, about which the first call warns if the graph has
            integer names.

    Raises:
        TypeError: names is of the wrong type, or values are no names.
        ValueError: no vertex has a name, or several have it.
    """
    if names is not None and type(names) is not bool:
        raise TypeError(f"names = {names!r}: expected True, False or None")
    warned, graph._numbers_meant = graph._numbers_meant, True
    if names:
        if np.ndim(values) == 0 and values is not None:
            raise TypeError(f"names = True with {argument} = {values!r}: expected an array of names, as [{values!r}]")
        return None if values is None else _found(graph, argument, values)
    if warned or names is False:
        return values
    if values is None or isinstance(values, (int, np.integer)) or text_of(values) is not None:
        graph._numbers_meant = False
        return values
    warn(
        f"{argument}: integers are numbers of vertices, 0 to {graph.num_vertices - 1}, and vertices of this graph have "
        f"integers as names: pass graph.ids({argument}) if they are names; names=True of sample and loader does the "
        "same, and names=False omits this warning"
    )
    return values


def vertices(graph: Named, argument: str, values: Any) -> Array:
    """Vertices as an array of ints: ints are their numbers, text their names."""
    arrow.checked(argument, values)
    names = text_of(values)
    if names is None:
        return integers(argument, values)
    if names.ndim == 0:
        raise TypeError(f"{argument} = {values!r}: expected an array of vertices or a list of names, as [{values!r}]")
    return graph._names_index().find(argument, names)


def ids(graph: Named, names: Any) -> Array | int:
    """See ``Graph.ids``."""
    found = _found(graph, "names", names)
    graph._numbers_meant = True
    return found if found.ndim else int(found)


def _found(graph: Named, argument: str, names: Any) -> Array:
    arrow.checked(argument, names)
    array = text_of(names)
    return graph._names_index().find(argument, integers(argument, names) if array is None else array)
